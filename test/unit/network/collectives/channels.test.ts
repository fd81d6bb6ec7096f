/** Rings through all cards of a node, by closed forms and by bus bandwidths that others have measured. */
import { describe, expect, test } from 'vitest';
import { callSeconds } from '../../../../engine/basics/callCost.ts';
import type { ClusterDefinition } from '../../../../engine/definitions/cluster.ts';
import type { CollectiveUse } from '../../../../engine/exchange/collectives.ts';
import { callTraffic } from '../../../../engine/network/collectives/callTraffic.ts';
import { channelsOf } from '../../../../engine/network/collectives/channels.ts';
import { costOf } from '../../../../engine/network/collectives/costOf.ts';
import type { Groups } from '../../../../engine/network/collectives/rings.ts';
import { clusterOf, stdCluster } from '../routesClusters.ts';

const large = 64 * 1024 ** 2;
const all = ({ devices }: ClusterDefinition): Groups => [devices.map((_, device) => device)];
const use = (name: CollectiveUse['name'], more: Partial<CollectiveUse> = {}): CollectiveUse => ({
  ...{ name, call: 0 },
  ...more,
});

/** Channels, and GB/s of all of them. */
function found(cluster: ClusterDefinition, groups = all(cluster), asked?: number): readonly [number, number] {
  const channels = channelsOf(cluster, groups, large, asked);
  if (!('ring' in channels)) throw new Error(JSON.stringify(channels));
  return [channels.count, Math.round(channels.ring.bandwidth / 1e3) / 1e6];
}

/** As nccl-tests has it: 2(n − 1)/n of the bytes of an all-reduce for each of its seconds. */
function busBandwidth(cluster: ClusterDefinition, bytes: number, asked: CollectiveUse): number {
  const call = costOf(asked, { cluster, groups: all(cluster) });
  if (!('push' in call)) throw new Error(JSON.stringify(call));
  const ranks = cluster.devices.length;
  return ((2 * (ranks - 1)) / ranks / 1e9) * (bytes / callSeconds(call.push, bytes));
}

