import type { ParamPlan, PipelinePlan } from '../../engine/values/plan.ts';
import { iterationTime } from '../../engine/basics/quantities.ts';
import { announcer } from '../controls/announcer.ts';
import { element } from '../controls/dom.ts';
import type { ShownSchedule } from '../session/fileNames.ts';
import type { Settings } from '../session/settings.ts';
import { type ShownTimeline, timelineSentence } from '../session/shownTimeline.ts';
import { canvases } from './canvases.ts';
import { keepFocus } from './keepFocus.ts';
import { oneSheet } from './oneSheet.ts';
import { cover } from './panels/cover.ts';
import { type DetailActions, detail } from './panels/detail.ts';
import { figures } from './panels/figures.ts';
import { grid, type HeaderActions } from './panels/grid.ts';
import { help } from './panels/help.ts';
import { legend } from './panels/legend.ts';
import { notices } from './panels/notices.ts';
import { params } from './panels/params.ts';
import { bench, type BenchActions } from './panels/bench/bench.ts';
import { rowNotice } from './panels/rowNotice.ts';
import { side } from './panels/side.ts';
import { statusLine } from './panels/statusLine.ts';
import { type TableActions, table } from './panels/table.ts';
import { type ToolbarActions, toolbar } from './panels/toolbar.ts';
import { tooltip } from './panels/tooltip.ts';
import { type Room, roomFor } from './scene/room.ts';
import type { Scene } from './scene/scene.ts';
import type { Theme } from './scene/theme.ts';

export interface PageActions {
  readonly toolbar: Omit<ToolbarActions, 'table' | 'help' | 'params'>;
  readonly params: BenchActions;
  readonly table: Omit<TableActions, 'close'>;
  /** Shows all workers of a job. */
  openJob(name: string): void;
  /** Shows the search for a shorter order; absent without an editor. */
  readonly findOrder?: () => void;
  readonly detail: Omit<DetailActions, 'turned'>;
  /** A key while the timeline has the focus. */
  key(event: KeyboardEvent): void;
  /** The name of a row has the keyboard. */
  readonly header: HeaderActions;
  /** The moment to show in a table that opens. */
  scene(): Scene | undefined;
  memoryShown(): boolean;
}

/** What the toolbar and the sliders show. */
export interface FileControls {
  readonly title: string;
  /** The pipeline on show; undefined while the file has none. */
  readonly pipeline: PipelinePlan | undefined;
  /** Of all pipelines, and of schedules that are shown without one. */
  readonly names: readonly string[];
  /** The one on show, also while it has no plan. */
  readonly chosen: string;
  /** How many of them the comparison of all pipelines has. */
  readonly comparable: number;
  /** The schedule on show, if it is shown without a pipeline. */
  readonly schedule: ShownSchedule | undefined;
  readonly params: readonly ParamPlan[];
  readonly overrides: Readonly<Record<string, number>>;
}

const droppable = ['figures', 'params', 'detail', 'status'] as const;

