import { keyOf, type TornadoRow } from '../../../engine/analyze/tornado.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import type { SlowdownWords } from '../../../engine/analyze/slowdownWords.ts';
import { count } from '../../../engine/basics/quantities.ts';
import { element, setText } from '../../controls/dom.ts';
import { kindForward, kindInput } from '../../picture/columns.ts';
import type { TornadoBars } from '../../session/tornadoBars.ts';
import { css } from '../scene/colour.ts';
import type { Theme } from '../scene/theme.ts';
import { slowdownList } from './slowdownList.ts';
import { tornadoRow } from './tornadoRow.ts';

export interface TornadoActions {
  /** Shows the stage, the device or the link of a row. */
  choose(row: TornadoRow): void;
  /** Simulates a large pipeline, which is not done unasked, or goes on. */
  start(): void;
  stop(): void;
}

/** How far the simulation is. */
export interface TornadoProgress {
  readonly what: 'parts' | 'slowdown';
  readonly done: number;
  readonly of: number;
  /** The reader has stopped it. */
  readonly stopped: boolean;
}

/** What the panel shows: what is known so far, what it would take, or that nothing can be known. */
export type TornadoState =
  | {
      readonly kind: 'rows';
      readonly bars: TornadoBars;
      /** Letters of the longest name of all parts. */
      readonly longest: number;
      readonly slowdown: readonly SlowdownWords[];
      /** Absent once all is known. */
      readonly progress?: TornadoProgress;
    }
  | { readonly kind: 'waiting'; readonly of: number; readonly operations: number }
  | { readonly kind: 'none' };

export interface TornadoSetting {
  readonly plan: PipelinePlan;
  /** Iterations run into each other, so the figure is the time between them. */
  readonly period: boolean;
  readonly theme: Theme;
}

/** Rows that are shown before the rest is folded. */
const mostRows = 12;