describe('rings through the cards of a node', () => {
  const node = 'gpu[8] = x  link = 370GB/s + 2us';
  test('a card for each GPU: all cards together, or 8/7 of the links inside', () => {
    expect(found(clusterOf(`node[4] { ${node} }  link = 40GB/s + 5us`))).toEqual([8, 320]);
    expect(found(clusterOf(`node[4] { ${node} }  link = 50GB/s + 5us`))).toEqual([8, 400]);
    // A ring does not go from the last rank of a node to its first: 7 of 8 rings are on each link inside.
    expect(found(clusterOf(`node[4] { ${node} }  link = 60GB/s + 5us`))).toEqual([
      8,
      Math.round(370e6 * (8 / 7)) / 1e6,
    ]);
  });
  test('named cards: four for eight GPUs, and one', () => {
    const cards = (count: number) =>
      Array.from(
        { length: count },
        (_, card) =>
          `switch nic${card} { ports = gpu[${(8 / count) * card}..${(8 / count) * (card + 1) - 1}]  link = 100GB/s }  link nic${card} -- core = 25GB/s + 2us`,
      ).join('  ');
    const of = (count: number) => clusterOf(`switch core {}  node[2] { ${node}  ${cards(count)} }`);
    expect(found(of(4))).toEqual([8, 100]);
    expect(found(of(2))).toEqual([8, 50]);
    expect(found(of(1))).toEqual([1, 25]);
    // If the links inside are the slower ones, each ring leaves out one of them.
    const slow = 'switch nic { ports = gpu[0..7]  link = 20GB/s }  link nic -- core = 25GB/s';
    expect(found(clusterOf(`switch core {}  node[2] { gpu[8] = x  link = 20GB/s  ${slow} }`))).toEqual([
      8,
      Math.round(20e6 * (8 / 7)) / 1e6,
    ]);
  });
  test('a wide link for all GPUs of a node: what it carries, or what their ports do', () => {
    expect(found(stdCluster('p4d', 4))).toEqual([8, 50]);
    expect(found(stdCluster('p5', 4))).toEqual([8, 8 * 48]);
  });
  test('groups that run at once share links: each as if it were alone with its part', () => {
    // Four groups of two ranks a node. A ring of each is on 1 of 2 directions of its pair, and each card has one.
    const cluster = clusterOf(`node[4] { ${node} }  link = 40GB/s + 5us`);
    const pairs = [0, 2, 4, 6].map((first) => [0, 8, 16, 24].flatMap((at) => [at + first, at + first + 1]));
    expect(found(cluster, pairs)).toEqual([2, 80]);
  });
  test('one ring: one rank in a node, one node, or nodes with different ranks', () => {
    const cluster = clusterOf(`node[4] { ${node} }  link = 40GB/s + 5us`);
    expect(found(cluster, [[0, 8, 16, 24]])).toEqual([1, 40]);
    expect(found(cluster, [[0, 1, 2, 3]])).toEqual([1, 370]);
    expect(found(cluster, [[0, 1, 8, 9, 10]])).toEqual([1, 40]);
  });
  test('as many as are asked for, evenly over the ranks of a node', () => {
    const cluster = clusterOf(`node[4] { ${node} }  link = 40GB/s + 5us`);
    expect([1, 2, 4, 8].map((count) => found(cluster, all(cluster), count))).toEqual(
      [1, 2, 4, 8].map((count) => [count, 40 * count]),
    );
    expect(costOf(use('ring', { channels: 9 }), { cluster, groups: all(cluster) })).toEqual({
      ...{ argument: 'channels', value: '9', allowed: 'at most the 8 ranks of a node' },
    });
    expect(costOf(use('nccl', { channels: 2 }), { cluster, groups: [[0, 8]] })).toEqual({
      ...{ argument: 'channels', value: '2', allowed: '1 over these ranks' },
    });
  });
  test('all of ring, halving, tree and nccl use them', () => {
    const cluster = clusterOf(`node[4] { ${node} }  link = 40GB/s`);
    const seconds = (name: CollectiveUse['name']): number => {
      const call = costOf(use(name), { cluster, groups: all(cluster) });
      return 'push' in call ? callSeconds(call.push, 2e9) - callSeconds(call.push, 1e9) : NaN;
    };
    const each = (2 * 31) / 32 / 320;
    expect(seconds('ring')).toBeCloseTo(each, 12);
    expect(seconds('halving')).toBeCloseTo(each, 12);
    expect(seconds('tree')).toBeCloseTo(2 / 320, 12);
    expect(seconds('nccl')).toBeCloseTo(each, 12);
  });
  test('flows of a call: one ring over each card, whose passes take the seconds of the call', () => {
    const cards = Array.from(
      { length: 4 },
      (_, card) => `switch nic${card} { ports = gpu[${card}]  link = 100GB/s }  link nic${card} -- core = 25GB/s`,
    ).join('  ');
    const cluster = clusterOf(`switch core {}  node[2] { gpu[4] = x  link = 300GB/s  ${cards} }`);
    const traffic = callTraffic(use('ring'), { cluster, groups: all(cluster) });
    const [pass] = traffic?.push ?? [];
    expect(pass.rate).toBeCloseTo(25e9, 0);
    expect(pass.weight).toBeCloseTo((2 * 7) / 8 / 100e9, 20);
    // Out of a GPU and its card and into those of the next node: 4 links, of 4 rings, over 2 borders.
    expect([...pass.flows.values()]).toEqual(Array.from({ length: 4 * 4 * 2 }, () => 1));
  });
});

describe('bus bandwidths of an all-reduce that others have measured', () => {
  test('two DGX A100, rings: 192 GB/s (NCCL issue 812)', () => {
    expect(busBandwidth(stdCluster('dgx_a100', 2), 8e9, use('nccl')) / 192).toBeCloseTo(0.98, 2);
  });
  test('eight DGX H100 and 1 GB: within what is measured, 350 to 480 GB/s, but for 1 %', () => {
    const reached = ([undefined, 'nvls', 'nvls_tree'] as const).map((algorithm) =>
      Math.round(busBandwidth(stdCluster('dgx_h100', 8), 1e9, use('nccl', { algorithm }))),
    );
    expect(reached).toEqual([348, 381, 354]);
    expect(busBandwidth(stdCluster('dgx_h100', 8), 1e9, use('nccl', { channels: 1 }))).toBeLessThan(50);
  });
  test('one DGX H100, NVLink SHARP: 476 GB/s (nccl-tests issue 290)', () => {
    const one = stdCluster('dgx_h100', 1);
    expect(busBandwidth(one, 8e9, use('nccl', { algorithm: 'nvls' })) / 476).toBeCloseTo(1, 2);
    expect(busBandwidth(one, 8e9, use('nccl', { algorithm: 'ring' })) / 370).toBeCloseTo(1, 2);
  });
});

