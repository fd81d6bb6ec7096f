/** A rule that says nothing but its buckets is not run on lanes. On lanes it must take as long. */
import { expect, test } from 'vitest';
import { iterationSeconds } from '../../../../engine/values/timeline.ts';
import * as fc from '../../../support/property.ts';
import { fileOf, type Shape } from '../../flow/sync/fixture.ts';
import { runsOf } from './fixture.ts';

const schedules = [
  ['gpipe', 4],
  ['1f1b', 4],
  ['eager_1f1b', 4],
  ['dapple', 4],
  ['interleaved_1f1b(2)', 8],
  ['breadth_first(2)', 8],
  ['hanayo(1)', 8],
  ['zb_h1', 4],
  ['zb_h2', 4],
  ['interleaved_zb(2)', 8],
  ['zb_v', 8],
  ['v_half', 8],
  ['1f1b_v', 8],
  ['dualpipe_v', 8],
  ['seq1f1b(2)', 4],
  ['chimera', 4],
  ['dualpipe', 4],
] as const;

/** Devices run copies of a stage that others have, too. */
const copies: readonly string[] = ['chimera', 'dualpipe'];

const shapes = fc.record({
  schedule: fc.constantFrom(...schedules),
  weights: fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 16 }),
  bucket: fc.constantFrom('', 'bucket = 100MiB', 'bucket = 1000MiB'),
  data: fc.integer({ min: 2, max: 3 }),
  optimizer: fc.constantFrom(
    'adam_mixed',
    'adam_mixed(zero1)',
    'adam_mixed(step = 3ms)',
    'adam_mixed(zero1, step = 3ms)',
  ),
  recompute: fc.constantFrom('none', 'full', 'stage'),
  blocking: fc.boolean(),
});

/** Seconds without lanes, and on lanes. */
function both(
  shape: Shape,
  bucket: string,
  edit: (text: string) => string = (text) => text,
): readonly [number, number] {
  const seconds = (sync: string): number => {
    const { timeline } = [...runsOf(edit(fileOf({ ...shape, sync }))).values()][0];
    return iterationSeconds(timeline);
  };
  return [
    seconds(`overlap(${bucket})`.replace('()', '')),
    seconds(`overlap(${[bucket, 'barrier = true'].filter((each) => each !== '').join(', ')})`),
  ];
}

test('buckets take as long on lanes as without', () => {
  fc.assert(
    fc.property(shapes, ({ schedule: [schedule, stages], bucket, blocking, ...each }) => {
      const blocks = blocking && (schedule === '1f1b' || schedule === 'gpipe');
      const shape = { ...each, transfer: blocks ? 'rendezvous(batched = true)' : 'buffered' };
      fc.pre(shape.weights.some((each) => each > 0));
      const [without, on] = both({ schedule, stages, ...shape }, bucket);
      // Without lanes, copies of a stage gather their weights after the step. Their lane gathers them while the first forwards run.
      if (copies.includes(schedule) && shape.optimizer.includes('zero1')) expect(on).toBeLessThan(without + 1e-9);
      else expect(on).toBeCloseTo(without, 9);
    }),
    { numRuns: 40 },
  );
});
