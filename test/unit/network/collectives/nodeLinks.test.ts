/** Workers that share a network card, against bytes through the card counted by hand. */
import { describe, expect, test } from 'vitest';
import { callSeconds } from '../../../../engine/basics/callCost.ts';
import type { CollectiveUse } from '../../../../engine/exchange/collectives.ts';
import { callTraffic } from '../../../../engine/network/collectives/callTraffic.ts';
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
  test('to servers elsewhere, 4 workers of a node sum up first, and send 1 GB through their card', () => {
    expect(push({}, all)).toBeCloseTo(0.1, 9);
  });
  test('workers that are servers send half of 1 GB to the other node', () => {
    expect(push({ colocated: true }, all)).toBeCloseTo(0.05, 9);
  });
  test('in nodes of 2 and 4 workers each sends for itself, and the fuller card decides', () => {
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
    expect(push({}, { cluster: two, groups })).toBeCloseTo(0.2, 9);
    expect(push({ colocated: true }, { cluster: two, groups })).toBeCloseTo(0.1, 9);
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
    // 2 nodes of 10 GB/s fill 2 servers of 10 GB/s.
    expect(enough(2)).toBeUndefined();
    expect(enough(1)).toMatchObject({ enough: 2 });
  });
});

test('racks around nodes: what leaves a rack shares its uplink', () => {
  const cluster = clusterOf(`switch top {} node[2] { switch core {} node[2] { ${node} } link core -- top = 5GB/s }`);
  const groups = [Array.from({ length: 16 }, (_, rank) => rank)];
  // 2 nodes of a rack send all bytes, or half of them, over 5 GB/s.
  expect(push({}, { cluster, groups })).toBeCloseTo(2 / 5, 9);
  expect(push({ colocated: true }, { cluster, groups })).toBeCloseTo(1 / 5, 9);
});

test('a link of its own for each device is not shared; inside the node, 3/4 of the bytes take longer than 1/4 outside', () => {
  const cluster = clusterOf('node[2] { gpu[4] = x  link = 10GB/s } link = 10GB/s');
  expect(push({}, { cluster, groups: eight })).toBeCloseTo(0.075, 9);
  expect(push({ colocated: true }, { cluster, groups: eight })).toBeCloseTo(0.075, 9);
});

describe('a node is one worker of servers', () => {
  const body = (ranks: number, card: string) =>
    `switch core {} node[8] { gpu[${ranks}] = x  link = 300GB/s + 3us  switch nic { ports = gpu[0..${ranks - 1}]  link = 25GB/s + 1us }  link nic -- core = ${card} + 5us }`;
  const group = (count: number): Exchanging['groups'] => [Array.from({ length: count }, (_, rank) => rank)];
  const callOf = (use: CollectiveUse, exchanging: Exchanging) => {
    const found = costOf(use, exchanging);
    if (!('push' in found)) throw new Error(JSON.stringify(found));
    return found;
  };
  test('GPT-2 XL in bf16, 8 nodes of 8, 100 Gb/s: 0.25 s, however many ranks a node has', () => {
    const bytes = 1_557_611_200 * 2;
    for (const ranks of [1, 2, 8]) {
      const exchanging = { cluster: clusterOf(body(ranks, '100Gb/s')), groups: group(8 * ranks) };
      const { push, delay } = callOf({ name: 'ps', call: 0 }, exchanging);
      expect(callSeconds(push, bytes)).toBeCloseTo(bytes / 12.5e9, 9);
      // A step to a server, and a reduce-scatter inside.
      expect(delay).toBeCloseTo(12e-6 + (ranks - 1) * 3e-6, 12);
    }
  });
  test('links inside decide if they are slower than all cards: 7/8 of the bytes', () => {
    const cluster = clusterOf('node[4] { gpu[8] = x  link = 10GB/s + 2us }  link = 50GB/s + 5us');
    const { push, delay } = callOf({ name: 'ps', call: 0 }, { cluster, groups: group(32) });
    expect(callSeconds(push, 1e9)).toBeCloseTo(7 / 8 / 10, 9);
    expect(delay).toBeCloseTo(5e-6 + 7 * 2e-6, 12);
  });
  test('theorem 1 of BytePS with machines of several GPUs: b(n² + kn − 2k)/(2n(n − 1))', () => {
    for (const ranks of [1, 2, 8])
      for (const servers of [1, 4, 8]) {
        const node = `gpu[${ranks}] = x  link = 1000GB/s  switch nic { ports = gpu[0..${ranks - 1}]  link = 1000GB/s }  link nic -- core = 1GB/s`;
        const exchanging = { cluster: clusterOf(`switch core {} node[8] { ${node} }`), groups: group(8 * ranks) };
        const { push } = callOf({ name: 'trees', call: 0, servers }, exchanging);
        const rate = (64 + servers * 8 - 2 * servers) / (2 * 8 * 7);
        expect(callSeconds(push, 6e6)).toBeCloseTo(6e-3 / Math.min(1, rate), 12);
      }
    const cluster = clusterOf(body(2, '1GB/s'));
    expect(costOf({ name: 'trees', call: 0, servers: 9 }, { cluster, groups: group(16) })).toEqual({
      ...{ argument: 'servers', value: '9', allowed: 'at most the 8 nodes' },
    });
  });
  test('factors of a layer are not summed up first: each rank pushes its own, and a node pulls once', () => {
    const exchanging = { cluster: clusterOf(body(8, '100Gb/s')), groups: group(64) };
    const matrix = { rows: 4096, columns: 4096, samples: 32 };
    const call = callOf({ name: 'ps', call: 0, factors: true }, { ...exchanging, matrix });
    expect(callSeconds(call.push, 4 * 4096 ** 2)).toBeCloseTo((8 * 32 * 2 * 4096 * 4) / 12.5e9, 12);
    expect(call.pull === undefined ? 0 : callSeconds(call.pull, 4 * 4096 ** 2)).toBeCloseTo(
      (4 * 4096 ** 2) / 12.5e9,
      12,
    );
  });
  test('flows of a push fill the card, and no more', () => {
    const exchanging = { cluster: clusterOf(body(8, '100Gb/s')), groups: group(64) };
    const [pass] = callTraffic({ name: 'ps', call: 0 }, exchanging)?.push ?? [];
    const fullest = Math.max(...[...pass.flows.values()].map((count) => count * pass.rate));
    expect(fullest).toBeCloseTo(12.5e9, 0);
  });
});
