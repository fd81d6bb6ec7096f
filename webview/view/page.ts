import type { JobReport } from '../../engine/report.ts';
import type { ParamPlan, PipelinePlan } from '../../engine/plan.ts';
import { announcer } from '../controls/announcer.ts';
import { element } from '../controls/dom.ts';
import type { Settings } from '../session/settings.ts';
import { type ShownTimeline, timelineSentence } from '../session/shownTimeline.ts';
import { canvases } from './canvases.ts';
import { cover } from './panels/cover.ts';
import { type DetailActions, detail } from './panels/detail.ts';
import { devicePanel } from './panels/device.ts';
import { errorNotice } from './panels/errorNotice.ts';
import { grid } from './panels/grid.ts';
import { type HeaderActions, header } from './panels/header.ts';
import { help } from './panels/help.ts';
import { jobs } from './panels/jobs.ts';
import { legend } from './panels/legend.ts';
import { notices } from './panels/notices.ts';
import { type ParamActions, params } from './panels/params.ts';
import { side } from './panels/side.ts';
import { statistics } from './panels/statistics.ts';
import { type TableActions, table } from './panels/table.ts';
import { tooltip } from './panels/tooltip.ts';
import type { Scene } from './scene/scene.ts';
import type { Theme } from './scene/theme.ts';

export interface PageActions {
  readonly header: Omit<HeaderActions, 'table' | 'help'>;
  readonly params: ParamActions;
  readonly table: TableActions;
  /** Shows all workers of a job. */
  openJob(name: string): void;
  readonly detail: DetailActions;
  closeDevice(): void;
  /** A key while the timeline has the focus. */
  key(event: KeyboardEvent): void;
  /** The moment to show in a table that opens. */
  scene(): Scene | undefined;
}

/** What the header and the sliders show. */
export interface FileControls {
  readonly title: string;
  /** The pipeline on show; undefined while the file has none. */
  readonly pipeline: PipelinePlan | undefined;
  readonly names: readonly string[];
  readonly params: readonly ParamPlan[];
  readonly overrides: Readonly<Record<string, number>>;
}

/** All parts of the page: puts them in place, and gives each of them what it shows. */
export function pageView(place: HTMLElement, actions: PageActions) {
  const headerBar = header({ ...actions.header, table: toggleTable, help: () => helpDialog.open() });
  const paramBar = params(actions.params);
  const notice = notices(place);
  const announcements = announcer();
  const figureBar = statistics();
  const jobBar = jobs(actions.openJob);
  const canvas = canvases();
  const detailBar = detail(actions.detail);
  const legendBar = legend();
  const tip = tooltip();
  const helpDialog = help();
  const deviceCard = devicePanel(actions.closeDevice);
  const tablePanel = table(actions.table);
  const cells = grid(actions.key);
  const error = errorNotice();
  const sidePanel = side();
  const room = element('div', { class: 'room' });
  const coverPanel = cover(room);
  const area = element('section', { class: 'timeline', 'aria-label': 'Timeline' });

  function toggleTable(): void {
    const scene = actions.scene();
    if (scene !== undefined) tablePanel.update(scene);
    if (!tablePanel.toggle()) cells.focus();
  }

  return {
    /** The room between the bars, which canvases and cards fill. */
    area,
    canvas,
    tip,
    notice,
    /** What explains the timeline, next to it. */
    side: sidePanel,
    /** What takes the place of the timeline. */
    cover: coverPanel,
    toolbar: { notice: error.show },
    say: announcements.say,
    focusTimeline: () => cells.focus(),
    focusSearch: headerBar.focusSearch,
    showFound: headerBar.showFound,
    clearSearch: headerBar.clearSearch,
    showJobs: (pipeline: string, reports: readonly JobReport[]) => jobBar.update(pipeline, reports),
    hideDevice: deviceCard.hide,
    openHelp: helpDialog.open,
    toggleTable,
    /** The selection as it is read out. */
    selectionText: detailBar.text,
    mount(): void {
      area.append(canvas.element, cells.element, tablePanel.element, deviceCard.element, tip.element, notice.empty);
      headerBar.element.append(error.element);
      const figures = [notice.banner, jobBar.element, figureBar.element];
      const stage = element('div', { class: 'stage' }, area, detailBar.element, legendBar.element);
      room.append(...figures, element('div', { class: 'work' }, stage, sidePanel.element));
      const under = element('div', { class: 'under' }, room, coverPanel.element);
      // Over a deadlock too: whoever turned a param into one can turn it back.
      place.replaceChildren(headerBar.element, paramBar.element, under, announcements.element, helpDialog.element);
      paramBar.element.hidden = true;
      notice.waiting();
    },
    updateFigures({ plan, picture }: ShownTimeline, theme: Theme, settings: Settings): void {
      headerBar.setVersions(picture.columns.versions !== undefined);
      figureBar.update(plan, picture, theme);
      legendBar.update(plan, picture, theme, settings);
    },
    updateControls({ title, pipeline, names, params: all, overrides }: FileControls, settings: Settings): void {
      paramBar.update(all, overrides);
      if (pipeline !== undefined) headerBar.update(title, pipeline, names, settings);
    },
    /** `focus`: block that the keyboard is at. */
    updateSelection(scene: Scene, focus: number): void {
      detailBar.update(scene);
      deviceCard.update(scene);
      cells.update(scene, focus);
      if (tablePanel.isOpen()) tablePanel.update(scene);
    },
    /** Another timeline is on show. */
    arrived(timeline: ShownTimeline): void {
      const sentence = timelineSentence(timeline);
      canvas.describe(sentence);
      announcements.say(sentence);
      area.dataset.generation = String(timeline.picture.generation);
    },
  };
}
