import { describe, expect, test } from 'vitest';
import { fuseForEnd, fuseForTails } from '../../../engine/simulate/exchange/best/fusion.ts';
import { settleLane } from '../../../engine/simulate/exchange/best/settle.ts';
import { finishOf } from '../../../engine/simulate/exchange/best/tried.ts';
import { laneBound } from '../../../engine/simulate/exchange/laneBound.ts';
import { runLane } from '../../../engine/simulate/exchange/lane.ts';
import type { ExchangeRule } from '../../../engine/values/exchangePlan.ts';
import { chainOf, periodOf } from './period.ts';
import * as fc from '../../support/property.ts';
import { aChain } from './arbitraries.ts';
import { collective, MB, MiB, ms, problemOf, type Rule, type TensorLayer } from './chains.ts';

const layer = (megabytes: number): TensorLayer => ({ forward: ms, backward: ms, bytes: megabytes * MB });
const toy = [layer(10), layer(10), layer(40)];
const rule: ExchangeRule = {
  name: 'overlap',
  order: 'ready',
  bucket: 'layer',
  partition: 'whole',
  credit: 'unlimited',
  strict: false,
  ack: 0,
  barrier: true,
  earlyStart: false,
  halves: 'together',
};
const pace: ExchangeRule = {
  ...rule,
  order: 'tail',
  bucket: 'best',
  partition: 'at_preemption',
  credit: 'piece',
  barrier: false,
};

/** The lane of a chain under a rule that leaves choices: seconds of an iteration, its bound, and the choices. */
const manyLayers = fc.array(
  fc.record({ forward: fc.nat(5), backward: fc.nat(5), bytes: fc.integer({ min: 1, max: 40 }) }),
  { minLength: 15, maxLength: 18 },
);

function settled(layers: readonly TensorLayer[], call: ReturnType<typeof collective>, given: ExchangeRule) {
  const start = problemOf(layers, call, {});
  const chosen = settleLane(start, given, start);
  const problem = { ...start, ...chosen };
  const { end } = chainOf(layers, 1);
  const run = runLane(problem);
  const bound = laneBound(problem, given.barrier);
  return {
    ...chosen,
    period: periodOf({ ...run, tail: problem.tail }, end, given.barrier ? { optimizer: 0 } : undefined),
    bound: given.barrier ? bound : bound - end,
  };
}

