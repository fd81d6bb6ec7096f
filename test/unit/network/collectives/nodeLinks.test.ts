/** Workers that share a network card, against bytes through the card counted by hand. */
import { describe, expect, test } from 'vitest';
import { callSeconds } from '../../../../engine/basics/callCost.ts';
import type { CollectiveUse } from '../../../../engine/exchange/collectives.ts';
import { callLimit } from '../../../../engine/network/collectives/callLimit.ts';
import { costOf, type Exchanging } from '../../../../engine/network/collectives/costOf.ts';
import { clusterOf } from '../routesClusters.ts';

const node = 'gpu[4] = x  switch nic { ports = gpu[0..3]  link = 100GB/s }  link nic -- core = 10GB/s';
const two = clusterOf(`switch core {} node[2] { ${node} }`);
const eight = [[0, 1, 2, 3, 4, 5, 6, 7]];

/** Seconds of a push of 1 GB. */
function push(use: Partial<CollectiveUse>, exchanging: Exchanging): number {
  const found = costOf({ name: 'ps', call: 0, ...use }, exchanging);
  if (!('push' in found)) throw new Error(JSON.stringify(found));
  return callSeconds(found.push, 1e9);
}
const all: Exchanging = { cluster: two, groups: eight };

describe('two nodes of 4 workers, and a card of 10 GB/s for each node', () => {
  test('to servers elsewhere, 4 workers of a node send 4 GB through their card', () => {
    expect(push({}, all)).toBeCloseTo(0.4, 9);
  });
  test('workers that are servers send half of 4 GB to the other node', () => {
    expect(push({ colocated: true }, all)).toBeCloseTo(0.2, 9);
  });
  test('in nodes of 2 and 4 workers, the fuller card decides', () => {
    const groups = [[0, 1, 4, 5, 6, 7]];
    expect(push({}, { cluster: two, groups })).toBeCloseTo(0.4, 9);
    // 4 workers send a third, for 2 of 6.
    expect(push({ colocated: true }, { cluster: two, groups })).toBeCloseTo(4 / 3 / 10, 9);
  });
  test('groups of tensor ranks share the card with each other', () => {
    const groups = [
      [0, 2, 4, 6],
      [1, 3, 5, 7],
    ];
    expect(push({}, { cluster: two, groups })).toBeCloseTo(0.4, 9);
    expect(push({ colocated: true }, { cluster: two, groups })).toBeCloseTo(0.2, 9);
  });
  test('a worker that is alone in its node has the whole card', () => {
    expect(push({}, { cluster: two, groups: [[0, 4]] })).toBeCloseTo(0.1, 9);
  });
  test('factors that workers send each other share the card: 4 workers send 4 factors each', () => {
    // K(M + N) / MN is 1/50 of the gradient.
    const matrix = { rows: 1000, columns: 1000, samples: 10 };
    expect(push({ name: 'hybrid' }, { ...all, matrix })).toBeCloseTo((4 * 4 * 0.02) / 10, 9);
  });
  test('servers are too few only for what workers get through their card', () => {
    const enough = (servers: number) => {
      const use = { name: 'ps', call: 0, servers } as const;
      const found = costOf(use, all);
      return 'push' in found ? callLimit(found, use, all) : undefined;
    };
    // 8 workers of 2.5 GB/s fill 2 servers of 10 GB/s.
    expect(enough(2)).toBeUndefined();
    expect(enough(1)).toMatchObject({ enough: 2 });
  });
});

test('racks around nodes: what leaves a rack shares its uplink', () => {
  const cluster = clusterOf(`switch top {} node[2] { switch core {} node[2] { ${node} } link core -- top = 5GB/s }`);
  const groups = [Array.from({ length: 16 }, (_, rank) => rank)];
  // 8 workers of a rack send all bytes, or half of them, over 5 GB/s.
  expect(push({}, { cluster, groups })).toBeCloseTo(8 / 5, 9);
  expect(push({ colocated: true }, { cluster, groups })).toBeCloseTo(4 / 5, 9);
});

test('a link of its own for each device is not shared', () => {
  const cluster = clusterOf('node[2] { gpu[4] = x  link = 10GB/s } link = 10GB/s');
  expect(push({}, { cluster, groups: eight })).toBeCloseTo(0.1, 9);
  expect(push({ colocated: true }, { cluster, groups: eight })).toBeCloseTo(7 / 80, 9);
});
