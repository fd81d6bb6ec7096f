import { paths } from '../engine/plan/plan.ts';
import { deviceOf } from './blocks.ts';
import { element, setText } from './dom.ts';
import { type Exhibit, carrySelection, sentence } from './exhibit.ts';
import { gestures } from './gestures.ts';
import type { Host } from './host.ts';
import { keyboard } from './keyboard.ts';
import { banner } from './panels/banner.ts';
import { detail } from './panels/detail.ts';
import { grid } from './panels/grid.ts';
import { header } from './panels/header.ts';
import { help } from './panels/help.ts';
import { legend } from './panels/legend.ts';
import { params } from './panels/params.ts';
import { statistics } from './panels/statistics.ts';
import { table } from './panels/table.ts';
import { tooltip } from './panels/tooltip.ts';
import { pickAt, rangeOf } from './pick.ts';
import { presenter } from './presenter.ts';
import type { PreviewState, ToPage } from './protocol/messages.ts';
import { noRings, ringsFor } from './rings.ts';
import { rowShape } from './rowShape.ts';
import type { Selection, Target } from './scene.ts';
import { find, parseQuery } from './search.ts';
import { session } from './session.ts';
import { pathOf } from './source.ts';
import { stage } from './stage.ts';
import { currentTheme, onThemeChange, paintFrom } from './theme.ts';
import { clampView, fitAll, reveal, showRange, timeAt } from './view.ts';
import type { ColourBy } from './worker/draw.ts';

