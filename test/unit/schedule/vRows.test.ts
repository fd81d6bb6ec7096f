/** Rows of V schedules are searched once for the same times, and again for any other. */
import { expect, test } from 'vitest';
import { answersWithin } from '../../../engine/policies/answers.ts';
import { type Block, repeated, splitBackward } from '../../../engine/policies/orders/vBlocks.ts';
import { vRows } from '../../../engine/policies/orders/vRows.ts';
import { best } from '../../../engine/policies/orders/vSearch.ts';
import { vTimesOf } from '../../../engine/policies/orders/vTimes.ts';
import type { Shape } from '../../../engine/policies/policy.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { recipePlan } from '../support/plans.ts';

interface Times {
  readonly forward?: number;
  readonly backwardInput?: number;
  readonly backwardWeight?: number;
  readonly latency?: number;
}

/** The first stage takes other times than the rest; bytes decide nothing. */
function shape(p: number, m: number, { forward = 2, backwardInput = 2, backwardWeight = 2, latency = 1 }: Times = {}) {
  const stages = Array.from({ length: 2 * p }, (_, stage) => stage);
  const times = (first: number): readonly number[] => stages.map((stage) => (stage === 0 ? first : 1));
  const plan = recipePlan({
    microbatches: m,
    schedule: { kind: 'policy', name: 'v_half', args: {} },
    forward: times(forward),
    backwardInput: times(backwardInput),
    backwardWeight: times(backwardWeight),
    latency,
    placement: stages.map((stage) => (stage < p ? stage : 2 * p - 1 - stage)),
    stage: { activationForWeight: 0 },
  });
  return shapeOf(plan);
}

/** The building block of V-Half. */
const block = (device: number, devices: number): Block => {
  const extra = devices % 2 === 0 ? 3 : 0;
  const [start, later] = [3 * devices + extra, 6 * devices + extra];
  return [2 * device, 3 * devices - device - 2, start + 2 * device - 1, later - device - 2];
};
const searched = (of: Shape) =>
  best(
    Array.from({ length: of.devices }, (_, device) => block(device, of.devices)),
    of.microbatches,
    vTimesOf(of, splitBackward),
  );

test('the same times have the same rows, without another search', () => {
  const rowsOf = vRows(splitBackward, block);
  const rows = rowsOf(shape(3, 6));
  expect(rowsOf(shape(3, 6))).toBe(rows);
  expect(rows).toEqual(searched(shape(3, 6)));
});

test('every time counts, and so do devices and microbatches', () => {
  const rowsOf = vRows(splitBackward, block);
  const shapes = [
    shape(3, 6),
    shape(2, 6),
    shape(3, 5),
    shape(3, 6, { forward: 5 }),
    shape(3, 6, { backwardInput: 5 }),
    shape(3, 6, { backwardWeight: 5 }),
    shape(3, 6, { latency: 3 }),
    shape(3, 6, { forward: 1, backwardInput: 1, backwardWeight: 1, latency: 0 }),
  ];
  const found = shapes.map(rowsOf);
  expect(new Set(found).size).toBe(shapes.length);
  expect(found).toEqual(shapes.map(searched));
});

test('the answer that was asked for longest ago goes first, and one stays however large it is', () => {
  const answers = answersWithin<number>(10, (size) => size);
  answers.keep('a', 4);
  answers.keep('b', 5);
  expect(answers.known('a')).toBe(4);
  answers.keep('c', 6);
  expect(['a', 'b', 'c'].map((key) => answers.known(key))).toEqual([4, undefined, 6]);
  answers.keep('c', 7);
  expect(['a', 'c'].map((key) => answers.known(key))).toEqual([undefined, 7]);
  answers.keep('d', 99);
  expect(['c', 'd'].map((key) => answers.known(key))).toEqual([undefined, 99]);
  answers.keep('e', 3);
  expect(['d', 'e'].map((key) => answers.known(key))).toEqual([undefined, 3]);
});

test.each([[[0, 6, 7, 8]], [[0, 1, 2, 14]], [[0, 1, NaN, 3]]])(
  'a block with two operations in one slot is refused: %j',
  (slots) => {
    const [f0, f1, i1, i0] = slots;
    const good: Block = [0, 1, 2, 3];
    expect(() => repeated([good, [f0, f1, i1, i0]], 3, splitBackward)).toThrow(/of device 1 must differ modulo 6/);
    expect(repeated([good], 3, splitBackward)[0].row).toHaveLength(18);
  },
);
