/**
 * Every policy of the registry over a grid and over random shapes: what it takes runs, and what it does not take it says, with
 * values that do.
 */
import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import type { PolicyArgument } from '../../../engine/values/plan.ts';
import type { Policy, PolicyArguments } from '../../../engine/policies/policy.ts';
import { policies } from '../../../engine/policies/registry.ts';
import { argumentOf, holds } from './gridCase.ts';

const devices = [1, 2, 3, 4, 8];
const microbatches = [1, 2, 3, 5, 8, 32];
/** Operations of a case on the grid, so that all of it takes seconds. */
const most = 1_500;

/** Without arguments, then one at a time: each word, and numbers from the least on. */
function argumentSets({ parameters }: Policy): readonly PolicyArguments[] {
  return [
    {},
    ...parameters.flatMap(({ name, kind, words = [], min = 1 }) => {
      const numbers = kind === 'integer' ? [min, min + 1, min + 3] : [];
      return [...words, ...numbers].map((value): PolicyArguments => ({ [name]: value }));
    }),
  ];
}

describe.each(policies.map((policy) => [policy.name, policy] as const))('%s', (_, policy) => {
  test('takes the grid or says what it would take', () => {
    const seen = { ran: 0, mended: 0, refused: 0 };
    for (const [index, args] of argumentSets(policy).entries()) {
      for (const p of devices) {
        for (const m of microbatches) {
          // All of the grid without arguments; with one, a diagonal of it.
          if (index > 0 && (p + m + index) % 8 !== 0) continue;
          if (p * policy.chunks(args) * m * 3 > most) continue;
          const costs = [[1, 1, 1] as const];
          seen[holds({ policy, p, m, args, costs, latency: 0 })] += 1;
        }
      }
    }
    expect(seen.ran).toBeGreaterThan(0);
  });

  test('takes random shapes or says what it would take', () => {
    const cost = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 16 }),
        fc.integer({ min: 1, max: 64 }),
        fc.array(fc.option(fc.nat(1000), { freq: 2 }), { minLength: 8, maxLength: 8 }),
        fc.array(fc.tuple(cost, cost, cost), { minLength: 1, maxLength: 7 }),
        fc.constantFrom(0, 1, 500, 5000),
        (p, m, picks, costs, latency) => {
          const args: Record<string, PolicyArgument> = {};
          for (const [index, parameter] of policy.parameters.entries()) {
            const pick = picks[index % picks.length];
            const value = pick === null ? undefined : argumentOf(parameter, p, pick);
            if (value !== undefined) args[parameter.name] = value;
          }
          fc.pre(p * policy.chunks(args) * m * 3 <= most);
          holds({ policy, p, m, args, costs, latency });
        },
      ),
      { numRuns: 10 },
    );
  });
});