describe('algorithms of NCCL', () => {
  const h100 = (nodes: number) => stdCluster('dgx_h100', nodes);
  const seconds = (cluster: ClusterDefinition, algorithm: CollectiveUse['algorithm'], bytes: number): number => {
    const call = costOf(use('nccl', { algorithm }), { cluster, groups: all(cluster) });
    return 'push' in call ? callSeconds(call.push, bytes) : NaN;
  };
  test('NVLink SHARP by the factors of tuning.cc', () => {
    // 8 channels of 40 of 370/8 GB/s; 2 · 0.85 · 7/8 of them.
    expect(seconds(h100(1), 'nvls', 1e9)).toBeCloseTo(25e-6 + ((2 * 7) / 8) * (1 / (8 * 40 * 2 * 0.85 * (7 / 8))), 12);
    // Between nodes 45 inside, and cards of 48: the network sums up.
    expect(seconds(h100(8), 'nvls', 1e9)).toBeCloseTo(43e-6 + ((2 * 63) / 64) * (1 / (8 * 48)), 12);
    // Channels of a tree have at most 57.7 GB/s over two nodes, and 45.5 over more.
    expect(seconds(h100(2), 'nvls_tree', 1e9)).toBeCloseTo(66.8e-6 + ((2 * 15) / 16) * (1 / (8 * 57.7)), 12);
    expect(seconds(h100(8), 'nvls_tree', 1e9)).toBeCloseTo(150.4e-6 + ((2 * 63) / 64) * (1 / (8 * 45.5)), 12);
  });
  test('SHARP in the network by the factors of tuning.cc', () => {
    // A head for each GPU. Links inside carry 45 GB/s for each channel, less than twice a card.
    expect(seconds(h100(8), 'collnet_direct', 1e9)).toBeCloseTo(
      (2 * (3.7 + 7 * 0.4) + 31) * 1e-6 + 2 / (8 * 45 * 0.85),
      12,
    );
    expect(seconds(h100(8), 'collnet_chain', 1e9)).toBeCloseTo((2 * 7 * 2.8 + 30) * 1e-6 + 2 / (8 * 45), 12);
    // Its time does not depend on the number of nodes.
    expect(seconds(h100(2), 'collnet_chain', 1e9)).toBe(seconds(h100(8), 'collnet_chain', 1e9));
    // Slow cards: each carries S/8 once in each direction.
    const slow = clusterOf('node[2] { gpu[8] = x  link = 400GB/s + 2us }  link = 12.5GB/s + 5us');
    expect(seconds(slow, 'collnet_chain', 1e9)).toBeCloseTo(69.2e-6 + 1 / (8 * 12), 12);
  });
  test('ring or tree alone, of which the default is the faster one', () => {
    for (const bytes of [1e3, 1e6, 1e9])
      expect(seconds(h100(8), undefined, bytes)).toBe(
        Math.min(seconds(h100(8), 'ring', bytes), seconds(h100(8), 'tree', bytes)),
      );
    expect(seconds(h100(8), 'tree', 1e3)).toBeLessThan(seconds(h100(8), 'ring', 1e3));
  });
  test.each<[string, ClusterDefinition, Groups, NonNullable<CollectiveUse['algorithm']>, string]>([
    ['one node', h100(1), [[0, 1, 2, 3]], 'nvls_tree', '`nvls`: all ranks are in one node'],
    ['one node', h100(1), [[0, 1, 2, 3]], 'collnet_direct', '`ring` or `tree`: all ranks are in one node'],
    [
      ...(['a rank in each node', h100(2), [[0, 8]], 'collnet_chain'] as const),
      '`ring` or `tree`: CollNet needs two ranks or more in a node, and equally many in all',
    ],
    [
      'PCIe',
      clusterOf('gpu[8] = x  link = 12GB/s'),
      [[0, 1]],
      'nvls',
      '`ring` or `tree`: NVLink SHARP needs NVLinks inside the nodes',
    ],
    [
      ...(['uneven nodes', h100(2), [[0, 1, 8]], 'nvls'] as const),
      '`ring` or `tree`: NVLink SHARP needs two ranks or more in a node, and equally many in all',
    ],
  ])('%s: what would fit is said', (_, cluster, groups, algorithm, allowed) => {
    expect(costOf(use('nccl', { algorithm }), { cluster, groups })).toEqual({
      ...{ argument: 'algorithm', value: algorithm, allowed },
    });
  });
});
