import type { TornadoRow } from '../../../engine/analyze/tornado.ts';
import { count } from '../../../engine/quantities.ts';
import { element, setText } from '../../controls/dom.ts';
import { kindForward, kindInput } from '../../picture/columns.ts';
import type { BarSpan, TornadoBar, TornadoBars } from '../../session/tornadoBars.ts';
import { css } from '../scene/colour.ts';
import type { Theme } from '../scene/theme.ts';

export interface TornadoActions {
  /** Shows the stage, the device or the link of a row. */
  choose(row: TornadoRow): void;
  /** Simulates a large pipeline, which is not done unasked. */
  start(): void;
}

/** What the panel shows: bars, how far the simulation is, or why there are none. */
export type TornadoState =
  | { readonly kind: 'bars'; readonly bars: TornadoBars }
  | { readonly kind: 'running'; readonly done: number; readonly of: number }
  | { readonly kind: 'waiting'; readonly of: number; readonly operations: number }
  | { readonly kind: 'none' };

/** Rows that are shown before the rest is folded. */
const mostRows = 12;

/** What the iteration is sensitive to: a bar to either side for each stage, link and device. */
export function tornado(actions: TornadoActions) {
  const lead = element('p', { class: 'dim' });
  const rows = element('ol', { class: 'tornado-rows' });
  const status = element('p', { role: 'status' });
  const more = element('button', { type: 'button', class: 'link' });
  const start = element('button', { type: 'button', class: 'act' }, 'Simulate');
  const legend = element(
    'p',
    { class: 'tornado-legend dim' },
    element('i', { class: 'shorter' }),
    '10 % shorter',
    element('i', { class: 'longer' }),
    '10 % longer',
  );
  const box = element('div', { class: 'tornado' }, lead, rows, more, status, start, legend);
  let open = false;
  let shown: TornadoBars | undefined;

  more.addEventListener('click', () => {
    open = true;
    const next = rows.children.item(mostRows);
    fold();
    next?.querySelector('button')?.focus();
  });
  start.addEventListener('click', actions.start);

  function fold(): void {
    const all = Array.from(rows.children) as HTMLElement[];
    for (const [at, row] of all.entries()) row.hidden = !open && at >= mostRows;
    more.hidden = open || all.length <= mostRows;
    setText(more, `… ${all.length - mostRows} more`);
    more.setAttribute('aria-label', `Show ${all.length - mostRows} more rows`);
  }

  function fill(bars: TornadoBars): void {
    if (bars === shown) return;
    const held = Array.from(rows.children).findIndex((row) => row.contains(document.activeElement));
    shown = bars;
    const longest = bars.bars.reduce((most, { row }) => Math.max(most, row.name.length), 0);
    box.style.setProperty('--names', String(Math.min(16, Math.max(4, longest))));
    box.style.setProperty('--axis', String(bars.axis));
    rows.replaceChildren(...bars.bars.map(rowOf));
    fold();
    if (held >= 0) rows.children.item(held)?.querySelector('button')?.focus();
  }

  function rowOf(bar: TornadoBar): HTMLElement {
    const { row, shorter, longer, shorterText, longerText, words } = bar;
    // Both to the same side: one above the other.
    const crossed = shorter.from < longer.to && longer.from < shorter.to;
    const [low, high] = shorter.from <= longer.from ? [shorterText, longerText] : [longerText, shorterText];
    const track = element(
      'span',
      { class: crossed ? 'track crossed' : 'track' },
      spanOf('shorter', shorter),
      spanOf('longer', longer),
      figureOf('low', low, Math.min(shorter.from, longer.from)),
      ' ',
      figureOf('high', high, Math.max(shorter.to, longer.to)),
    );
    const made = element(
      'button',
      // What is seen is in the name.
      { type: 'button', 'aria-label': `${row.name} ${low} ${high}. ${words}`, title: words, 'data-row': row.name },
      element('span', { class: 'name' }, row.name),
      ' ',
      track,
    );
    made.addEventListener('click', () => actions.choose(row));
    return element('li', {}, made);
  }

  return {
    element: box,
    /** `period`: iterations run into each other, so the figure is the time between them. */
    update(state: TornadoState, period: boolean, theme: Theme): void {
      box.style.setProperty('--shorter', css(theme.kinds[kindForward]));
      box.style.setProperty('--longer', css(theme.kinds[kindInput]));
      setText(
        lead,
        `Change of the ${period ? 'period' : 'iteration'} if a time is 10 % shorter or longer, in the same order.`,
      );
      const bars = state.kind === 'bars' ? state.bars : undefined;
      if (bars === undefined) {
        shown = undefined;
        rows.replaceChildren();
        open = false;
        fold();
      } else fill(bars);
      rows.hidden = bars === undefined || bars.bars.length === 0;
      legend.hidden = rows.hidden;
      start.hidden = state.kind !== 'waiting';
      setText(status, statusText(state));
      status.hidden = status.textContent === '';
    },
    /** Moves the focus to the first row, or to the panel. `late`: only if the panel has the focus. */
    focus(late: boolean): void {
      const side = box.closest<HTMLElement>('.side');
      if (late && document.activeElement !== side) return;
      (box.querySelector<HTMLElement>('button:not([hidden])') ?? side)?.focus();
    },
  };
}

function statusText(state: TornadoState): string {
  switch (state.kind) {
    case 'running':
      return `Simulating ${state.done + 1} of ${state.of} …`;
    case 'waiting':
      return `${count(state.of, 'part', 'parts')} of ${count(state.operations, 'operation', 'operations')} in all: this may take a while.`;
    case 'none':
      return 'This pipeline cannot be simulated.';
    case 'bars': {
      const { bars, folded } = state.bars;
      if (bars.length === 0) return 'No part changes it by 0.1 % or more.';
      return folded === 0 ? '' : `${count(folded, 'other', 'others')} under 0.1 %`;
    }
  }
}

function spanOf(kind: 'shorter' | 'longer', { from, to }: BarSpan): HTMLElement {
  const made = element('i', { class: kind });
  made.style.setProperty('--from', String(from));
  made.style.setProperty('--length', String(to - from));
  return made;
}

/** A figure at the end of a bar. */
function figureOf(side: 'low' | 'high', text: string, at: number): HTMLElement {
  const made = element('span', { class: `figure-text ${side}` }, text);
  made.style.setProperty('--at', String(at));
  return made;
}