/** All parts of the page: puts them in place, and gives each of them what it shows. */
export function pageView(place: HTMLElement, actions: PageActions) {
  const announcements = announcer();
  const helpDialog = help();
  const paramBar = params(actions.params);
  const toolBar = toolbar({
    ...actions.toolbar,
    table: toggleTable,
    help: () => helpDialog.open(),
    params: (anchor) => paramBar.open(anchor),
  });
  const under = element('div', { class: 'under' });
  const notice = notices({ place, notice: toolBar.notice, setBusy: toolBar.setBusy, say: announcements.say });
  const figureBar = figures(actions.openJob, actions.findOrder);
  const canvas = canvases();
  const legendPanel = legend();
  const status = statusLine(legendPanel, () => helpDialog.open());
  const rowBanner = rowNotice();
  const tip = tooltip();
  const tablePanel = table({ ...actions.table, close: toggleTable });
  const cells = grid(actions.key, actions.header);
  const sheets = oneSheet({
    side: () => sidePanel,
    card: () => detailBar,
    bench: () => benchPanel,
    turned: () => arrange(),
  });
  const benchPanel = bench(actions.params, { resized: () => arrange(), turned: sheets.benchTurned });
  const detailBar = detail({ ...actions.detail, turned: sheets.cardTurned });
  const sidePanel: ReturnType<typeof side> = side(sheets.sideTurned);
  const room = element('div', { class: 'room' });
  const coverPanel = cover(place, room, toolBar.covered);
  const area = element('section', { class: 'timeline', 'aria-label': 'Timeline' });
  let rows: number | undefined;
  let given: Room | undefined;

  function toggleTable(): void {
    const scene = actions.scene();
    if (scene !== undefined) tablePanel.update(scene);
    if (!tablePanel.toggle()) cells.focus();
  }

  /** Drops bars where the page is too low for them and the timeline, and limits what is open to what they leave. */
  function arrange(): void {
    const hasParams = paramBar.count() > 0;
    const memoryShown = actions.memoryShown();
    const { bench: ofBench, ...open } = sheets.open();
    given = roomFor({ height: place.clientHeight, rows, hasParams, memoryShown, ...open });
    benchPanel.element.style.maxHeight = ofBench ? `min(46vh, ${given.sheet}px)` : '';
    place.style.setProperty('--sheet', `${given.sheet}px`);
    for (const bar of droppable) place.classList.toggle(`no-${bar}`, !given[bar]);
  }

  return {
    /** The answer to a move of a building block. */
    slotMoved: benchPanel.slotMoved,
    /** The theme of parts that a page has without a timeline. */
    recolour: benchPanel.recolour,
    /** What a moved operation would write. */
    rowNotice: rowBanner.show,
    /** The room between the bars, which canvases fill. */
    area,
    canvas,
    tip,
    notice,
    /** What explains the timeline, next to it. */
    side: sidePanel,
    /** What takes the place of the timeline. */
    cover: coverPanel,
    toolbar: toolBar,
    say: announcements.say,
    focusTimeline: () => cells.focus(),
    showJobs: figureBar.showJobs,
    openHelp: helpDialog.open,
    toggleTable,
    toggleLegend: status.toggleLegend,
    /** The card of the selection. */
    card: { open: detailBar.open, isOpen: detailBar.isOpen, buttons: detailBar.buttons },
    /** The selection as it is read out. */
    selectionText: detailBar.text,
    overviewShown: (): boolean => given?.overview ?? true,
    arrange,
    mount(): void {
      area.append(canvas.element, cells.element, tablePanel.element, tip.element, notice.empty);
      const stage = element('div', { class: 'stage' }, area, detailBar.element);
      const work = element('div', { class: 'work' }, stage, sidePanel.element);
      room.append(work, status.element);
      under.append(room, coverPanel.element, rowBanner.element);
      const bars = [toolBar.element, figureBar.element, paramBar.element, benchPanel.element];
      place.replaceChildren(...bars, under, announcements.element, helpDialog.element);
      notice.waiting();
      arrange();
      new ResizeObserver(arrange).observe(place);
      keepFocus(() => cells.focus());
    },
    /** `baseline`: the timeline of the values in the file, while others are tried. */
    updateFigures(
      timeline: ShownTimeline,
      theme: Theme,
      settings: Settings,
      baseline: ShownTimeline | undefined,
    ): void {
      const { plan, picture } = timeline;
      figureBar.update(timeline, theme, baseline);
      legendPanel.update(plan, picture, theme, settings);
      toolBar.setVersions(picture.columns.versions !== undefined);
    },
    updateControls(
      { title, pipeline, names, chosen, comparable, schedule, params: all, overrides }: FileControls,
      settings: Settings,
    ): void {
      paramBar.update(
        all.filter(({ argument }) => argument?.shape !== true),
        overrides,
      );
      benchPanel.update(schedule, all, overrides);
      toolBar.choose(names, chosen, comparable);
      arrange();
      if (pipeline !== undefined) toolBar.update(title, pipeline, paramBar.count() > 0, settings);
    },
    /** `focus`: block that the keyboard is at. */
    updateSelection(scene: Scene, focus: number): void {
      detailBar.update(scene);
      status.update(scene);
      cells.update(scene, focus);
      if (tablePanel.isOpen()) tablePanel.update(scene);
    },
    viewChanged: status.update,
    /** Another timeline is on show. */
    arrived(timeline: ShownTimeline): void {
      const sentence = timelineSentence(timeline);
      canvas.describe(sentence);
      announcements.say(sentence);
      toolBar.setIteration(iterationTime(timeline.picture.report.iteration));
      rows = timeline.picture.columns.rows;
      arrange();
      area.dataset.generation = String(timeline.picture.generation);
    },
  };
}
