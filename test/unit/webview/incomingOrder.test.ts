import { describe, expect, it } from 'vitest';
import { readMessage } from '../../../webview/session/incoming.ts';

const order = {
  schedule: { kind: 'policy', name: 'search', args: { effort: 4, placement: 'v_shape' } },
  words: 'AAEC',
  bound: 10,
  spanBound: 8,
  effort: 0.5,
  work: 0.7,
  by: 'moves',
};
const state = { effort: 4, mayGoOn: true, schedule: '1f1b', iteration: 2, points: [[0, 2, 1]], order };
const end = { status: 'within', fits: true, keeps: false };
const bare = { type: 'order', request: 3 };

describe('what the page is told of a search', () => {
  it('is taken as it is', () => {
    const stopped = { ...end, stopped: true };
    const entry = { type: 'entry', request: 3, index: 0, name: 'saved', adoptable: false };
    expect(readMessage({ ...entry, order })).toEqual({ ...entry, order });
    expect(readMessage({ ...entry, order: { ...order, words: '<b>' } })).toEqual(entry);
    for (const message of [
      { ...bare, state, end: stopped },
      { ...bare, state },
      { ...bare, state, end },
      { ...bare, reason: 'it has no flush' },
      bare,
    ])
      expect(readMessage(message)).toEqual(message);
    expect(readMessage({ type: 'findOrder', extra: 1 })).toEqual({ type: 'findOrder' });
  });

  it('is left out if a part of it is none', () => {
    for (const wrong of [
      { ...state, points: [] },
      { ...state, points: [[0, 2]] },
      { ...state, points: [[0, null, 1]] },
      { ...state, points: [[0, -1, 1]] },
      { ...state, iteration: 'long' },
      { ...state, order: { ...order, words: '<b>' } },
      { ...state, order: { ...order, schedule: { ...order.schedule, name: 'gpipe' } } },
      { ...state, order: { ...order, schedule: { ...order.schedule, args: { effort: {} } } } },
      { ...state, order: { ...order, risk: { p95: 1 } } },
      { ...state, order: undefined },
    ])
      expect(readMessage({ ...bare, state: wrong, end })).toEqual(bare);
    expect(readMessage({ ...bare, state, end: { ...end, stopped: 'yes' } })).toEqual({ ...bare, state });
    expect(readMessage({ ...bare, state, end: { ...end, status: 'best' } })).toEqual({ ...bare, state });
    expect(readMessage({ type: 'order', state })).toBeUndefined();
  });
});
