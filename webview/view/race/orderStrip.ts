import { element, setText } from '../../controls/dom.ts';
import {
  gapOf,
  isShorter,
  isWorthwhile,
  newestPoint,
  orderSentence,
  type OrderSearch,
} from '../../session/orderWords.ts';
import { drawOrderChart } from './orderChart.ts';

/** What the strip shows of a search. */
export interface OrderStripState {
  /** Undefined before anything is known. */
  readonly search: OrderSearch | undefined;
  /** Why there is no newer result, in a sentence; empty for none. */
  readonly note: string;
  /** It is of an earlier text. */
  readonly outdated: boolean;
  /** The best order is on show in the timeline, and what it changes is marked. */
  readonly shown: boolean;
  readonly marked: boolean;
  /** Effort of the next longer search; undefined if there is none. */
  readonly longer: number | undefined;
  /** A search runs; it was stopped by the reader. */
  readonly running: boolean;
  readonly stopped: boolean;
}

export interface OrderStripActions {
  keep(): void;
  show(): void;
  mark(): void;
  searchLonger(): void;
  stop(): void;
  again(): void;
}

const act = (text: string, onClick: () => void, className = ''): HTMLButtonElement => {
  const made = element('button', { type: 'button', class: `act ${className}`.trim() }, text);
  made.addEventListener('click', onClick);
  return made;
};

/** A search for a shorter order: what the best one takes over the work that was done, what is proven, and what can be done with it. */
export function orderStrip(actions: OrderStripActions) {
  const chart = element('div', { class: 'order-chart' });
  const sentence = element('p', { class: 'order-sentence' });
  const note = element('p', { class: 'order-note dim' });
  const keep = act('Keep this order', actions.keep);
  const show = act('Show', actions.show);
  const mark = act('Show what changed', actions.mark);
  const longer = act('Search longer', actions.searchLonger);
  const again = act('Search again', actions.again);
  const stop = act('Stop', actions.stop);
  const buttons = element('div', { class: 'acts' }, keep, show, mark, longer, again, stop);
  const box = element('div', { class: 'order' }, chart, sentence, note, buttons);
  let now: OrderStripState | undefined;
  /** Of the chart that is drawn, so that a wait between two sizes draws nothing anew. */
  let width = 0;

  function draw(): void {
    if (now?.search === undefined || newestPoint(now.search) === undefined) return chart.replaceChildren();
    width = chart.clientWidth;
    if (width > 0) chart.replaceChildren(drawOrderChart(now.search, width));
  }
  new ResizeObserver(() => {
    if (chart.clientWidth !== width) draw();
  }).observe(chart);

  return {
    element: box,
    update(next: OrderStripState): void {
      const { search, outdated, shown, marked } = next;
      const drawn = now?.search;
      now = next;
      if (drawn?.state !== search?.state || drawn?.end !== search?.end) draw();
      box.classList.toggle('outdated', outdated);
      box.setAttribute('aria-busy', String(next.running));
      setText(sentence, search === undefined ? (next.note === '' ? 'Searching …' : '') : orderSentence(search));
      setText(note, next.note);
      note.hidden = next.note === '';
      sentence.hidden = sentence.textContent === '';
      const held = document.activeElement;
      const better = search !== undefined && isShorter(search);
      const useful = better && !outdated;
      keep.hidden = !useful || search.end === undefined;
      keep.disabled = search?.end?.keeps !== true;
      keep.classList.toggle('primary', search !== undefined && isWorthwhile(search));
      show.hidden = !useful && !shown;
      setText(
        show,
        shown ? 'Back to the file' : search?.end === undefined ? 'Show as it gets better' : 'Show in the timeline',
      );
      show.setAttribute('aria-pressed', String(shown));
      mark.hidden = !shown;
      mark.setAttribute('aria-pressed', String(marked));
      const isOver = search?.end !== undefined && !next.stopped;
      longer.hidden = !isOver || outdated || next.longer === undefined || (gapOf(search) ?? 0) === 0;
      setText(longer, `Search longer (effort ${next.longer ?? 0})`);
      again.hidden = !next.stopped;
      stop.hidden = !next.running;
      // A button that is gone hands the focus on.
      if (held instanceof HTMLButtonElement && held.hidden && buttons.contains(held)) focus();
    },
    focus,
  };

  function focus(): void {
    const first = [keep, show, longer, again, stop].find((each) => !each.hidden && !each.disabled);
    (first ?? box.closest<HTMLElement>('[tabindex]'))?.focus({ preventScroll: true });
  }
}
