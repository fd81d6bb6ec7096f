import { blockOrigin } from '../input/blockOrigin.ts';
import { fasterStage } from '../input/fasterStage.ts';
import { inputs } from '../input/inputs.ts';
import { sensitive } from '../input/sensitive.ts';
import { stalledSearch } from '../input/stalledSearch.ts';
import type { ToPage } from '../protocol/messages.ts';
import type { Editor } from '../session/editor.ts';
import { highlights } from '../session/highlight.ts';
import { shownFile } from '../session/shownFile.ts';
import { jobView } from '../view/jobView.ts';
import { onMeasureChange } from '../view/onMeasureChange.ts';
import { besideCover } from '../view/panels/cover.ts';
import { pageView } from '../view/page.ts';
import { playing } from '../view/playing.ts';
import { presenter } from '../view/presenter.ts';
import { onThemeChange } from '../view/scene/theme.ts';
import { droppedRun } from '../input/droppedRun.ts';
import { beside } from './beside.ts';
import { fileHost } from './fileHost.ts';
import { inputHost } from './inputHost.ts';
import { ownTimeline } from './ownTimeline.ts';
import { orders } from './orders.ts';
import { pageActions } from './pageActions.ts';
import type { Parts, Remembered } from './parts.ts';
import { plans } from './plans.ts';
import { presenterHost } from './presenterHost.ts';
import { races } from './races.ts';
import { receive } from './receive.ts';
import { shownForRaces } from './shownForRaces.ts';
import { states } from './states.ts';
import { sweeps } from './sweeps.ts';
import { updates } from './updates.ts';

/** The page: makes its parts and starts them. What the parts do to each other is in the hosts that they get. */
export function app(place: HTMLElement, open: (receive: (message: ToPage) => void) => Editor) {
  const parts = makeParts(
    place,
    open((message) => receive(parts, message)),
  );
  return {
    start(): void {
      start(parts);
    },
  };
}

function makeParts(place: HTMLElement, editor: Editor): Parts {
  const { saved, post } = editor;
  const remembered: Remembered = { uri: undefined, restore: saved, trouble: '', gone: undefined, sought: '' };
  /** Comparisons and charts never have the same number. */
  let request = 0;
  const nextRequest = (): number => {
    request += 1;
    return request;
  };
  const parts: Parts = {
    editor,
    remembered,
    highlighted: highlights(),
    get update() {
      return update;
    },
    get file() {
      return file;
    },
    get page() {
      return page;
    },
    get timelines() {
      return timelines;
    },
    get state() {
      return state;
    },
    get stalls() {
      return stalls;
    },
    get charts() {
      return charts;
    },
    get comparing() {
      return comparing;
    },
    get besides() {
      return besides;
    },
    get planning() {
      return planning;
    },
    get searching() {
      return searching;
    },
    get workers() {
      return workers;
    },
    get player() {
      return player;
    },
    get input() {
      return input;
    },
    get faster() {
      return faster;
    },
    get sensing() {
      return sensing;
    },
    get written() {
      return written;
    },
  };
  const update = updates(saved, parts);
  const { theme } = update;
  const file = shownFile(fileHost(parts), saved);
  const charts = sweeps({
    post,
    theme,
    pipeline: () => file.pipeline()?.name,
    value: (name) => file.overrides()[name],
    turn: file.turn,
    nextRequest,
  });
  const page = pageView(place, pageActions(parts));
  /** Views that take the place of the timeline. */
  const cover = (name: string) => ({
    show(content: HTMLElement) {
      // One comparison takes the place of the other.
      if (name !== besideCover) besides.close();
      page.cover.show(name, content);
    },
    close() {
      page.cover.close(name);
      page.focusTimeline();
    },
  });
  const timelines = presenter(page.canvas, presenterHost(parts));
  const { timeline, paintOver } = timelines;
  const state = states({ page, post, theme, docked: update.docked });
  const stalls = stalledSearch({
    shown: state.shownStall,
    result: page.toolbar.showFound,
    mark: (found, current) => state.markStalled({ found, current }),
  });
  const comparing = races({ post, theme, shown: () => shownForRaces(parts), ...cover('compare'), nextRequest });
  const besides = beside({ post, theme, own: () => ownTimeline(parts), ...cover(besideCover) });
  const planning = plans({
    ...{ post, theme, nextRequest, ...cover('plan') },
    compare(pipeline, plan) {
      if (pipeline !== undefined && pipeline !== file.pipeline()?.name) file.choose(pipeline);
      comparing.openPlan(plan);
    },
    trial: (actions) => page.toolbar.trial(actions, 'a plan'),
    say: page.say,
    sliders: file.sliders,
  });
  const workers = jobView({ ask: timelines.askLanes, ...cover('workers'), choose: file.choose, theme });
  const searching = orders({ page, file, post, timeline, inFile: update.inFile, paintOver, nextRequest });
  const player = playing({ ...timelines, say: page.say });
  const input = inputs(inputHost(parts));
  const known = (): void => {
    update.selection();
    input.selection.refresh();
    sensing.found();
  };
  const faster = fasterStage(timeline, known);
  const sensing = sensitive({
    ...{ page, post, theme, timeline },
    simulated: faster.simulated,
    select: (next) => input.selection.select(next, true),
  });
  const written = blockOrigin(timeline, editor.alone ? () => undefined : post, known);
  return parts;
}

function start(parts: Parts): void {
  const { besides, comparing, editor, page, planning, player, sensing, state, timelines, update, workers } = parts;
  page.mount();
  page.area.append(player.element, timelines.loupe);
  update.recolour();
  page.recolour(update.theme());
  onMeasureChange(page.area, timelines.measure);
  onThemeChange(() => {
    update.themeChanged();
    page.recolour(update.theme());
    state.recolour();
    workers.themeChanged();
    comparing.recolour();
    besides.recolour();
    sensing.found();
    planning.changed();
  });
  if (!editor.alone) droppedRun(document.body, (uris) => editor.post({ type: 'chooseRun', uris }));
  if (document.body.classList.contains('vscode-using-screen-reader')) page.toggleTable();
  editor.post(editor.saved === undefined ? { type: 'ready' } : { type: 'ready', state: editor.saved });
}
