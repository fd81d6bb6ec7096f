import { describe, expect, test } from 'vitest';
import { predictionsOf } from '../../../../engine/analyze/prediction.ts';
import { predicted } from '../../../../engine/policies/builtin/xpipe.ts';
import { asynchronousPlan, run, settled, stalenessOf } from './plans.ts';

const shapes = [1, 2, 3, 4, 6, 8].flatMap((p) => [1, 2, 3, 4, 7, 8].map((m) => [p, m] as const));
const equal = { forward: [1], backwardInput: [0.5], backwardWeight: [0.5] };

describe.each(shapes)('p = %i, M = %i', (p, m) => {
  const ran = run(asynchronousPlan({ name: 'xpipe', stages: p, microbatches: m, ...equal }));
  const found = predictionsOf(ran.timeline) ?? [];

  // In slots of equal length stage r ends P + M − ⌊r / 2⌋ − 2 backwards between the first forward of a minibatch and its return.
  test('the forward is predicted as far ahead as the closed form says', () => {
    for (let stage = 0; stage < p; stage += 1)
      expect(found[stage].forward).toBe(predicted({ stages: p, microbatches: m }, stage).forward);
  });

  // The closed form rounds half a stage down where the timeline has it up: for odd stages it is one microbatch short.
  test('the backward is predicted (M + ⌈r / 2⌉ − 1) / M updates ahead', () => {
    for (let stage = 0; stage < p; stage += 1) {
      expect(found[stage].backward).toBe(Math.round((m + Math.ceil(stage / 2) - 1) / m));
      if (stage % 2 === 0)
        expect(found[stage].backward).toBe(predicted({ stages: p, microbatches: m }, stage).backward);
    }
  });

  test('one version and one predicted copy; late by the minibatches that P − 1 − r microbatches reach back', () => {
    for (let stage = 0; stage < p; stage += 1) {
      expect(ran.versions.most[stage]).toBe(1);
      expect(ran.versions.copies).toBe(1);
      const late = p - 1 - stage;
      const expected = new Set(Array.from({ length: m }, (_, j) => -Math.floor((j - late) / m)));
      expect(stalenessOf(ran, stage)).toEqual([...expected].sort((a, b) => a - b));
    }
  });
});

test('a schedule that predicts nothing has no predictions', () => {
  expect(predictionsOf(run(asynchronousPlan({ name: 'pipedream', stages: 3 })).timeline)).toBeUndefined();
});

test('slow backwards and transfers change what must be predicted', () => {
  const slow = run(
    asynchronousPlan({ name: 'xpipe', stages: 4, microbatches: 1, forward: [1], backwardInput: [8], latency: 30 }),
  );
  const fast = run(asynchronousPlan({ name: 'xpipe', stages: 4, microbatches: 1, ...equal }));
  expect(predictionsOf(slow.timeline)).not.toEqual(predictionsOf(fast.timeline));
  expect(settled(slow, 0, (slot) => slow.versions.read[slot]).length).toBeGreaterThan(1);
});