/** The page: what is shown, and how its parts act on one another. */
export function app(place: HTMLElement, open: (receive: (message: ToPage) => void) => Host) {
  const host = open(receive);
  const { saved } = host;
  let restore = saved;
  let uri: string | undefined;
  let theme = currentTheme();
  let by: ColourBy = saved?.colours ?? 'operation';
  let criticalPath = saved?.criticalPath ?? true;
  let bubbles = true;
  let memory = true;
  let selection: Selection | undefined;
  let hovered: Target | undefined;
  let cursor: number | undefined;
  let focus = 0;
  let highlighted: readonly string[] = [];
  let found: Int32Array = new Int32Array(0);
  let query = '';

  const file = session(
    {
      post: host.post,
      run: (plan, { options }) => show.run(plan, options),
      broken: showBroken,
      whole: hideBroken,
      changed: updateControls,
    },
    saved,
  );
  const top = header({
    colourBy: (value) => {
      by = value;
      recolour();
    },
    criticalPath: setCriticalPath,
    search: setQuery,
    fit: () => show.setView(fitAll(show.bounds())),
    table: toggleTable,
    help: () => keys.open(),
    openSource: () => revealSource(undefined, false),
    pipeline: file.choose,
  });
  const controls = params({
    turn: file.turn,
    reset: file.reset,
    apply: (name, value) => host.post({ type: 'apply', name, value }),
  });
  const warning = banner();
  const figures = statistics();
  const canvas = stage();
  const bottom = detail();
  const signs = legend();
  const tip = tooltip();
  const keys = help();
  const list = table((block) => {
    select({ kind: 'block', block }, true);
    revealSource(selection, true);
  });
  const status = element('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
  const empty = element('p', { class: 'empty' }, 'Simulating…');
  const center = element('section', { class: 'stage', 'aria-label': 'Timeline' });

  const show = presenter(canvas, {
    size: () => ({ width: center.clientWidth, height: center.clientHeight }),
    memoryShown: () => memory,
    firstView: ({ makespan }) => {
      if (restore?.uri !== uri || restore?.t0 === undefined || restore.t1 === undefined) return undefined;
      if (restore.rowHeight === undefined || restore.t0 >= makespan) return undefined;
      return { t0: restore.t0, t1: restore.t1, scroll: restore.scroll ?? 0, rowHeight: restore.rowHeight };
    },
    paint: (chunk) => paintFrom(theme, by, chunk),
    scene: (of, view, layout) => ({
      ...of,
      theme,
      view,
      layout,
      shape: rowShape(view.rowHeight),
      by,
      criticalPath,
      bubbles,
      selection,
      cursor,
      hovered,
      rings: highlighted.length === 0 ? noRings : ringsFor(of.plan, highlighted),
      found,
      dpr: devicePixelRatio,
    }),
    shown: exchanged,
    viewChanged: () => {
      hands.sync();
      save();
    },
    impossible: (reasons) => {
      file.forget();
      showBroken(reasons.join(' ') || 'This pipeline cannot be simulated.');
    },
    failed: (reason) => {
      file.forget();
      showBroken(`The preview could not work this out: ${reason}.`);
      host.post({ type: 'error', message: reason });
    },
    drew: (milliseconds) => {
      center.dataset.milliseconds = milliseconds.toFixed(2);
    },
  });

  const cells = grid(
    keyboard({
      exhibit: show.exhibit,
      view: show.view,
      bounds: show.bounds,
      selection: () => selection,
      focus: () => focus,
      found: () => found,
      setView: show.setView,
      select: (next) => select(next, true),
      reveal: (preserveFocus) => revealSource(selection, preserveFocus),
      focusSearch: () => top.focusSearch(),
      toggle: (what) => {
        if (what === 'critical') setCriticalPath(!criticalPath);
        else if (what === 'table') toggleTable();
        else if (what === 'help') keys.open();
        else if (what === 'bubbles') {
          bubbles = !bubbles;
          show.paintOver();
        } else {
          memory = !memory;
          show.measure();
        }
      },
    }),
  );
  const hands = gestures(canvas.surface, {
    view: show.view,
    layout: show.layout,
    bounds: show.bounds,
    setView: show.setView,
    hover,
    leave: () => hover(-1, -1),
    click,
    doubleClick: (x, y) => {
      const [exhibit, view, at] = [show.exhibit(), show.view(), pick(x, y)];
      if (at.kind !== 'target' || exhibit === undefined || view === undefined) return;
      const { start, end } = exhibit.picture.columns;
      const { target } = at;
      const [from, to] =
        target.kind === 'block' ? [start[target.block], end[target.block]] : [target.gap.from, target.gap.to];
      show.setView(showRange(view, from, to));
    },
    range: (x0, y0, x1, y1, done) => {
      const view = show.view();
      if (view === undefined) return;
      tip.hide();
      select({ kind: 'range', ...rangeOf(view, show.layout(), show.bounds(), [x0, y0], [x1, y1]) }, false, done);
    },
  });

  function receive(message: ToPage): void {
    if (message.type === 'highlight') {
      highlighted = message.paths;
      show.paintOver();
      return;
    }
    if (uri !== undefined && uri !== message.uri) leaveFile();
    uri = message.uri;
    if (message.type === 'plan') file.receive(message);
    else showBroken(message.message);
  }

  function leaveFile(): void {
    show.clear();
    file.forget();
    selection = undefined;
    highlighted = [];
    hovered = undefined;
    tip.hide();
    place.classList.add('blank');
    setText(empty, 'Simulating…');
    empty.hidden = false;
  }

  function showBroken(message: string): void {
    const kept = show.exhibit() !== undefined;
    show.overtake();
    place.classList.toggle('stale', kept);
    warning.show(kept ? `${message} Below is the last timeline that could be simulated.` : message);
    if (!kept) setText(empty, 'There is nothing to show yet.');
    announce(message);
  }

  function hideBroken(): void {
    warning.hide();
    place.classList.remove('stale');
  }

  function exchanged(next: Exhibit, before: Exhibit | undefined, newest: boolean): void {
    selection = before === undefined ? undefined : carrySelection(selection, before.picture, next.picture);
    const last = Math.max(0, next.picture.columns.word.length - 1);
    focus = selection?.kind === 'block' ? selection.block : Math.min(focus, last);
    restore = undefined;
    hovered = undefined;
    tip.hide();
    empty.hidden = true;
    place.classList.remove('blank');
    if (newest) hideBroken();
    figures.update(next.plan, next.picture, theme);
    signs.update(theme, by, next.plan.microbatches);
    canvas.sentence(sentence(next));
    if (query !== '') setQuery(query);
    updateControls();
    hands.sync();
    center.dataset.generation = String(next.picture.generation);
    announce(sentence(next));
    updateSelection();
  }

  function recolour(): void {
    const exhibit = show.exhibit();
    signs.update(theme, by, exhibit?.plan.microbatches ?? 0);
    if (exhibit !== undefined) figures.update(exhibit.plan, exhibit.picture, theme);
    show.repaint();
    updateControls();
    updateSelection();
  }

  function updateControls(): void {
    const message = file.message();
    const plan = file.pipeline();
    controls.update(file.params(), file.overrides());
    if (message !== undefined && plan !== undefined) {
      const shown = show.exhibit()?.plan;
      const names = message.plan.pipelines.map((one) => one.name);
      top.update(message.title, shown?.name === plan.name ? shown : plan, names, by, criticalPath);
    }
    save();
  }

  function updateSelection(): void {
    const scene = show.scene();
    if (scene === undefined) return;
    bottom.update(scene);
    cells.update(scene, focus);
    if (list.isOpen()) list.update(scene);
    show.paintOver();
  }

  function select(next: Selection | undefined, follow: boolean, speak = true): void {
    selection = next;
    const [exhibit, view] = [show.exhibit(), show.view()];
    if (next?.kind === 'block' && exhibit !== undefined && view !== undefined) {
      focus = next.block;
      const { start, end } = exhibit.picture.columns;
      const device = deviceOf(exhibit.picture, next.block);
      const moved = reveal(view, show.bounds(), device, start[next.block], end[next.block]);
      const still = JSON.stringify(clampView(moved, show.bounds())) === JSON.stringify(view);
      if (follow && !still) show.setView(moved);
    }
    updateSelection();
    if (speak && next?.kind === 'range') announce(bottom.text());
  }

  function pick(x: number, y: number) {
    const [exhibit, view] = [show.exhibit(), show.view()];
    if (exhibit === undefined || view === undefined) return { kind: 'nothing' } as const;
    return pickAt(exhibit.picture, view, show.layout(), x, y);
  }

  function hover(x: number, y: number): void {
    const at = pick(x, y);
    const view = show.view();
    const { left, plot, ruler } = show.layout();
    const outside = view === undefined || x < left || x > left + plot || y < ruler.y;
    hovered = at.kind === 'target' ? at.target : undefined;
    cursor = outside ? undefined : timeAt(view, plot, x - left);
    const scene = show.scene();
    if (hovered === undefined || scene === undefined) tip.hide();
    else tip.show(scene, hovered, x, y);
    show.paintOver();
  }

  function click(x: number, y: number): void {
    const at = pick(x, y);
    const plan = show.exhibit()?.plan;
    if (at.kind === 'device' && plan !== undefined)
      host.post({ type: 'reveal', path: paths.device(plan.name, at.device), preserveFocus: true });
    if (at.kind === 'target') {
      select(at.target, false);
      revealSource(at.target, true);
    } else select(undefined, false);
    cells.focus();
  }

  function revealSource(of: Selection | undefined, preserveFocus: boolean): void {
    const exhibit = show.exhibit();
    if (exhibit !== undefined)
      host.post({ type: 'reveal', path: pathOf(exhibit.plan, exhibit.picture, of), preserveFocus });
  }

  function setQuery(text: string): void {
    query = text;
    const exhibit = show.exhibit();
    const parsed = parseQuery(text);
    const searching = text.trim() !== '';
    const runs = searching && exhibit !== undefined && typeof parsed !== 'string';
    found = runs ? find(exhibit.plan, exhibit.picture, parsed) : new Int32Array(0);
    const words = typeof parsed === 'string' ? parsed : `${found.length.toLocaleString('en-US')} found`;
    top.found(searching ? words : '');
    show.paintOver();
  }

  function setCriticalPath(value: boolean): void {
    criticalPath = value;
    updateControls();
    show.paintOver();
  }

  function toggleTable(): void {
    const scene = show.scene();
    if (scene !== undefined) list.update(scene);
    if (!list.toggle()) cells.focus();
  }

  let speaking: ReturnType<typeof setTimeout> | undefined;
  function announce(text: string): void {
    clearTimeout(speaking);
    speaking = setTimeout(() => setText(status, text), 300);
  }

  function save(): void {
    const [of, view] = [uri, show.view()];
    if (of === undefined || view === undefined) return;
    const settings = { colours: by, criticalPath, overrides: file.overrides() };
    host.save((): PreviewState => ({
      uri: of,
      pipeline: file.pipeline()?.name,
      ...(show.view() ?? view),
      ...settings,
    }));
  }

  return {
    start(): void {
      center.append(canvas.element, cells.element, list.element, tip.element, empty);
      const parts = [top, controls, warning, figures, { element: center }, bottom, signs, { element: status }, keys];
      place.replaceChildren(...parts.map((part) => part.element));
      controls.element.hidden = true;
      recolour();
      new ResizeObserver(show.measure).observe(center);
      const onScale = () =>
        matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener(
          'change',
          () => {
            show.measure();
            onScale();
          },
          { once: true },
        );
      onScale();
      onThemeChange(() => {
        theme = currentTheme();
        recolour();
      });
      if (document.body.classList.contains('vscode-using-screen-reader')) toggleTable();
      host.post(saved === undefined ? { type: 'ready' } : { type: 'ready', state: saved });
    },
  };
}
