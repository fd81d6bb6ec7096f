import { choice } from '../../controls/toolkit.ts';
import { element, setText } from '../../controls/dom.ts';
import { iconButton } from '../../controls/iconButton.ts';
import type { StripImage } from '../../session/racing.ts';
import type { RaceOrder, Standings } from '../../session/standings.ts';
import type { RaceAgainst } from '../../protocol/messages.ts';
import type { StripRequest } from '../../worker/messages.ts';
import type { Theme } from '../scene/theme.ts';
import { onMeasureChange } from '../onMeasureChange.ts';
import { type RaceAxis, raceRuler, stripHeight, stripStart } from './raceStrip.ts';
import { raceRow, type RaceRowActions } from './raceRow.ts';

export type RaceTab = 'policies' | 'pipelines' | 'versions';

export interface RaceViewActions extends RaceRowActions {
  tab(tab: RaceTab): void;
  /** A version, or another file, joins. */
  against(against: Exclude<RaceAgainst, 'policies'>): void;
  order(order: RaceOrder): void;
  /** The timeline under the pointer, or with the focus; −1 for none. */
  attend(id: number): void;
  draw(strips: readonly StripRequest[]): void;
  /** Brings back what was left out. */
  showAll(): void;
  close(): void;
}

/** A device of a timeline. */
interface Outline {
  readonly id: number;
  readonly device: number;
}

export interface RaceState {
  readonly title: string;
  readonly tab: RaceTab;
  readonly order: RaceOrder;
  readonly standings: Standings;
  readonly theme: Theme;
  /** More pipelines than one are in the file. */
  readonly several: boolean;
  /** Schedules that were left out. */
  readonly leftOut: number;
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
  const heading = element('h2');
  const tabs = choice<RaceTab>(
    'Compare with',
    [
      ['policies', 'Policies'],
      ['pipelines', 'Pipelines'],
      ['versions', 'Versions'],
    ],
    actions.tab,
  );
  const order = choice<RaceOrder>(
    'Sort by',
    [
      ['iteration', 'Iteration'],
      ['bubble', 'Bubble'],
      ['peak', 'Peak'],
    ],
    actions.order,
  );
  const align = choice<'start' | 'end'>(
    'Align',
    [
      ['start', 'Start'],
      ['end', 'End'],
    ],
    (value) => {
      aligned = value;
      redraw();
    },
  );
  const saved = versionButton('Last saved', 'saved');
  const committed = versionButton('Last commit', 'committed');
  const file = versionButton('Another file…', 'file');
  const versions = element('div', { class: 'race-versions' }, saved, committed, file);
  const all = element('button', { type: 'button', class: 'race-version' });
  all.addEventListener('click', () => {
    actions.showAll();
    scroller.focus();
  });
  const bar = element(
    'div',
    { class: 'race-bar-top' },
    heading,
    iconButton('close', 'Back to the timeline (Esc)', actions.close),
    tabs.element,
    labelled('sort by', order.element),
    labelled('align', align.element),
    all,
  );
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
  const box = element('section', { class: 'race', 'aria-label': 'Compare' }, bar, versions, scroller, sentence);
  const rows = new Map<number, ReturnType<typeof raceRow>>();
  let state: RaceState | undefined;
  let aligned: 'start' | 'end' = 'start';
  let cursor: number | undefined;
  let outlined: Outline | undefined;

  align.setValue('start');
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

  function versionButton(label: string, against: Exclude<RaceAgainst, 'policies'>): HTMLButtonElement {
    const made = element('button', { type: 'button', class: 'race-version' }, label);
    made.addEventListener('click', () => actions.against(against));
    return made;
  }

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
      const { standings, tab } = next;
      setText(heading, `Compare ${next.title}`);
      tabs.setValue(tab);
      tabs.setShown('pipelines', next.several);
      order.setValue(next.order);
      versions.hidden = tab !== 'versions';
      all.hidden = next.leftOut === 0;
      setText(all, `Show ${next.leftOut} more`);
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

const labelled = (text: string, control: HTMLElement): HTMLElement =>
  element('span', { class: 'race-label' }, element('span', { class: 'dim', 'aria-hidden': 'true' }, text), control);
