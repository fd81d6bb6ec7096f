import { expect, test } from 'vitest';
import { createFreshness } from '../../../client/preview/freshness.ts';
import type { PlannedAnswer } from '../../../webview/protocol/requests.ts';

/** A server that answers, and time that passes, when a test says so. */
function held(refreshing: Promise<void> = Promise.resolve()) {
  const asked: ((answer: PlannedAnswer | undefined) => void)[] = [];
  const told: boolean[] = [];
  let pass: (() => void) | undefined;
  let shown = 'old';
  let refreshed = 0;
  const freshness = createFreshness({
    planned: () => new Promise((resolve) => asked.push(resolve)),
    shown: () => shown,
    refresh: () => {
      refreshed += 1;
      shown = 'new';
      return refreshing;
    },
    tell: (late) => told.push(late),
    later(act) {
      pass = act;
      return () => {
        pass = undefined;
      };
    },
  });
  return {
    freshness,
    asked,
    told,
    refreshed: () => refreshed,
    waits: () => pass !== undefined,
    pass: () => pass?.(),
    async answer(at: number, answer?: PlannedAnswer) {
      asked[at]?.(answer);
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    },
  };
}

test('an edit that is planned soon says nothing, and gives the page a plan only if it is another one', async () => {
  const same = held();
  same.freshness.edited(2);
  await same.answer(0, { version: 2, key: 'old' });
  expect([same.told, same.refreshed(), same.waits()]).toEqual([[], 0, false]);
  const other = held();
  other.freshness.edited(2);
  await other.answer(0, { version: 2, key: 'new' });
  expect([other.told, other.refreshed()]).toEqual([[], 1]);
});

test('fifty keystrokes ask one question at a time, and end at the last text', async () => {
  const { freshness, asked, told, answer, pass, refreshed } = held();
  for (let version = 2; version <= 51; version += 1) freshness.edited(version);
  expect(asked).toHaveLength(1);
  pass();
  expect(told).toEqual([true]);
  // The plan of a text in the middle: still not the newest one.
  await answer(0, { version: 20, key: 'middle' });
  expect([asked.length, told, refreshed()]).toEqual([2, [true], 1]);
  await answer(1, { version: 51, key: 'new' });
  expect([asked.length, told]).toEqual([2, [true, false]]);
});

test('a server without an answer, and one that answers the same for ever, end the wait', async () => {
  for (const second of [undefined, { version: 3, key: 'old' }]) {
    const { freshness, asked, told, answer, pass } = held();
    freshness.edited(4);
    pass();
    await answer(0, { version: 3, key: 'old' });
    await answer(1, second);
    expect([asked.length, told]).toEqual([2, [true, false]]);
    // The next edit begins anew.
    freshness.edited(5);
    expect(asked).toHaveLength(3);
  }
});

test('another file drops what was asked for the one before', async () => {
  const { freshness, asked, told, answer, pass, refreshed } = held();
  freshness.edited(2);
  pass();
  freshness.forget();
  expect(told).toEqual([true, false]);
  freshness.edited(1);
  expect(asked).toHaveLength(2);
  await answer(0, { version: 9, key: 'new' });
  expect([refreshed(), asked.length]).toEqual([0, 2]);
  await answer(1, { version: 1, key: 'old' });
  expect(told).toEqual([true, false]);
});

test('another file is not said to be planned by the plan of the one before', async () => {
  let come = (): void => {};
  const { freshness, told, answer, pass } = held(
    new Promise((resolve) => {
      come = resolve;
    }),
  );
  freshness.edited(2);
  await answer(0, { version: 2, key: 'new' });
  freshness.forget();
  freshness.edited(1);
  pass();
  come();
  await answer(-1);
  expect(told).toEqual([true]);
});
