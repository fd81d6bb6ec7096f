import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findShape, shapes, type ShapeArguments, type ShapeParameter } from '../../../engine/plan/costs/shapes.ts';
import { timeOf } from '../../../engine/plan/costs/time.ts';
import type { LayerSetting } from '../../../engine/plan/costs/types.ts';
import { cost, device, setting } from './settings.ts';

/** An argument as a file may give it: any that its parameter takes. */
function valueOf({ name, kind, words = [], min = 1 }: ShapeParameter): fc.Arbitrary<number | boolean | string> {
  if (kind === 'boolean') return fc.boolean();
  if (kind === 'word') return fc.constantFrom(...words);
  if (kind === 'quantity') return fc.double({ min: 0, max: 1e15, noNaN: true });
  // Numbers that often divide one another, so that many sets of arguments pass the check.
  return name === 'pad'
    ? fc.constantFrom(1, 8, 128)
    : fc.oneof(fc.constantFrom(8, 16, 32, 64), fc.integer({ min, max: 100 }));
}

const any: fc.Arbitrary<{ readonly shape: string; readonly args: ShapeArguments }> = fc
  .constantFrom(...shapes)
  .chain(({ name, parameters }) =>
    fc
      .record(Object.fromEntries(parameters.map((one) => [one.name, valueOf(one)])), {
        requiredKeys: parameters.filter((one) => one.default === undefined).map((one) => one.name),
      })
      .map((args) => ({ shape: name, args })),
  );

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
    fc.property(any, anySetting, ({ shape, args }, at) => {
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
      const time = timeOf(made, at, device({ compute: 1e12, bandwidth: 1e12, tensorBandwidth: 1e9 }));
      for (const one of [time.forward, time.backwardInput, time.backwardWeight, time.recompute])
        expect(one >= 0 && Number.isFinite(one)).toBe(true);
      // One rank of several never holds or computes more than one rank alone.
      const alone = cost(shape, args, { ...at, tensor: 1 });
      expect(made.linearFlops).toBeLessThanOrEqual(alone.linearFlops * (1 + 1e-12) + slackOf(shape, args, at));
    }),
    { numRuns: 3000 },
  );
  expect(passed).toBeGreaterThan(500);
});

/** Padding gives the vocabulary more rows, and a rank computes at least one key and value head. */
const slackOf = (shape: string, args: ShapeArguments, { sequence, microBatch, tensor }: LayerSetting): number =>
  ['lm_head', 'mtp'].includes(shape)
    ? 2 * sequence * microBatch * Number(args['hidden']) * Number(args['pad'] ?? 1) * tensor
    : 0;
