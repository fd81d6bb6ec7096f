import { expect, it } from 'vitest';
import { analyse } from '../../support/analyse.ts';
import * as fc from '../../support/property.ts';
import { breaches } from '../flow/holds.ts';
import { anySchedule } from './anySequence.ts';
import { pipelineOf, written } from './written.ts';

it('a row stands for what a plain interpreter makes of it', () => {
  fc.assert(
    fc.property(
      anySchedule,
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 4 }),
      ({ lets, row }, devices, microbatches) => {
        const text = pipelineOf(`schedule mine { ${lets}  row(d) = ${row.text} }`, { devices, microbatches });
        const expected = Array.from({ length: devices }, (_, d) =>
          row
            .units({ devices, microbatches, d })
            .map((unit) => unit.map((name) => `${d}${name}`).join('& '))
            .join(' '),
        );
        expect(written(text), text).toEqual(expected);
      },
    ),
    { numRuns: 50 },
  );
});

/** Rows that are often valid: an order of forwards and one of backwards, shifted against each other. */
const shifted = fc
  .record({
    chunks: fc.integer({ min: 1, max: 3 }),
    group: fc.constantFrom('1', '2', 'devices', 'microbatches'),
    reversed: fc.boolean(),
    descending: fc.boolean(),
    split: fc.boolean(),
    warm: fc.constantFrom(
      '0',
      'devices - d',
      '2 * (devices - 1 - d) + (chunks - 1) * group',
      'microbatches * chunks',
      'd + 1',
    ),
    joins: fc.constantFrom(
      'zip(drop(warm(d), ahead), back)',
      'drop(warm(d), ahead), back',
      'zip(back, drop(warm(d), ahead))',
      'back, drop(warm(d), ahead)',
    ),
    require: fc.constantFrom('', 'require mod(microbatches, group) == 0', 'require microbatches >= devices'),
  })
  .map(({ chunks, group, reversed, descending, split, warm, joins, require }) => {
    const j = descending ? 'group - 1..0 step -1' : '0..<group';
    const c = reversed ? 'chunks - 1..0 step -1' : '0..<chunks';
    const backward = split ? 'I[g * group + j, chunk = c], W[g * group + j, chunk = c]' : 'B[g * group + j, chunk = c]';
    return `schedule mine {
  param chunks = ${chunks} in 1..16
  param group = ${group} in 1..64
  ${require}
  placement = loop(chunks)
  let groups = ceil(microbatches / group)
  let ahead = each(g in 0..<groups, each(c in 0..<chunks, each(j in 0..<group, F[g * group + j, chunk = c])))
  let back = each(g in 0..<groups, each(c in ${c}, each(j in ${j}, ${backward})))
  let warm(d) = ${warm}
  row(d) = take(warm(d), ahead), ${joins}
}`;
  });

it('a random schedule runs with figures that add up, or says why not; its test says the same', () => {
  let ran = 0;
  fc.assert(
    fc.property(
      shifted,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 8 }),
      (schedule, devices, microbatches) => {
        const chunks = Number(/chunks = (\d)/.exec(schedule)?.[1]);
        const pipeline = pipelineOf(schedule, { devices, microbatches, stages: devices * chunks });
        expect(breaches(pipeline, 'in turn'), pipeline).toEqual([]);
        const analysis = analyse(
          `${pipeline}expect mine { over(devices = ${devices}, microbatches = ${microbatches})  valid }`,
        );
        const [run] = analysis.pipelines.map((evaluation) => evaluation.run);
        const [verdict] = analysis.tests.flatMap(({ answer }) => answer.verdicts.map((shape) => shape.verdict));
        expect(verdict === 'passed', pipeline).toBe(run !== undefined);
        if (run !== undefined) ran += 1;
      },
    ),
    { numRuns: 25 },
  );
  expect(ran).toBeGreaterThan(0);
});
