import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { policies } from '../../../engine/policies/registry.ts';
import { namesOf, programFor } from './bruteForce.ts';
import { policyPlan } from './plans.ts';

const range = (letter: string, from: number, to: number, d: number): string[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => `${d}${letter}${from + index}`);

/** One of each in turn; what is left over follows. */
const zip = (...lists: readonly string[][]): string[] =>
  Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, at) =>
    lists.flatMap((list) => list.slice(at, at + 1)),
  ).flat();

/** The rows of a schedule's source for a device, read as the language defines them. */
function rowOf(source: string, d: number, stages: number, microbatches: number): string[] {
  const [, body = ''] = /row\(d\) = ([\s\S]*)$/.exec(source) ?? [];
  const script = body.replace(/([FBIW])\[([^\]]*?)\.\.<([^\]]*)\]/g, 'range("$1", $2, $3, d)');
  const evaluate = new Function(
    'range',
    'zip',
    'min',
    'max',
    'd',
    'stages',
    'microbatches',
    `return [${script}].flat();`,
  );
  return evaluate(range, zip, Math.min, Math.max, d, stages, microbatches);
}

describe('the source of a policy', () => {
  const written = policies.flatMap(({ name, source }) => (source === undefined ? [] : [{ name, source }]));
  it('is there for each whose rows need no table', () => {
    expect(written.map(({ name }) => name)).toEqual(['gpipe', '1f1b', 'eager_1f1b', 'dapple', 'zb_h1', 'zb_h2']);
  });
  for (const { name, source } of written) {
    it(`gives the rows of ${name}`, () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 24 }), (p, m) => {
          const rows = namesOf(programFor(policyPlan(name, p, m)));
          expect(rows.map((_, d) => rowOf(source, d, p, m))).toEqual(rows);
        }),
        { numRuns: 300 },
      );
    });
  }
});