describe('buckets that are best', () => {
  test('with 0.5 ms a call: back, then mid with front', () => {
    const { period, closes, exact } = settled(toy, collective(10e9, 0.5 * ms), { ...rule, bucket: 'best' });
    expect(period / ms).toBeCloseTo(11, 9);
    expect([...closes]).toEqual([1, 0, 1]);
    expect(exact).toBe(true);
  });

  test('PACE', () => {
    expect(settled(toy, collective(10e9), pace).period / ms).toBeCloseTo(8, 9);
    const withCalls = settled(toy, collective(10e9, 0.5 * ms), pace);
    expect(withCalls.period / ms).toBeCloseTo(9.5, 9);
    expect(withCalls.bound / ms).toBeCloseTo(9, 9);
    expect(withCalls.exact).toBe(true);
  });

  const chain = fc
    .array(fc.record({ gap: fc.nat(5), bytes: fc.integer({ min: 1, max: 8 }), tail: fc.nat(9) }), {
      minLength: 1,
      maxLength: 7,
    })
    .map((tensors) => {
      let now = 0;
      return {
        ready: Float64Array.from(tensors, ({ gap }) => (now += gap)),
        bytes: Float64Array.from(tensors, ({ bytes }) => bytes),
        tail: Float64Array.from(tensors, ({ tail }) => tail),
      };
    });
  const cost = fc.record({ fixed: fc.nat(4), perByte: fc.integer({ min: 1, max: 2 }) });

  /** The least finish of all ways to fuse. */
  function leastOfAll(
    { ready, bytes, tail }: { ready: Float64Array; bytes: Float64Array; tail: Float64Array },
    seconds: (bytes: number) => number,
  ): number {
    let least = Infinity;
    for (let set = 0; set < 1 << (ready.length - 1); set += 1) {
      let [end, held, longest, finish] = [-Infinity, 0, 0, -Infinity];
      ready.forEach((at, tensor) => {
        held += bytes[tensor];
        longest = Math.max(longest, tail[tensor]);
        if (tensor + 1 < ready.length && (set >> tensor) % 2 === 0) return;
        end = Math.max(end, at) + seconds(held);
        finish = Math.max(finish, end + longest);
        [held, longest] = [0, 0];
      });
      least = Math.min(least, finish);
    }
    return least;
  }

  test('no fusion is better', () => {
    fc.assert(
      fc.property(chain, cost, (tensors, { fixed, perByte }) => {
        const seconds = (bytes: number) => fixed + perByte * bytes;
        const given = { ...tensors, seconds, cost: { kind: 'linear', fixed, perByte } as const };
        const none = { ...tensors, tail: new Float64Array(tensors.ready.length) };
        expect(fuseForEnd(given).finish).toBe(leastOfAll(none, seconds));
        const { finish, exact } = fuseForTails(given);
        expect(exact).toBe(true);
        expect(finish).toBeCloseTo(leastOfAll(tensors, seconds), 9);
      }),
      { numRuns: 400 },
    );
  });

  /** Each changes something on which the formulas rest. */
  const deviations: readonly Rule[] = [
    {},
    { barrier: false },
    { barrier: false, order: 'forward', credit: 'piece' },
    { barrier: false, order: 'forward', partition: 'at_preemption' },
    { barrier: false, earlyStart: true, partition: 2 },
    { barrier: false, halves: 'apart' },
    { credit: 3, ack: 2 },
    { barrier: false, partition: 2 },
  ];

  test('no fusion of the lane is better, whatever the rule', () => {
    fc.assert(
      fc.property(aChain, fc.constantFrom(...deviations), ({ layers, call }, deviation) => {
        const problem = problemOf(layers, call, deviation);
        const barrier = deviation.barrier ?? true;
        const chosen = settleLane(problem, { ...rule, ...problem.rule, barrier, bucket: 'best' }, problem);
        expect(chosen.exact).toBe(true);
        const finish = (closes: Uint8Array) => finishOf(runLane({ ...problem, closes }), problem.tail, barrier);
        for (let set = 0; set < 1 << layers.length; set += 1)
          expect(finish(chosen.closes)).toBeLessThanOrEqual(
            finish(Uint8Array.from(layers, (_, at) => (set >> at) & 1)) + 1e-9,
          );
      }),
      { numRuns: 200 },
    );
  });

  test('many tensors: not worse than with a border moved, nor than what prefixes give', () => {
    fc.assert(
      fc.property(manyLayers, fc.constantFrom(...deviations.slice(2, 6)), (layers, deviation) => {
        const problem = problemOf(layers, collective(1, 3), deviation);
        const chosen = settleLane(problem, { ...rule, ...problem.rule, barrier: false, bucket: 'best' }, problem);
        const finish = (closes: Uint8Array, from = 0) =>
          finishOf(
            runLane({
              ...problem,
              tensors: problem.tensors.slice(from),
              ready: problem.ready.slice(from),
              tail: problem.tail.slice(from),
              closes: closes.slice(from),
            }),
            problem.tail.slice(from),
            false,
          );
        const least = finish(chosen.closes);
        layers.forEach((_, border) => {
          const moved = chosen.closes.slice();
          moved[border] = 1 - moved[border];
          expect(least).toBeLessThanOrEqual(finish(moved) + 1e-9);
        });
        // The best fusion of each prefix of the backward, which ends at the front.
        const known = new Map([[layers.length, new Uint8Array(layers.length)]]);
        for (let from = layers.length - 1; from >= 0; from -= 1) {
          const tried = [...known.values()].map((closes) => closes.with(from, 1));
          const values = tried.map((closes) => finish(closes, from));
          known.set(from, tried[values.indexOf(Math.min(...values))]);
        }
        expect(least).toBeLessThanOrEqual(finish(known.get(0) ?? chosen.closes) + 1e-9);
      }),
      { numRuns: 20 },
    );
  });

  test('many tensors: not worse than each layer, or any size', () => {
    const many = Array.from({ length: 40 }, (_, at) => layer(1 + ((at * 7) % 11)));
    const call = collective(10e9, 0.3 * ms);
    const { period, exact, bound } = settled(many, call, pace);
    expect(exact).toBe(false);
    expect(period).toBeGreaterThanOrEqual(bound - 1e-12);
    for (const size of ['layer', 5 * MB, 20 * MB, 60 * MB] as const)
      expect(period).toBeLessThanOrEqual(settled(many, call, { ...pace, bucket: size }).period);
  });
});