/** What the iteration is sensitive to: a bar to either side for each stage, link and device. */
export function tornado(actions: TornadoActions) {
  const lead = element('p', { class: 'dim' });
  const status = element('span', { role: 'status' });
  const progress = element('progress', { 'aria-label': 'Simulated' });
  const button = element('button', { type: 'button', class: 'act' });
  const state = element('div', { class: 'tornado-state' }, status, progress, button);
  const rows = element('ol', { class: 'tornado-rows' });
  const more = element('button', { type: 'button', class: 'link' });
  const legend = element(
    'p',
    { class: 'tornado-legend dim' },
    element('i', { class: 'shorter' }),
    '10 % shorter',
    element('i', { class: 'longer' }),
    '10 % longer',
  );
  const slowdown = slowdownList();
  const box = element('div', { class: 'tornado' }, lead, state, rows, more, legend, slowdown.element);
  let open = false;
  let plan: PipelinePlan | undefined;
  let shown: TornadoBars | undefined;
  let made = new Map<string, ReturnType<typeof tornadoRow>>();

  more.addEventListener('click', () => {
    open = true;
    const next = rows.children.item(mostRows);
    fold();
    next?.querySelector('button')?.focus();
  });
  button.addEventListener('click', () => (button.dataset.does === 'stop' ? actions.stop() : actions.start()));
  rows.addEventListener('pointerleave', arrange);

  function fold(): void {
    const all = Array.from(rows.children) as HTMLElement[];
    open ||= all.slice(mostRows).some((row) => row.contains(document.activeElement));
    for (const [at, row] of all.entries()) row.hidden = !open && at >= mostRows;
    more.hidden = open || all.length <= mostRows;
    setText(more, `… ${all.length - mostRows} more`);
    more.setAttribute('aria-label', `Show ${all.length - mostRows} more rows`);
  }

  /** Rows by their effect. Under the pointer they stay, and what is new comes last. */
  function arrange(): void {
    const wanted = (shown?.bars ?? []).flatMap(({ row }) => made.get(keyOf(row.target))?.element ?? []);
    const wantedRows = new Set<Element>(wanted);
    const kept = new Set(rows.matches(':hover') ? Array.from(rows.children).filter((row) => wantedRows.has(row)) : []);
    const order = [...kept, ...wanted.filter((row) => !kept.has(row))];
    for (const [at, row] of order.entries()) {
      const there = rows.children.item(at);
      if (there !== row) rows.insertBefore(row, there);
    }
    while (rows.children.length > order.length) rows.lastElementChild?.remove();
    fold();
  }

  function fill(bars: TornadoBars): void {
    if (bars === shown) return;
    shown = bars;
    box.style.setProperty('--axis', String(bars.axis));
    const before = made;
    made = new Map(
      bars.bars.map((bar) => {
        const key = keyOf(bar.row.target);
        const row = before.get(key) ?? tornadoRow(actions.choose);
        row.update(bar);
        return [key, row];
      }),
    );
    arrange();
  }

  /** Nothing that is drawn is of another plan. */
  function turnTo(next: PipelinePlan): void {
    if (next === plan) return;
    plan = next;
    shown = undefined;
  }

  function updateState(next: TornadoState): void {
    const running = next.kind === 'rows' ? next.progress : undefined;
    setText(status, statusText(next));
    const does =
      next.kind === 'waiting' || running?.stopped === true ? 'start' : running === undefined ? 'nothing' : 'stop';
    const held = document.activeElement === button;
    button.dataset.does = does;
    button.hidden = does === 'nothing';
    setText(button, does === 'stop' ? 'Stop' : next.kind === 'waiting' ? 'Simulate' : 'Go on');
    progress.hidden = does !== 'stop';
    // A short simulation shows no progress: it would only flicker.
    state.classList.toggle('running', does === 'stop');
    progress.max = running?.of ?? 1;
    progress.value = running?.done ?? 0;
    if (held && button.hidden) focusFirst();
  }

  const focusFirst = (): void => {
    const first = button.hidden ? rows.querySelector<HTMLElement>('li:not([hidden]) button') : button;
    (first ?? box.closest<HTMLElement>('.side'))?.focus();
  };

  return {
    element: box,
    update(next: TornadoState, setting: TornadoSetting): void {
      const { period, theme } = setting;
      turnTo(setting.plan);
      box.style.setProperty('--shorter', css(theme.kinds[kindForward]));
      box.style.setProperty('--longer', css(theme.kinds[kindInput]));
      setText(
        lead,
        `Change of the ${period ? 'period' : 'iteration'} if a time is 10 % shorter or longer, in the same order.`,
      );
      if (next.kind === 'rows') {
        box.style.setProperty('--names', String(Math.min(16, Math.max(4, next.longest))));
        fill(next.bars);
      } else {
        shown = undefined;
        open = false;
        made = new Map();
        rows.replaceChildren();
        fold();
      }
      rows.hidden = rows.children.length === 0;
      legend.hidden = rows.hidden;
      slowdown.update(next.kind === 'rows' ? next.slowdown : [], period);
      updateState(next);
    },
    /** Moves the focus to the first row, or to the panel. `late`: only if the panel has the focus. */
    focus(late: boolean): void {
      const side = box.closest<HTMLElement>('.side');
      if (late && document.activeElement !== side) return;
      if (button.dataset.does === 'stop') side?.focus();
      else focusFirst();
    },
  };
}

function statusText(state: TornadoState): string {
  switch (state.kind) {
    case 'waiting':
      return `${count(state.of, 'part', 'parts')} of ${count(state.operations, 'operation', 'operations')} in all: this may take a while.`;
    case 'none':
      return 'This pipeline cannot be simulated.';
    case 'rows': {
      const { bars, progress } = state;
      if (progress !== undefined) return progress.stopped ? stoppedText(progress) : runningText(progress);
      if (bars.bars.length === 0) return 'No part changes it by 0.1 % or more.';
      if (bars.folded === 0) return `${count(bars.bars.length, 'part', 'parts')} simulated`;
      return `${count(bars.folded, 'other', 'others')} under 0.1 %`;
    }
  }
}

const runningText = ({ what }: TornadoProgress): string =>
  what === 'parts' ? 'Simulating each part …' : 'Comparing with equal stages …';

const stoppedText = ({ what, done, of }: TornadoProgress): string =>
  what === 'parts'
    ? `Stopped. ${done} of ${count(of, 'part', 'parts')} are simulated: another part may have more effect.`
    : 'Stopped before the figures of the slowdown.';
