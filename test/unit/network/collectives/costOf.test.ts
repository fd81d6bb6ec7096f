import { describe, expect, test } from 'vitest';
import { callSeconds } from '../../../../engine/basics/callCost.ts';
import { type CollectiveUse, collectives } from '../../../../engine/exchange/collectives.ts';
import type { LaneCall } from '../../../../engine/values/exchangePlan.ts';
import { costOf } from '../../../../engine/network/collectives/costOf.ts';
import { clusterOf } from '../routesClusters.ts';

const eight = clusterOf('gpu[8] = x  link = 10GB/s + 10us');
const all = [[0, 1, 2, 3, 4, 5, 6, 7]];
const use = (name: CollectiveUse['name'], more: Partial<CollectiveUse> = {}): CollectiveUse => ({
  name,
  call: 0,
  ...more,
});

function callOf(asked: CollectiveUse, more: Partial<Parameters<typeof costOf>[1]> = {}): LaneCall {
  const found = costOf(asked, { cluster: eight, groups: all, ...more });
  if (!('push' in found)) throw new Error(JSON.stringify(found));
  return found;
}
/** Milliseconds of one call with all bytes, pulled too where it is pulled, until it is there. */
function milliseconds({ push, pull, delay = 0 }: LaneCall, bytes: number): number {
  const pulled = pull === undefined ? 0 : callSeconds(pull, bytes) + delay;
  return 1000 * (callSeconds(push, bytes) + delay + pulled);
}

describe('collectives of 100 MB over 8 ranks at 10 GB/s and 10 us', () => {
  test.each([
    ['ring', {}, 17.64],
    ['halving', {}, 17.56],
    ['tree', {}, 20.06],
    ['ps', {}, 20.02],
    ['ps', { colocated: true }, 17.52],
    ['blueconnect', {}, 17.64],
  ] as const)('%s %o takes %d ms', (name, more, expected) => {
    expect(milliseconds(callOf(use(name, more)), 100e6)).toBeCloseTo(expected, 9);
  });
  test('a time for each call comes on top, of a push and of a pull, and of both halves', () => {
    const call = callOf(use('ps', { call: 1e-3 }));
    expect(milliseconds(call, 100e6)).toBeCloseTo(22.02, 9);
    const { halves } = callOf(use('ring', { call: 1e-3 }));
    expect(callSeconds(halves?.scatter ?? call.push, 0)).toBeCloseTo(1.07e-3, 12);
    expect(callSeconds(halves?.gather ?? call.push, 0)).toBeCloseTo(1.07e-3, 12);
  });
  test('fewer servers than ranks make their links full', () => {
    expect(milliseconds(callOf(use('ps', { servers: 2 })), 100e6)).toBeCloseTo(2 * (4 * 10 + 0.01), 9);
    const link = { bandwidth: 40e9, latency: 0 };
    expect(milliseconds(callOf(use('ps', { servers: 2, link })), 100e6)).toBeCloseTo(20.02, 9);
  });
  test('a half-duplex link has pushes and pulls one at a time', () => {
    const link = { bandwidth: 40e9, latency: 0, half: true } as const;
    expect(callOf(use('ps', { servers: 2, link })).oneLane).toBe(true);
    expect(callOf(use('ps', { servers: 2 })).oneLane).toBeUndefined();
  });
  test('best is the least of the others at every size', () => {
    const best = callOf(use('best'));
    for (const bytes of [0, 1e3, 1e5, 1e7, 1e9]) {
      const least = Math.min(
        ...(['ring', 'halving', 'tree'] as const).map((name) => callSeconds(callOf(use(name)).push, bytes)),
      );
      expect(callSeconds(best.push, bytes)).toBeLessThanOrEqual(least);
    }
  });
  test('a measured table is linear between its points', () => {
    const table = { bytes: [0, 1e6, 2e6], seconds: [1e-3, 2e-3, 5e-3] };
    const call = callOf(use('table', { table }));
    expect(milliseconds(call, 5e5)).toBeCloseTo(1.5, 12);
    expect(milliseconds(call, 3e6)).toBeCloseTo(8, 12);
  });
});

