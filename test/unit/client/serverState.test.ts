import { expect, test } from 'vitest';
import { restartAfter, restartLimit } from '../../../client/serverState.ts';

/** Whether each of these ends is followed by another start. */
function restarts(times: readonly number[]): readonly boolean[] {
  let ends: readonly number[] = [];
  return times.map((now) => {
    const next = restartAfter(ends, now);
    ends = next.ends;
    return next.restart;
  });
}

test('a server that crashes in a loop is left alone after the limit', () => {
  const times = Array.from({ length: restartLimit.count + 2 }, (_, index) => index * 1000);
  expect(restarts(times)).toEqual([...Array(restartLimit.count).fill(true), false, false]);
});

test('a server that crashes now and then is always started again', () => {
  const gap = restartLimit.windowMs / restartLimit.count + 1;
  const times = Array.from({ length: 50 }, (_, index) => index * gap);
  expect(restarts(times).every(Boolean)).toBe(true);
});
