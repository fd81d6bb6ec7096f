import * as fc from '../../support/property.ts';
import { expect, test } from 'vitest';
import { findShape, type ShapeArguments } from '../../../engine/costs/shapes.ts';
import { timeOf } from '../../../engine/costs/time.ts';
import type { LayerSetting } from '../../../engine/costs/types.ts';
import { anyShape } from './arbitrary.ts';
import { cost, device, setting, tensorRing } from './settings.ts';

const anySetting: fc.Arbitrary<LayerSetting> = fc
  .record({
    sequence: fc.constantFrom(1, 7, 512),
    microBatch: fc.constantFrom(1, 3),
    precision: fc.constantFrom('bf16', 'fp32'),
    tensor: fc.constantFrom(1, 2, 4, 8),
    sequenceParallel: fc.boolean(),
    recompute: fc.constantFrom('none', 'selective', 'full', 'stage'),
  })
  .map((over) => setting(over));

test('every shape that its check passes has finite costs, and recomputation only moves bytes', () => {
  let passed = 0;
  fc.assert(
    fc.property(anyShape, anySetting, ({ shape, args }, at) => {
      const problem = findShape(shape)?.check?.(args, at);
      if (problem !== undefined) {
        expect(problem).toMatch(/^[^.]+$/);
        return;
      }
      passed += 1;
      const made = cost(shape, args, at);
      const numbers = Object.entries(made).filter(([, one]) => typeof one === 'number');
      for (const [name, one] of numbers) expect(one >= 0 && Number.isFinite(one), `${name} is ${one}`).toBe(true);
      const none = cost(shape, args, { ...at, recompute: 'none' });
      expect(made.activation + made.recomputed).toBeCloseTo(none.activation + none.recomputed, 3);
      expect(made).toMatchObject({ parameters: none.parameters, linearFlops: none.linearFlops, output: none.output });
      const time = timeOf(made, at, device({ compute: 1e12, bandwidth: 1e12, ...tensorRing(1e9) }));
      for (const value of [time.forward, time.backwardInput, time.backwardWeight, time.recompute])
        expect(value >= 0 && Number.isFinite(value)).toBe(true);
      // One rank of several never holds or computes more than one rank alone.
      const alone = cost(shape, args, { ...at, tensor: 1 });
      expect(made.linearFlops).toBeLessThanOrEqual(alone.linearFlops * (1 + 1e-12) + slackOf(shape, args, at));
    }),
    { numRuns: 1500 },
  );
  expect(passed).toBeGreaterThan(250);
});

/** Padding gives the vocabulary more rows, and a rank computes at least one key and value head. */
const slackOf = (shape: string, args: ShapeArguments, { sequence, microBatch, tensor }: LayerSetting): number =>
  ['lm_head', 'mtp'].includes(shape)
    ? 2 * sequence * microBatch * Number(args['hidden']) * Number(args['pad'] ?? 1) * tensor
    : 0;
