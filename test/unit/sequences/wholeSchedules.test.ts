/** Random schedules of the whole language: rows, clock tables, blocks, rules, copies, parts, declared operations. */
import { expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { analyse } from '../../support/analyse.ts';
import * as fc from '../../support/property.ts';
import { breachesOf } from '../flow/holds.ts';
import { anyWhole } from './anyWhole.ts';
import { pipelineOf } from './written.ts';

it('runs with figures that add up or says why not, whatever a schedule says', () => {
  let ran = 0;
  let tests = 0;
  fc.assert(
    fc.property(anyWhole, (text) => {
      const analysis = analyse(text);
      // Some have dozens of findings, each with fixes that simulate as many texts.
      expect(breachesOf(analysis, 'in turn', {}), text).toEqual([]);
      const { pipelines, tests: tested } = analysis;
      if (pipelines.some(({ run }) => run !== undefined)) ran += 1;
      tests += tested.length;
    }),
    { numRuns: 80 },
  );
  // A fair share runs, and most of the tests of schedules do.
  expect(ran).toBeGreaterThan(0);
  expect(tests).toBeGreaterThan(5);
});

it('refuses a loop of a thousand million before it takes memory', () => {
  const limits = { ...defaultOptions.limits, operations: 1000 };
  for (const row of ['repeat(1000000000, F[0])', 'F[0..<1000000000]', 'each(a in 0..<1000000000, F[a], B[a])']) {
    const { findings } = analyse(pipelineOf(`schedule mine { row(d) = ${row} }`), {
      options: { ...defaultOptions, limits },
    });
    expect(findings.map(({ code }) => code)).toContain('limit/too-large');
  }
});
