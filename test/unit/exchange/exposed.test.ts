import type { Exposed } from '../../../engine/values/exchangeTimeline.ts';
import { describe, expect, test } from 'vitest';
import { addExposed, exposedTotal, noExposed } from '../../../engine/simulate/exchange/exposed.ts';
import { laneBound } from '../../../engine/simulate/exchange/laneBound.ts';
import { delaysOf, runLane } from '../../../engine/simulate/exchange/lane.ts';
import { chainOf, waitsOf } from './period.ts';
import * as fc from '../../support/property.ts';
import { aChain } from './arbitraries.ts';
import { collective, iteration, MB, MiB, ms, problemOf, type Rule, servers, type TensorLayer } from './chains.ts';

const layer = (megabytes: number): TensorLayer => ({ forward: ms, backward: ms, bytes: megabytes * MB });
const toy = [layer(10), layer(10), layer(40)];

function exposed(layers: readonly TensorLayer[], call: ReturnType<typeof collective>, rule: Rule): Exposed {
  const problem = problemOf(layers, call, rule);
  const run = runLane(problem);
  const { end } = chainOf(layers, 1);
  const into = noExposed();
  addExposed(into, problem.tensors, run, waitsOf({ ...problem, ...run }, end, rule.barrier ?? true), {
    early: problem.rule.earlyStart,
    sharesLane: problem.rule.halves === 'apart' || call.oneLane === true,
    delays: delaysOf(problem.calls),
  });
  return into;
}

const inMs = (causes: Exposed): Partial<Exposed> =>
  Object.fromEntries(
    Object.entries(causes).flatMap(([cause, seconds]) => {
      const rounded = Math.round(seconds * 1e9) / 1e6;
      return rounded === 0 ? [] : [[cause, rounded]];
    }),
  );

const forward: Rule = { order: 'forward', barrier: false };
const pieces: Rule = { ...forward, partition: 10 * MB, credit: 10 * MB };

describe('why three layers wait', () => {
  test.each<[name: string, rule: Rule, causes: Partial<Exposed>]>([
    // Front is ready at 6 ms, and back is sent until 8.
    ['layer by layer', {}, { blocked: 3, own: 1 }],
    ['ddp', { bucket: 25 * MiB, first: MiB }, { blocked: 2, fused: 1, own: 1 }],
    ['forward: back blocks front', forward, { blocked: 2, own: 1 }],
    ['pieces: front, then back', pieces, { own: 2 }],
    ['with a barrier', { ...pieces, barrier: true }, { own: 1, barrier: 3 }],
    ['acknowledged late', { ...pieces, ack: 0.5 * ms }, { own: 3, blocked: 0.5, credit: 1 }],
    // 6–7 front, 7–8 mid, 8–12 back, which is waited for from 9 on.
    ['started early', { ...forward, bucket: 60 * MB, earlyStart: true, partition: 10 * MB }, { own: 4 }],
    ['cycles', { cycle: 3.5 * ms, fuse: 128 * MiB }, { fused: 5.5, own: 1 }],
  ])('%s', (_, rule, causes) => {
    expect(inMs(exposed(toy, collective(10e9), rule))).toEqual(causes);
  });

  test('calls', () => {
    expect(inMs(exposed(toy, collective(10e9, 0.2 * ms), pieces))).toEqual({ blocked: 0.4, overhead: 0.4, own: 2.4 });
  });

  test('pushes while nothing is pulled', () => {
    expect(inMs(exposed(toy, servers(10e9), forward)).server).toBeGreaterThan(0);
  });
});

test('causes add up to what an iteration takes beyond its operations, and no iteration is under the bound', () => {
  fc.assert(
    fc.property(aChain, ({ layers, call, rule }) => {
      const { end } = chainOf(layers, 1);
      const { period } = iteration(layers, call, rule);
      expect(exposedTotal(exposed(layers, call, rule))).toBeCloseTo(period - end, 9);
      for (const seconds of Object.values(exposed(layers, call, rule))) expect(seconds).toBeGreaterThan(-1e-9);
      const barrier = rule.barrier ?? true;
      const bound = laneBound(problemOf(layers, call, rule), barrier);
      expect(period).toBeGreaterThanOrEqual((barrier ? bound : bound - end) - 1e-9);
    }),
    { numRuns: 500 },
  );
});
