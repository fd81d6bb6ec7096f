import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { generate } from '../../../engine/schedule/generate.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { memoryPeak } from '../../../engine/simulate/memory.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { withCopies } from '../support/copies.ts';
import { bruteForce, namesOf, programFor, rowsOf, simulated } from './bruteForce.ts';
import { recipePlan } from '../support/plans.ts';
import { policyPlan } from './plans.ts';

const p = fc.integer({ min: 1, max: 8 });
const m = fc.integer({ min: 1, max: 10 });
const k = fc.integer({ min: 1, max: 6 });
const cost = fc.integer({ min: 1, max: 9 });

describe('seq1f1b', () => {
  it('orders forwards by segment and backwards the other way', () => {
    const plan = withCopies(policyPlan('seq1f1b', 2, 2, { args: { segments: 2 } }));
    expect(namesOf(programFor(plan)).map((row) => row.join(' '))).toEqual([
      '0F0.0 0F0.1 0F1.0 0B0.1 0F1.1 0B0.0 0B1.1 0B1.0',
      '1F0.0 1F0.1 1B0.1 1F1.0 1B0.0 1F1.1 1B1.1 1B1.0',
    ]);
  });

  it('with one segment is 1F1B, under its names', () => {
    const plan = policyPlan('seq1f1b', 4, 8, { args: { segments: 1 } });
    expect(namesOf(programFor(withCopies(plan)))).toEqual(namesOf(programFor(policyPlan('1f1b', 4, 8))));
  });

  it('idles (p − 1)(F + B) / k on every device and holds min(m·k, p − s + k − 1) segments, however few the microbatches', () => {
    fc.assert(
      fc.property(p, m, k, cost, cost, cost, (p, m, k, f, i, w) => {
        const { idle, inFlight } = simulated(
          withCopies(policyPlan('seq1f1b', p, m, { f, i, w, args: { segments: k } })),
        );
        for (const value of idle) expect(value).toBeCloseTo(((p - 1) * (f + i + w)) / k, 9);
        expect(inFlight).toEqual(inFlight.map((_, s) => Math.min(m * k, p - s + k - 1)));
      }),
    );
  });

  it('runs for stages and segments of any times, as a plain simulator says', () => {
    const percent = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 2, maxLength: 3 });
    fc.assert(
      fc.property(
        p,
        m,
        percent,
        fc.array(cost, { minLength: 8, maxLength: 8 }),
        fc.nat(3),
        (p, m, few, times, transfer) => {
          const shares = [...few, 100 - few.reduce((sum, value) => sum + value, 0)];
          const plan = withCopies(
            recipePlan({
              microbatches: m,
              schedule: {
                kind: 'policy',
                name: 'seq1f1b',
                args: { segments: shares.length, shares: shares.toReversed(), times: shares },
              },
              forward: times.slice(0, p),
              backwardInput: times.slice(0, p).toReversed(),
              backwardWeight: times.slice(0, p),
              latency: transfer,
              stage: { activationForWeight: 0 },
            }),
          );
          const program = programFor(plan);
          expect(validate(program, plan)).toEqual([]);
          const brute = bruteForce(plan, rowsOf(program));
          expect(simulate(program, timingOf(plan, program))?.makespan).toBeCloseTo(brute?.makespan ?? NaN, 9);
        },
      ),
    );
  });

  it('holds (p − s + k − 1) / k activations beside weights that are there once', () => {
    const [p, m, k] = [4, 8, 4];
    const cut = policyPlan('seq1f1b', p, m, { args: { segments: k } });
    const plan = withCopies({
      ...cut,
      stages: cut.stages.map((stage) => ({ ...stage, weights: 100, activation: 12 })),
    });
    const program = programFor(plan);
    const timeline = simulate(program, timingOf(plan, program));
    if (timeline === undefined) throw new Error('it never ends');
    for (let s = 0; s < p; s += 1)
      expect(memoryPeak(plan, timeline, s).bytes).toBeCloseTo(100 + ((p - s + k - 1) / k) * 12, 9);
  });

  it.each([
    [{ segments: 4, shares: [50, 50] }, 'shares'],
    [{ segments: 2, shares: [60, 60] }, 'shares'],
    [{ segments: 2, times: [100, 0] }, 'times'],
    [{ segments: 300 }, 'segments'],
  ])('says what is wrong with %j', (args, input) => {
    const generated = generate(policyPlan('seq1f1b', 2, 4, { args }));
    expect(generated).toMatchObject({ faults: [{ code: 'schedule/shape', message: expect.stringContaining(input) }] });
  });
});