describe('collectives that follow links', () => {
  const nodes = clusterOf('node[2] { gpu[4] = x  link = 100GB/s + 5us }  link = 1GB/s + 20us');
  test('trees over equal ports are as fast as a ring, in two steps', () => {
    // 2 · depth · α, and 2(n − 1)/n of the bytes.
    expect(milliseconds(callOf(use('trees')), 100e6)).toBeCloseTo(17.52, 9);
    // With 4 more ports: Y = 55/7 GB/s.
    expect(milliseconds(callOf(use('trees', { servers: 4 })), 100e6)).toBeCloseTo(0.02 + 700 / 55, 9);
    expect(costOf(use('trees', { servers: 9 }), { cluster: eight, groups: all })).toEqual({
      argument: 'servers',
      value: '9',
      allowed: 'at most the 8 ranks',
    });
    const many = clusterOf('gpu[65] = x  link = 10GB/s');
    expect(costOf(use('trees'), { cluster: many, groups: [many.devices.map((_, device) => device)] })).toEqual({
      argument: 'ranks',
      value: '65',
      allowed: 'at most 64',
    });
  });
  test('blueconnect and plink go inside nodes first; nodes must have equally many ranks', () => {
    // 2[3 · 5 + 20] us + 2[3/4/100 + 1/2/4/1] · 100 MB
    const expected = 0.07 + 2 * (0.75 + 12.5);
    for (const name of ['blueconnect', 'plink'] as const)
      expect(milliseconds(callOf(use(name), { cluster: nodes }), 100e6)).toBeCloseTo(expected, 9);
    expect(costOf(use('blueconnect'), { cluster: nodes, groups: [[0, 1, 2, 4]] })).toEqual({
      argument: 'ranks of a node',
      value: '3 and 1',
      allowed: 'the same in every node',
    });
    const three = clusterOf('node[2] { node[2] { gpu[2] = x  link = 100GB/s }  link = 10GB/s }  link = 1GB/s');
    // 2[1/2/100 + 1/2/2/10 + 1/2/4/1] · 100 MB
    const levels = 2 * (0.5 + 2.5 + 12.5);
    expect(milliseconds(callOf(use('blueconnect'), { cluster: three }), 100e6)).toBeCloseTo(levels, 9);
  });
  test('nccl counts nodes, and PCIe inside them by its figures', () => {
    const pci = clusterOf('gpu[8] = x  link = 12GB/s + 5.7us');
    // LL over a ring: 6.6 + 14 · 1 us; the tree of 8 in a node has 6.8 + 14 · 1.
    expect(milliseconds(callOf(use('nccl'), { cluster: pci }), 0)).toBeCloseTo(0.0206, 9);
    // LL over a ring: 6.6 + 12 · 0.6 + 2 · 2.7 us; trees of 2 nodes of 4 have 6.8 + 2(3 · 0.6 + 1 · 5).
    const apart = clusterOf('node[2] { gpu[4] = x  link = 100GB/s + 3us }  link = 1GB/s + 20us');
    expect(milliseconds(callOf(use('nccl'), { cluster: apart }), 0)).toBeCloseTo(0.0192, 9);
  });
});

describe('factors', () => {
  const matrix = { rows: 25088, columns: 4096, samples: 32 };
  const bytes = 25088 * 4096 * 4;
  test('go between workers where they are fewer elements, otherwise through servers', () => {
    expect(callOf(use('hybrid'), { matrix }).name).toBe('sfb');
    // K(P − 1)(M + N) elements leave each worker.
    const seconds = (32 * 7 * (25088 + 4096) * 4) / 10e9 + 7 * 10e-6;
    expect(milliseconds(callOf(use('hybrid'), { matrix }), bytes)).toBeCloseTo(1000 * seconds, 9);
    expect(callOf(use('hybrid'), { matrix: { rows: 10000, columns: 1000, samples: 3000 } }).name).toBe('ps');
    expect(callOf(use('hybrid')).name).toBe('ps');
  });
  test('are pushed and the whole matrix is pulled (Project Adam)', () => {
    const call = callOf(use('ps', { factors: true }), { matrix });
    expect(callSeconds(call.push, bytes)).toBeCloseTo((32 * (25088 + 4096) * 4) / 10e9, 12);
    expect(call.pull === undefined ? 0 : callSeconds(call.pull, bytes)).toBeCloseTo(bytes / 10e9, 12);
    expect(call.delay).toBe(10e-6);
  });
});

describe('what does not fit', () => {
  const six = [[0, 1, 2, 3, 4, 5]];
  test('halving of six ranks names the nearest power of two', () => {
    expect(costOf(use('halving'), { cluster: eight, groups: six })).toEqual({
      argument: 'ranks',
      value: '6',
      allowed: 'a power of two, such as 4',
    });
  });
  test('more servers than ranks need a link', () => {
    expect(costOf(use('ps', { servers: 9 }), { cluster: eight, groups: all })).toMatchObject({
      argument: 'servers',
      value: '9',
    });
    const link = { bandwidth: 10e9, latency: 0 };
    expect('push' in costOf(use('ps', { servers: 9, link }), { cluster: eight, groups: all })).toBe(true);
  });
  test('ranks without a route are named', () => {
    const cluster = clusterOf('gpu[2] = x');
    expect(costOf(use('ring'), { cluster, groups: [[0, 1]] })).toEqual({ from: 0, to: 1 });
  });
});

test('every collective of the table has a cost', () => {
  for (const { name } of collectives) {
    const table = { bytes: [0, 1], seconds: [0, 1] };
    expect(`${name} ${'push' in costOf(use(name, { table }), { cluster: eight, groups: all })}`).toBe(`${name} true`);
  }
});
