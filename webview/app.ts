import { closePopover } from './controls/popover.ts';
import { blockOrigin } from './input/blockOrigin.ts';
import { fasterStage } from './input/fasterStage.ts';
import { inputs } from './input/inputs.ts';
import { sensitive } from './input/sensitive.ts';
import { stalledSearch } from './input/stalledSearch.ts';
import type { ToPage } from './protocol/messages.ts';
import type { Range } from './protocol/requests.ts';
import type { Editor } from './session/editor.ts';
import { highlights } from './session/highlight.ts';
import { type ScheduleProblem, shownFile } from './session/shownFile.ts';
import type { ShownTimeline } from './session/shownTimeline.ts';
import { jobView } from './view/jobView.ts';
import { onMeasureChange } from './view/onMeasureChange.ts';
import { pageView } from './view/page.ts';
import { playing } from './view/playing.ts';
import { presenter } from './view/presenter.ts';
import type { Layout } from './view/scene/layout.ts';
import { missingSentence } from './view/panels/missingNotice.ts';
import { rowShape } from './view/scene/rowShape.ts';
import type { Scene } from './view/scene/scene.ts';
import { onThemeChange, paletteFrom } from './view/scene/theme.ts';
import { type Viewport, restoredViewport } from './view/scene/viewport.ts';
import { plans } from './plans.ts';
import { orders } from './orders.ts';
import { races } from './races.ts';
import { states } from './states.ts';
import { sweeps } from './sweeps.ts';
import { updates } from './updates.ts';

