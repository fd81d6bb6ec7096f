import type { Resharding } from '../../../engine/values/plan.ts';
import * as fc from '../../support/property.ts';
import { type Mesh, lone } from '../../../engine/costs/mesh.ts';
import { describe, expect, test } from 'vitest';
import { type Held, unitCount, unitsOf } from '../../../engine/network/layouts.ts';
import {
  type Exchange,
  type ExchangeRequest,
  exchange,
  exchangesFor,
  fastestOf,
  secondsOf,
} from '../../../engine/network/reshard.ts';
import { clusterOf } from './routesClusters.ts';

const numbers = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index);

/** Ranks of a mesh on neighbouring devices, in a pipeline of `base` data ranks. */
const held = (first: number, mesh: Partial<Mesh>, base = 1): Held => {
  const full = { ...lone, ...mesh };
  const split = full.data / base;
  return {
    devices: numbers(first, full.tensor * full.context * full.data),
    mesh: full,
    ...(split === 1 ? {} : { split }),
  };
};

const taken = (request: ExchangeRequest, rule: Resharding): Exchange => {
  const found = exchange(request, rule);
  if ('unreachable' in found) throw new Error('no route');
  return found;
};

describe('one device sends to A nodes of B devices, all of which need the whole', () => {
  const size = fc.integer({ min: 1, max: 5 });
  const bytes = 64 * 2 ** 20;
  const t = bytes / 10e9;
  const request = (A: number, B: number, inside: string): ExchangeRequest => {
    // The sender is alone in the first node.
    const cluster = clusterOf(`node[1] { gpu[1] = x }  node[${A}] { gpu[${B}] = x  link = ${inside} }  link = 10GB/s`);
    return { cluster, from: held(0, {}), to: held(1, { tensor: A * B }), bytes };
  };
  const seconds = (rule: Resharding, A: number, B: number, inside = '1e11TB/s') =>
    secondsOf(taken(request(A, B, inside), rule), bytes);

  // Zhuang et al. (2023), section 3.1: links inside a node take no time.
  test('send_recv A·B·t, all_gather A·t, over the cluster about 2t, broadcast t + (A − 1)·t / K', () => {
    fc.assert(
      fc.property(size, size, fc.integer({ min: 1, max: 100 }), (A, B, chunks) => {
        expect(seconds({ strategy: 'send_recv' }, A, B) / t).toBeCloseTo(A * B, 9);
        expect(seconds({ strategy: 'all_gather', scope: 'node' }, A, B) / t).toBeCloseTo(A, 9);
        const n = A * B;
        // Inside one node the second half takes no time.
        const all = A === 1 ? 1 : 1 + (n - 1) / n;
        expect(seconds({ strategy: 'all_gather', scope: 'cluster' }, A, B) / t).toBeCloseTo(all, 9);
        expect(seconds({ strategy: 'broadcast', chunks }, A, B) / t).toBeCloseTo(1 + (A - 1) / chunks, 9);
      }),
    );
  });

  test('a gather inside takes (B − 1) / B of the message over its link', () => {
    fc.assert(
      fc.property(size, size, (A, B) => {
        const inside = (bytes * (B - 1)) / B / 40e9;
        expect(seconds({ strategy: 'all_gather', scope: 'node' }, A, B, '40GB/s')).toBeCloseTo(A * t + inside, 9);
      }),
    );
  });

  test('a broadcast takes what its chunks take, one after another on every hop', () => {
    fc.assert(
      fc.property(
        size,
        size,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 60 }),
        (A, B, chunks, fast) => {
          // A chunk goes over a hop when it has come there, and the one before has gone.
          const free = new Float64Array(A * B);
          let last = 0;
          for (let chunk = 0; chunk < chunks; chunk += 1) {
            let at = 0;
            for (let hop = 0; hop < A * B; hop += 1) {
              const rate = hop % B === 0 ? 10e9 : fast * 1e9;
              at = Math.max(at, free[hop]) + bytes / chunks / rate;
              free[hop] = at;
            }
            last = at;
          }
          expect(seconds({ strategy: 'broadcast', chunks }, A, B, `${fast}GB/s`)).toBeCloseTo(last, 9);
        },
      ),
    );
  });

  test('unless said, in chunks of 512 KiB', () => {
    expect(seconds({ strategy: 'broadcast' }, 4, 2) / t).toBeCloseTo(1 + 3 / 128, 9);
  });

  test('the fastest: sending to one device, chunks to several nodes', () => {
    const best = (A: number, B: number) => {
      const found = exchangesFor(request(A, B, '100GB/s'), Infinity);
      if ('unreachable' in found) throw new Error('no route');
      return fastestOf(found, bytes).rule.strategy;
    };
    expect([best(1, 1), best(1, 4), best(3, 4)]).toEqual(['send_recv', 'broadcast', 'broadcast']);
  });
});