describe('pieces that are best', () => {
  const best: ExchangeRule = { ...rule, order: 'forward', partition: 'best', credit: 'best', barrier: false };

  test('without a cost for calls, they reach the bound within a piece', () => {
    const { period, bound, rule: chosen } = settled(toy, collective(10e9), best);
    expect(period).toBeGreaterThanOrEqual(bound);
    expect(period).toBeLessThan(bound + MiB / 10e9);
    expect(chosen.credit).toBe('piece');
  });

  test('if calls cost more than they gain, tensors go whole', () => {
    const { rule: chosen } = settled(toy, collective(10e9, 5 * ms), best);
    expect(chosen).toMatchObject({ partition: 'whole', credit: 40 * MB });
  });

  test('more credit, if acknowledgements are late', () => {
    const late = { ...best, partition: 10 * MB, ack: 0.5 * ms };
    expect(settled(toy, collective(10e9), late).rule.credit).toBe(20 * MB);
  });

  test('of equal ones the largest', () => {
    const eights = [8, 8, 32].map((each) => layer((each * MiB) / MB));
    const { period, rule: chosen } = settled(eights, collective((8 * MiB) / ms), best);
    expect(period / ms).toBeCloseTo(8, 9);
    expect(chosen).toMatchObject({ partition: 16 * MiB, credit: 16 * MiB });
  });

  test('credit that is best is not worse than one piece, which is what rules with an order have', () => {
    fc.assert(
      fc.property(manyLayers, (layers) => {
        const problem = problemOf(layers, collective(1, 3), {});
        const finish = (credit: ExchangeRule['credit']) => {
          const { rule: chosen } = settleLane(problem, { ...best, credit }, problem);
          return finishOf(runLane({ ...problem, rule: chosen }), problem.tail, false);
        };
        expect(finish('best')).toBeLessThanOrEqual(finish('piece') + 1e-9);
      }),
    );
  });

  test('what is given is kept', () => {
    expect(settled(toy, collective(10e9), { ...best, partition: 3e6 }).rule.partition).toBe(3e6);
    expect(settled(toy, collective(10e9), { ...best, credit: 5e6 }).rule.credit).toBe(5e6);
  });
});

describe('work', () => {
  const tensors = (count: number) => ({
    ready: Float64Array.from({ length: count }, (_, at) => at * 1e-3),
    bytes: Float64Array.from({ length: count }, (_, at) => (1 + ((at * 7919) % 13)) * 1e5),
    tail: Float64Array.from({ length: count }, (_, at) => at * 0.5e-3),
    seconds: (bytes: number) => 1e-4 + bytes / 1e9,
    cost: { kind: 'linear', fixed: 1e-4, perByte: 1e-9 } as const,
  });

  test('500 layers: fusions take n² / 2 steps, and fronts stay short', () => {
    expect(fuseForEnd(tensors(500)).steps).toBe((500 * 501) / 2 - 0);
    const { steps, exact } = fuseForTails(tensors(500));
    expect(exact).toBe(true);
    expect(steps).toBeLessThan(4e6);
  });

  test('500 layers are sent in a row for each bucket', () => {
    const layers = Array.from({ length: 500 }, (_, at) => layer(1 + (at % 7)));
    const { sent } = runLane(problemOf(layers, collective(10e9), { order: 'forward', partition: 1e5, barrier: false }));
    expect(sent.length).toBeLessThan(4 * 500);
    expect(sent.count.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(19_000);
  });
});
