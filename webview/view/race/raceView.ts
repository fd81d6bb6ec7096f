import { element, setText } from '../../controls/dom.ts';
import type { StripImage } from '../../session/racing.ts';
import type { Standings } from '../../session/standings.ts';
import type { StripRequest } from '../../worker/messages.ts';
import type { Theme } from '../scene/theme.ts';
import { onMeasureChange } from '../onMeasureChange.ts';
import { raceControls, type RaceControlActions, type RaceControlState } from './raceControls.ts';
import { type RaceAxis, raceRuler, stripHeight, stripStart } from './raceStrip.ts';
import { raceRow, type RaceRowActions } from './raceRow.ts';

export interface RaceViewActions extends RaceRowActions, Omit<RaceControlActions, 'align'> {
  /** The timeline under the pointer, or with the focus; −1 for none. */
  attend(id: number): void;
  draw(strips: readonly StripRequest[]): void;
}

/** A device of a timeline. */
interface Outline {
  readonly id: number;
  readonly device: number;
}

export interface RaceState extends RaceControlState {
  readonly standings: Standings;
  readonly theme: Theme;
}

/** Names of the columns, and how they are shown: some for screen readers only. */
const columnNames = [
  ['schedule', 'race-unseen'],
  ['timeline', 'race-axis race-unseen'],
  ['iteration', ''],
  ['bubble', ''],
  ['peak memory', ''],
  ['adopt', 'race-unseen'],
] as const;

/** Timelines under each other on one axis, with their figures and differences. */
export function raceView(actions: RaceViewActions) {
  const controls = raceControls({
    ...actions,
    align(value) {
      aligned = value;
      redraw();
    },
    showAll() {
      actions.showAll();
      scroller.focus();
    },
  });
  const ruler = raceRuler();
  const columns = columnNames.map(([name, kind]) =>
    element('div', { role: 'columnheader', class: kind }, element('span', {}, name)),
  );
  columns[1].append(ruler.element);
  const head = element('div', { role: 'row', class: 'race-row race-columns' }, ...columns);
  const body = element('div', { role: 'rowgroup', class: 'race-body' });
  const table = element('div', { role: 'table', class: 'race-table', 'aria-label': 'Comparison' }, head, body);
  const sentence = element('p', { class: 'race-sentence', role: 'status' });
  const scroller = element(
    'div',
    { class: 'race-scroll', tabindex: '0', 'aria-label': 'Comparison', role: 'region' },
    table,
  );
  const box = element(
    'section',
    { class: 'race', 'aria-label': 'Compare' },
    controls.bar,
    controls.versions,
    scroller,
    sentence,
  );
  const rows = new Map<number, ReturnType<typeof raceRow>>();
  let state: RaceState | undefined;
  let aligned: 'start' | 'end' = 'start';
  let cursor: number | undefined;
  let outlined: Outline | undefined;

  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    actions.close();
  });
  scroller.addEventListener('pointermove', ({ clientX }) => point(clientX));
  scroller.addEventListener('pointerleave', () => {
    point(undefined);
    actions.attend(runnerOf(document.activeElement));
  });
  for (const event of ['pointerover', 'focusin'] as const)
    scroller.addEventListener(event, ({ target }) => actions.attend(runnerOf(target)));
  onMeasureChange(scroller, redraw);

  const stripWidth = () => Math.max(0, Math.floor(columns[1].clientWidth));

  function axis(): RaceAxis {
    const { longest = 0, baseline } = state?.standings ?? {};
    return { longest, align: aligned, baseline: baseline?.figures?.makespan, cursor };
  }

  function point(x: number | undefined): void {
    const { left, width } = columns[1].getBoundingClientRect();
    const { longest } = axis();
    const next =
      x === undefined || x < left || x > left + width || width === 0 ? undefined : ((x - left) / width) * longest;
    if (next === cursor) return;
    cursor = next;
    paint();
  }

  function paint(): void {
    if (state === undefined) return;
    const width = stripWidth();
    const shared = axis();
    ruler.paint(shared, state.theme, width);
    for (const standing of state.standings.rows) {
      const height = stripHeight(standing.figures?.rows ?? 0);
      const device = outlined?.id === standing.runner.id ? outlined.device : undefined;
      rows.get(standing.runner.id)?.strip.paint(standing, shared, state.theme, { width, height }, device);
    }
  }

  function redraw(): void {
    if (state === undefined) return;
    const width = stripWidth();
    const shared = axis();
    const dpr = devicePixelRatio;
    const strips = state.standings.rows.flatMap(({ runner, figures }): StripRequest[] => {
      if (figures === undefined || width === 0) return [];
      const t0 = stripStart(figures.makespan, shared);
      const height = Math.round(stripHeight(figures.rows) * dpr);
      return [{ id: runner.id, width: Math.round(width * dpr), height, t0, t1: t0 + shared.longest }];
    });
    actions.draw(strips);
    paint();
  }

  return {
    element: box,
    focus: () => scroller.focus(),
    update(next: RaceState): void {
      state = next;
      const { standings } = next;
      controls.update(next);
      const wanted = standings.rows.map(({ runner }) => runner.id);
      for (const id of rows.keys()) if (!wanted.includes(id)) rows.delete(id);
      const elements = standings.rows.map((standing) => {
        const { id } = standing.runner;
        const row = rows.get(id) ?? raceRow(id, actions);
        rows.set(id, row);
        row.update(standing, standings);
        return row.element;
      });
      if (elements.some((row, index) => body.children[index] !== row) || body.children.length !== elements.length)
        arrange(body, elements);
      redraw();
    },
    /** What the comparison comes to; `outline`: a device of a timeline that is behind it. */
    say(text: string, outline: Outline | undefined): void {
      setText(sentence, text);
      if (outline?.id === outlined?.id && outline?.device === outlined?.device) return;
      outlined = outline;
      paint();
    },
    image(drawn: StripImage): void {
      rows.get(drawn.id)?.strip.image(drawn);
      paint();
    },
  };
}

/** The timeline that a part of the page belongs to; −1 for none. */
const runnerOf = (target: EventTarget | null): number =>
  Number((target instanceof Element ? target.closest<HTMLElement>('[data-runner]') : null)?.dataset.runner ?? -1);

/** Puts rows in order; the one with the focus keeps it. If its row is gone, the baseline has it: the focus stays in the list. */
function arrange(body: HTMLElement, elements: readonly HTMLElement[]): void {
  const focus = document.activeElement;
  const inside = body.contains(focus);
  body.replaceChildren(...elements);
  if (!inside || !(focus instanceof HTMLElement)) return;
  if (body.contains(focus)) focus.focus({ preventScroll: true });
  else body.querySelector<HTMLElement>('.race-name[aria-pressed="true"]')?.focus();
}