/** The page: what is shown, and how its parts act on each other. */
export function app(place: HTMLElement, open: (receive: (message: ToPage) => void) => Editor) {
  const editor = open(receive);
  const { saved } = editor;
  let restore = saved;
  let uri: string | undefined;
  const highlighted = highlights();
  /** The newest error of the text. */
  let trouble = '';

  const update = updates(saved, () => ({ editor, file, page, timelines, input, uri: () => uri }));
  const file = shownFile(
    {
      post: editor.post,
      run: (plan, { options }, jobs, order) => {
        if (jobs.length === 0) {
          page.showJobs([]);
          workers.close();
        }
        page.notice.running();
        timelines.run(plan, options, jobs, order);
      },
      empty: () => {
        timelines.trouble();
        state.empty(timelines.timeline() !== undefined && page.cover.shown() === undefined, file.message()?.contents);
      },
      unplanned: (problem, name) => showUnplanned(problem, name),
      whole: () => {
        page.notice.whole();
        update.figures(true);
      },
      changed: () => {
        update.controls();
        searching.changed();
        planning.changed();
      },
    },
    saved,
  );
  /** Comparisons and charts never have the same number. */
  let request = 0;
  const nextRequest = (): number => {
    request += 1;
    return request;
  };
  const charts = sweeps({
    post: editor.post,
    theme: update.theme,
    pipeline: () => file.pipeline()?.name,
    value: (name) => file.overrides()[name],
    turn: file.turn,
    nextRequest,
  });
  /** What the search field has. */
  let sought = '';
  const page = pageView(place, {
    toolbar: {
      colourBy: (colourBy) => update.change({ colourBy }),
      toggle: (what) => update.change({ [what]: !update.settings()[what] }),
      search: {
        search(text) {
          sought = text;
          if (state.shownStall() === undefined) return input.search.search(text);
          input.search.remember(text);
          stalls.search(text);
        },
        step: (direction) => (state.shownStall() === undefined ? input.search : stalls).step(direction),
        leave() {
          sought = '';
          stalls.search('');
          input.search.leave();
        },
      },
      fit: () => {
        if (!workers.showAll()) timelines.showAll();
      },
      openSource: () => input.selection.openSource(undefined, false),
      pipeline: file.choose,
      sensitivity: () => sensing.toggle(),
      compare: (all) => comparing.open(all ? 'pipelines' : undefined),
      findPlan: () => planning.open(file.pipeline()?.name),
      findOrder: () => {
        closePopover();
        searching.open();
      },
      exportShown: () => exportShown(),
      modes: () => update.modes(),
      sync: (change) => editor.post({ type: 'sync', ...change }),
      alone: editor.alone,
    },
    params: {
      turn: file.turn,
      turnAll: file.turnAll,
      moveSlot: (number, move) => editor.post({ type: 'moveSlot', request: number, ...move }),
      endMove: (number, write) => editor.post({ type: 'endMove', request: number, write }),
      reset: file.reset,
      apply: (name, value) => editor.post({ type: 'apply', name, value }),
      chart: charts.open,
      closeChart: charts.close,
    },
    table: {
      block: (block) => {
        input.selection.select({ kind: 'block', block }, true);
        input.selection.openSource(input.selection.selection(), true);
      },
      device: (device) => input.selection.select({ kind: 'device', device }, false),
      nothing: () => input.selection.select(undefined, false),
    },
    openJob: (name) => workers.open(name),
    ...(editor.alone ? {} : { findOrder: () => searching.open() }),
    detail: {
      why: () => input.why.why(),
      follow: (microbatch) => input.follow(microbatch),
      faster: () => faster.ask(input.selection.selection()),
      source: () => input.selection.openSource(input.selection.selection(), false),
      alone: editor.alone,
    },
    key: (event) => input.key(event),
    header: {
      select: (device) => input.selection.select({ kind: 'device', device }, false),
      turnGroup: () => input.turnGroup(false),
    },
    scene: () => timelines.scene(),
    memoryShown: () => update.settings().memory,
  });
  const timelines = presenter(page.canvas, {
    size: () => ({ width: page.area.clientWidth, height: page.area.clientHeight }),
    memoryShown: () => update.settings().memory,
    overviewShown: page.overviewShown,
    firstView: (bounds) =>
      restore !== undefined && restore.uri === uri ? restoredViewport(restore, bounds) : undefined,
    firstGroups: () => (restore !== undefined && restore.uri === uri ? restore.openGroups : undefined),
    groupsTurned: () => update.selection(),
    palette: (chunk) => paletteFrom(update.theme(), update.settings().colourBy, chunk),
    scene: sceneOf,
    shown: exchanged,
    jobs: (reports) => {
      page.showJobs(reports);
      workers.simulated(reports);
    },
    lanes: (lanes) => workers.arrived(lanes),
    viewChanged: () => {
      input.sync();
      player.place();
      const scene = timelines.scene();
      if (scene !== undefined) page.viewChanged(scene);
      update.save();
    },
    impossible: (reasons) => {
      const shown = timelines.timeline()?.plan;
      const { name } = file.schedule() ?? {};
      if (name !== undefined && (shown === undefined || !file.isShape(shown)))
        return showUnplanned({ message: reasons.join(' '), ofShape: true }, name);
      showUnrun(reasons.join(' ') || 'This pipeline cannot be simulated.');
      if (timelines.timeline() === undefined) state.impossible(reasons);
    },
    stalled: (stall, plan) => {
      file.forget();
      timelines.trouble();
      page.notice.whole();
      state.stalled({ stall, plan });
      stalls.search(sought);
      update.controls();
    },
    failed: (reason) => {
      showUnrun(`The preview could not simulate this pipeline: ${reason}.`);
      if (timelines.timeline() === undefined) state.failed(reason);
      editor.post({ type: 'error', message: reason });
    },
    drew: (milliseconds) => {
      page.area.dataset.milliseconds = milliseconds.toFixed(2);
    },
  });
  const state = states({
    page,
    post: editor.post,
    theme: update.theme,
    docked: update.docked,
  });
  const stalls = stalledSearch({
    shown: state.shownStall,
    result: page.toolbar.showFound,
    mark: (found, current) => state.markStalled({ found, current }),
  });
  const comparing = races({
    post: editor.post,
    theme: update.theme,
    shown: () => {
      const [plan, message] = [file.pipeline(), file.message()];
      if (plan === undefined || message === undefined) return undefined;
      const { options, orders } = message;
      const timeline = timelines.timeline();
      // The same plan may have come again.
      const isDrawn = timeline !== undefined && JSON.stringify(timeline.plan) === JSON.stringify(plan);
      const order = isDrawn ? timeline.picture.order : undefined;
      return {
        ...{ plan, pipelines: file.comparable(), options, tried: file.isTrying() },
        ...(orders === undefined ? {} : { orders }),
        ...(order === undefined ? {} : { order }),
      };
    },
    show: (content) => page.cover.show('compare', content),
    close: () => {
      page.cover.close('compare');
      page.focusTimeline();
    },
    nextRequest,
  });
  const planning = plans({
    post: editor.post,
    theme: update.theme,
    show: (content) => page.cover.show('plan', content),
    close: () => {
      page.cover.close('plan');
      page.focusTimeline();
    },
    trial: (actions) => page.toolbar.trial(actions, 'a plan'),
    say: page.say,
    sliders: file.sliders,
    nextRequest,
  });
  const workers = jobView({
    ask: timelines.askLanes,
    show: (content) => page.cover.show('workers', content),
    close: () => {
      page.cover.close('workers');
      page.focusTimeline();
    },
    choose: file.choose,
    theme: update.theme,
  });
  const searching = orders({
    page,
    file,
    post: editor.post,
    timeline: timelines.timeline,
    inFile: update.inFile,
    paintOver: timelines.paintOver,
    nextRequest,
  });
  const player = playing({ ...timelines, say: page.say });
  const input = inputs({
    timelines,
    page,
    alone: editor.alone,
    post: editor.post,
    pointed: (target) => {
      faster.pointed(target);
      written.pointed(target);
    },
    selected: () => {
      faster.selected(input.selection.selection());
      written.selected(input.selection.selection());
      update.selection();
    },
    theme: update.theme,
    toggle: (what) => {
      if (what === 'table') page.toggleTable();
      else if (what === 'help') page.openHelp();
      else if (what === 'export') exportShown();
      else if (what === 'legend') page.toggleLegend();
      else if (what === 'compare') comparing.open();
      else if (what === 'sensitivity') sensing.toggle();
      else update.change({ [what]: !update.settings()[what] });
    },
    colourBy: (colourBy) => {
      const versions = timelines.timeline()?.picture.columns.versions;
      if (colourBy !== 'version' || versions !== undefined) update.change({ colourBy });
    },
    play: player.toggle,
    leavePlay: player.leave,
  });

  const known = (): void => {
    update.selection();
    input.selection.refresh();
    sensing.found();
  };
  const faster = fasterStage(timelines.timeline, known);
  const sensing = sensitive({
    page,
    simulated: faster.simulated,
    timeline: timelines.timeline,
    post: editor.post,
    theme: update.theme,
    select: (next) => input.selection.select(next, true),
  });
  const written = blockOrigin(timelines.timeline, editor.alone ? () => undefined : editor.post, known);

  function sceneOf(timeline: ShownTimeline, view: Viewport, layout: Layout): Scene {
    return {
      ...timeline,
      ...update.settings(),
      ...input.selection.seen(),
      ...input.why.seen(),
      sensitivity: (stage) => faster.row(timeline.plan, stage),
      theme: update.theme(),
      view,
      layout,
      shape: rowShape(view.rowHeight, layout.map.mixed, layout.map.legs),
      highlight: highlighted.of(timeline.plan),
      origin: (block) => written.lines(timeline, block),
      found: input.search.found(),
      moved: searching.moved(),
      current: input.search.current(),
      foundLayer: input.search.layer(),
      played: player.time(),
      dpr: devicePixelRatio,
    };
  }

  function receive(message: ToPage): void {
    switch (message.type) {
      case 'highlight':
        highlighted.set(message.groups, message.blocks ?? []);
        update.selection();
        timelines.paintOver();
        return;
      case 'origin':
        written.answered(message);
        return;
      case 'modes':
        update.modesChanged(message);
        return;
      case 'moved':
        if (uri !== message.from) return;
        uri = message.uri;
        file.moved(message);
        update.save();
        return;
      case 'fixes':
      case 'lines':
        state.answered(message);
        if (message.type === 'fixes') input.why.fixes(message);
        return;
      case 'rowMoved':
        input.rows.answered(message);
        return;
      case 'slotMoved':
        page.slotMoved(message);
        return;
      case 'late':
        page.notice.late(message.late);
        return;
      case 'idle':
        state.idle();
        return;
      case 'plan':
        enter(message.uri);
        if (message.trying === undefined) state.untried();
        input.rows.planned(message.trying !== undefined);
        file.receive(message);
        planning.planned(message.trying !== undefined);
        comparing.changed();
        charts.received(message, file.params());
        return;
      case 'compare':
        comparing.open();
        return;
      case 'plans':
        planning.open(message.pipeline);
        return;
      case 'planFound':
      case 'planEnd':
      case 'planEdited':
      case 'planNote':
        planning.receive(message);
        return;
      case 'planKept':
        enter(message.uri);
        planning.resume(message);
        return;
      case 'findOrder':
        searching.open();
        return;
      case 'order':
        searching.received(message);
        return;
      case 'entry':
        comparing.entry(message);
        charts.entry(message);
        return;
      case 'entries':
        return;
      case 'gone':
        enter(message.uri);
        timelines.trouble();
        file.forget();
        state.gone(message);
        return;
      case 'stopped':
        enter(message.uri);
        timelines.trouble();
        file.forget();
        state.stopped(message.message);
        return;
      case 'broken':
        enter(message.uri);
        state.untried();
        showError(message.message, message.range);
    }
  }

  function showError(message: string, range: Range | undefined): void {
    trouble = message;
    // What was drawn before the file had no pipeline is no earlier version of this text.
    if (timelines.timeline() === undefined || state.isEmpty()) {
      timelines.trouble();
      state.broken(message, range);
    } else {
      state.keep();
      showBroken(message, range);
    }
  }

  /** A schedule without a pipeline has no order for its shape, or its text has an error. */
  function showUnplanned({ message, range, ofShape }: ScheduleProblem, name: string): void {
    const { plan } = timelines.timeline() ?? {};
    // What is shown is an earlier version of the text, not another shape.
    if (plan?.name === name && page.cover.shown() === undefined && (!ofShape || file.isShape(plan)))
      return showError(message, range);
    timelines.trouble();
    page.notice.whole();
    state.unplanned(name, message, range);
  }

  function enter(next: string): void {
    if (uri !== undefined && uri !== next) leaveFile();
    uri = next;
  }

  function leaveFile(): void {
    timelines.clear();
    player.leave();
    file.forget();
    page.showJobs([]);
    workers.close();
    comparing.close();
    planning.leave();
    searching.close();
    input.selection.clear();
    input.why.clear();
    sensing.clear();
    input.rows.clear();
    highlighted.set([], []);
    page.toolbar.missing(undefined);
    page.notice.waiting();
    state.untried();
    state.clear();
  }

  function exportShown(): void {
    const shown = file.pipeline();
    if (shown !== undefined) editor.post({ type: 'export', pipeline: shown.name, state: update.state() });
  }

  /** `range`: what is wrong, in this file. */
  function showBroken(message: string, range?: Range): void {
    timelines.trouble();
    const { line, character } = range?.start ?? { line: 0, character: 0 };
    page.notice.broken(
      range === undefined ? message : `line ${line + 1}: ${message}`,
      timelines.timeline() !== undefined,
      range === undefined ? undefined : () => editor.post({ type: 'goto', line, character }),
    );
  }

  function showUnrun(message: string): void {
    file.forget();
    showBroken(message);
  }

  function exchanged(next: ShownTimeline, before: ShownTimeline | undefined, newest: boolean): void {
    input.selection.carry(next, before);
    input.why.carry(next, before);
    sensing.shown();
    restore = undefined;
    page.notice.shown();
    player.place();
    const { missing } = next.picture;
    const write = () => editor.post({ type: 'writeMissing', pipeline: next.plan.name });
    page.toolbar.missing(missing, editor.alone ? undefined : write);
    if (missing !== undefined && missing !== before?.picture.missing) page.say(missingSentence(missing));
    if (newest) {
      page.notice.whole();
      state.clear();
    } else if (page.cover.shown() === 'broken') {
      // The text was broken before its first picture came: this is the last valid one.
      state.clear();
      page.notice.broken(trouble, true);
    }
    input.search.again();
    update.figures(newest);
    update.controls();
    input.sync();
    page.arrived(next);
    update.selection();
  }

  return {
    start(): void {
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
        sensing.found();
        planning.changed();
      });
      if (document.body.classList.contains('vscode-using-screen-reader')) page.toggleTable();
      editor.post(saved === undefined ? { type: 'ready' } : { type: 'ready', state: saved });
    },
  };
}