describe('several senders', () => {
  const cluster = clusterOf('node[4] { gpu[4] = x  link = 100GB/s }  link = 10GB/s');
  const seconds = (from: Held, to: Held, rule: Resharding, bytes: number) =>
    secondsOf(taken({ cluster, from, to, bytes }, rule), bytes);
  const S = 1e9;

  test('scatter_gather: each of t ranks sends S / t, then (t − 1) / t of S go round inside (SC 21, section 4.1)', () => {
    for (const tensor of [2, 4]) {
      const found = seconds(held(0, { tensor }), held(4, { tensor }), { strategy: 'scatter_gather' }, S);
      expect(found).toBeCloseTo(S / tensor / 10e9 + ((tensor - 1) / tensor) * (S / 100e9), 12);
    }
  });

  test('copies to copies: as many of t₁ ranks send as there are receivers, each an equal share', () => {
    const gather = { strategy: 'all_gather', scope: 'node' } as const;
    for (const [t1, t2] of [
      [1, 4],
      [2, 4],
      [4, 2],
      [4, 1],
    ]) {
      const first = S / Math.min(t1, t2) / 10e9;
      // Without a gather one device takes it all in.
      expect(seconds(held(0, { tensor: t1 }), held(4, { tensor: t2 }), gather, S)).toBeCloseTo(
        first + ((t2 - 1) / t2) * (S / 100e9),
        12,
      );
    }
  });

  test('parts to parts: no byte goes twice, whatever the counts', () => {
    // 4 senders with S each, 2 receivers with 2·S each, and the other way round.
    const [four, two] = [
      { tensor: 4, sequenceParallel: true },
      { tensor: 2, sequenceParallel: true },
    ];
    for (const rule of [{ strategy: 'send_recv' }, { strategy: 'all_gather', scope: 'node' }] as const) {
      expect(seconds(held(0, four), held(4, two), rule, S)).toBeCloseTo((2 * S) / 10e9, 12);
      expect(seconds(held(4, two), held(0, four), rule, 2 * S)).toBeCloseTo((2 * S) / 10e9, 12);
    }
  });

  test('fewer data ranks put samples together, more take them apart', () => {
    // The edge says S for the whole batch of the pipeline's one data rank.
    const rule = { strategy: 'send_recv' } as const;
    expect(seconds(held(0, { data: 4 }), held(4, {}), rule, S)).toBeCloseTo(S / 10e9, 12);
    expect(seconds(held(0, {}), held(4, { data: 4 }), rule, S)).toBeCloseTo(S / 10e9, 12);
    expect(seconds(held(0, { data: 2 }), held(4, { data: 4 }), rule, S)).toBeCloseTo(S / 2 / 10e9, 12);
    // Two data ranks of the pipeline, of which a stage has one device for both: each brings S.
    expect(seconds(held(0, { data: 2 }, 2), held(4, { data: 1 }, 2), rule, S)).toBeCloseTo((2 * S) / 10e9, 12);
  });
});

const mesh = fc.record({
  tensor: fc.integer({ min: 1, max: 4 }),
  context: fc.integer({ min: 1, max: 3 }),
  data: fc.integer({ min: 1, max: 4 }),
  sequenceParallel: fc.boolean(),
});

/** What of the batch and of the sequence a device has, in grains of which a row or column has `grains`. */
function grainsOf({ devices, mesh: own }: Held, device: number, grains: number): readonly string[] {
  const place = devices.indexOf(device);
  const tensor = place % own.tensor;
  const context = Math.trunc(place / own.tensor) % own.context;
  const data = Math.trunc(place / own.tensor / own.context);
  const rows = grains / own.data;
  const wide = grains / own.context;
  const narrow = own.sequenceParallel ? wide / own.tensor : wide;
  const start = context * wide + (own.sequenceParallel ? tensor * narrow : 0);
  return numbers(data * rows, rows).flatMap((row) => numbers(start, narrow).map((column) => `${row} ${column}`));
}

test('units are what every sender has and every receiver needs: all of it, once', () => {
  fc.assert(
    fc.property(mesh, mesh, (a, b) => {
      const [from, to] = [held(0, a), held(100, b)];
      const grains = 72;
      const all = new Map([...from.devices, ...to.devices].map((value) => [value, 0]));
      const rank = (one: number) => (one < 100 ? from : to);
      const whole = a.context * (a.sequenceParallel ? a.tensor : 1);
      expect(unitCount(from, to).units).toBe(unitsOf(from, to).length);
      for (const { share, senders, receivers } of unitsOf(from, to)) {
        const common = [...senders, ...receivers]
          .map((value) => new Set(grainsOf(rank(value), value, grains)))
          .reduce((left, each) => new Set([...left].filter((grain) => each.has(grain))));
        // They share at least the unit.
        expect((common.size * whole) / grains ** 2).toBeGreaterThanOrEqual(share - 1e-9);
        for (const value of [...senders, ...receivers]) all.set(value, (all.get(value) ?? 0) + share);
      }
      for (const [one, sum] of all)
        expect(sum).toBeCloseTo((grainsOf(rank(one), one, grains).length * whole) / grains ** 2, 9);
    }),
    { numRuns: 25 },
  );
});

test('no way is faster than the ports of any receiver, and none moves less than every node needs', () => {
  const cluster = clusterOf('node[16] { gpu[3] = x  link = 100GB/s + 1us }  link = 10GB/s + 5us');
  fc.assert(
    fc.property(mesh, mesh, fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 1e9 }), (a, b, gap, bytes) => {
      const from = held(0, { ...a, data: 1 });
      const to = held(from.devices.length + (gap % (48 - 12 - 12)), { ...b, data: 1 });
      const found = exchangesFor({ cluster, from, to, bytes }, Infinity);
      if ('unreachable' in found) throw new Error('no route');
      const parts = (one: Mesh) => one.context * (one.sequenceParallel ? one.tensor : 1);
      const needed = (bytes * parts(from.mesh)) / parts(to.mesh);
      for (const each of found) {
        expect(secondsOf(each, bytes)).toBeGreaterThanOrEqual(needed / 100e9 - 1e-12);
        const carried = [...each.channels.values()].reduce((sum, { amount }) => sum + amount * bytes, 0);
        // Everything reaches every device over some link.
        expect(carried).toBeGreaterThanOrEqual(needed * to.devices.length * (1 - 1e-9));
      }
    }),
  );
});
