import { describe, expect, it } from 'vitest';
import {
  gapOf,
  gapWords,
  isShorter,
  isWorthwhile,
  orderSentence,
  type OrderSearch,
} from '../../../webview/session/orderWords.ts';

/** A search of a file whose order takes 6.49 s. */
function searchOf(iteration: number, bound: number, end?: OrderSearch['end']): OrderSearch {
  const schedule = { kind: 'policy', name: 'search', args: {} } as const;
  const order = { schedule, words: '', bound: 0, spanBound: 0, effort: 0, work: 0, by: '' };
  const points = [
    [0, 6.6, 6],
    [2, iteration, bound],
  ] as const;
  const state = { effort: 4, mayGoOn: true, schedule: 'zb_auto', iteration: 6.49, points, order };
  return end === undefined ? { state } : { state, end };
}
const within = { status: 'within', fits: true, keeps: true } as const;
const optimal = { ...within, status: 'optimal' } as const;

describe('what a search has come to', () => {
  it('is worth to be written into the file from half a percent on', () => {
    expect(isWorthwhile(searchOf(6.35, 6.3))).toBe(true);
    // 0.3 % shorter.
    expect(isShorter(searchOf(6.47, 6.3))).toBe(true);
    expect(isWorthwhile(searchOf(6.47, 6.3))).toBe(false);
  });

  it('is the saved share and the proven gap', () => {
    // 1 − 6.35 / 6.49 = 2.16 %, 6.35 / 6.30 − 1 = 0.79 %.
    expect(orderSentence(searchOf(6.35, 6.3, within))).toBe(
      '2.2 % shorter than zb_auto, at most 0.8 % above the least possible.',
    );
    expect(gapWords(gapOf(searchOf(6.35, 6.3)) ?? 0)).toBe('gap 0.8 %');
  });

  it('is optimal only if the bound is the makespan, and the search says so', () => {
    expect(orderSentence(searchOf(6.3, 6.3, optimal))).toContain('this one is optimal');
    expect(orderSentence(searchOf(6.49, 6.49, optimal))).toBe(
      'zb_auto is optimal: it is proven that no order that fits is shorter.',
    );
    for (const search of [
      searchOf(6.3, 6.3 - 1e-6, optimal),
      searchOf(6.3, 6.3, within),
      searchOf(6.49, 6.49 - 1e-6, within),
      searchOf(6.3, 0, within),
      searchOf(6.35, 6.3, within),
    ])
      expect(orderSentence(search)).not.toMatch(/optimal|proven/);
    // A gap that reads as 0 % is a gap.
    expect(gapWords(gapOf(searchOf(6.3, 6.3 - 1e-6)) ?? 0)).toBe('gap 0.1 %');
    expect(gapWords(gapOf(searchOf(6.3, 6.3)) ?? 1)).toBe('optimal');
  });

  it('is about orders with whole backwards where only those were searched', () => {
    const search = searchOf(6.49, 6.49, optimal);
    const { state } = search;
    const schedule = { kind: 'policy', name: 'search', args: { backward: 'whole' } } as const;
    const whole = (found: typeof search) => ({
      ...found,
      state: { ...found.state, order: { ...state.order, schedule } },
    });
    expect(orderSentence(whole(search))).toBe(
      'zb_auto is optimal: it is proven that no order with whole backwards that fits is shorter.',
    );
    expect(orderSentence(whole(searchOf(6.35, 6.3, within)))).toMatch(
      /above the least possible with whole backwards\.$/,
    );
  });

  it('is nothing shorter, nothing that fits, or still to come', () => {
    expect(orderSentence(searchOf(6.49, 6.3, within))).toBe(
      'No order is known that is shorter than zb_auto. It is at most 3.1 % above the least possible.',
    );
    expect(isShorter(searchOf(6.49, 6.3))).toBe(false);
    expect(orderSentence(searchOf(6.7, 6.3, within))).toMatch(
      /^No order that fits was found to be as short as zb_auto/,
    );
    expect(orderSentence(searchOf(6.3, 6.2, { ...within, fits: false }))).toMatch(/does not fit the memory/);
    expect(orderSentence(searchOf(6.35, 6.3))).toBe('Searching … 2.2 % shorter than zb_auto so far.');
    expect(orderSentence(searchOf(6.5, 6.3))).toBe('Searching …');
  });
});
