import * as fc from '../../support/property.ts';
import type { ClusterDefinition } from '../../../engine/definitions/cluster.ts';
import { describe, expect, test } from 'vitest';
import { allToAllRing } from '../../../engine/network/collectives/allToAll.ts';
import { allToAllAtOnce } from './allToAll.ts';
import { callSeconds } from '../../../engine/basics/callCost.ts';
import { blueconnectCall } from '../../../engine/network/collectives/blueconnect.ts';
import { levelsOf } from '../../../engine/network/collectives/levels.ts';
import { type Groups, ringsAtOnce } from '../../../engine/network/collectives/rings.ts';
import { collectiveTime } from '../../../engine/costs/collectives.ts';
import type { Ring } from '../../../engine/costs/types.ts';
import { anyCluster } from './routesArbitrary.ts';
import { clusterOf, stdCluster } from './routesClusters.ts';
import { finish, fill, flowsOf } from './collectivesReference.ts';

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
/** One group for each place of a node, over all nodes. */
const across = (nodes: number, size: number): readonly (readonly number[])[] =>
  range(size).map((place) => range(nodes).map((node) => node * size + place));

const seconds =
  (pattern: 'all_reduce' | 'all_gather' | 'reduce_scatter') => (bytes: number, ranks: number, ring: Ring) =>
    collectiveTime({ pattern, bytes }, ranks, ring);
const allReduceSeconds = seconds('all_reduce');

function hierarchicalAllReduce(cluster: ClusterDefinition, groups: Groups, bytes: number) {
  const levels = levelsOf(cluster, groups, bytes);
  return levels === undefined || 'from' in levels ? levels : callSeconds(blueconnectCall(levels).push, bytes);
}

describe('one collective over a ring', () => {
  const ring = { bandwidth: 10e9, latency: 10e-6 };
  test('of 8 ranks and 100 MB at 10 GB/s and 10 us takes 17.64 ms for an all-reduce, half for its halves', () => {
    expect(allReduceSeconds(100e6, 8, ring)).toBeCloseTo(17.64e-3, 12);
    expect(seconds('reduce_scatter')(100e6, 8, ring)).toBeCloseTo(8.82e-3, 12);
    expect(seconds('all_gather')(100e6, 8, ring)).toBeCloseTo(8.82e-3, 12);
  });
  test('of one rank takes no time, on whatever ring', () => {
    expect(allReduceSeconds(100e6, 1, { bandwidth: 0, latency: 0 })).toBe(0);
    expect(seconds('all_gather')(100e6, 0, ring)).toBe(0);
  });
});

describe('an all-reduce in levels', () => {
  const inside = { bandwidth: 100e9, latency: 5e-6 };
  const between = { bandwidth: 1.25e9, latency: 20e-6 };
  test('of 8 × 4 ranks is far below the flat ring, whose steps are as slow as the slowest', () => {
    expect(allReduceSeconds(100e6, 32, between)).toBeCloseTo(156.24e-3, 12);
    // 14 · (5 us + 12.5 MB / 100 GB/s) + 6 · (20 us + 3.125 MB / 1.25 GB/s)
    const levels = [
      { ranks: 8, ring: inside },
      { ranks: 4, ring: between },
    ];
    expect(callSeconds(blueconnectCall(levels).push, 100e6)).toBeCloseTo(1.82e-3 + 15.12e-3, 12);
  });
  test('on a cluster: each device has a card of its own, or all share one', () => {
    const body = (network: string) =>
      clusterOf(`switch fabric {}  node[4] { gpu[8] = x  link = 100GB/s + 5us  ${network} }`);
    const own = body('link gpu[0..7] -- fabric = 1.25GB/s + 10us');
    expect(hierarchicalAllReduce(own, [range(32)], 100e6)).toBeCloseTo(16.94e-3, 12);
    const shared = body('switch nic { ports = gpu[0..7]  link = 100GB/s + 4us }  link nic -- fabric = 1.25GB/s + 6us');
    // All that the card sends is 2 · 3 / 4 · 100 MB.
    expect(hierarchicalAllReduce(shared, [range(32)], 100e6)).toBeCloseTo(1.82e-3 + 0.12e-3 + 120e-3, 12);
  });
  test('of a group in one node, or with one device in each, has one level', () => {
    const cluster = clusterOf('node[4] { gpu[8] = x  link = 100GB/s + 5us }  link = 1.25GB/s + 20us');
    for (const groups of [[range(8)], across(4, 8), [[0], [9]], []])
      expect(levelsOf(cluster, groups, 100e6)).toBeUndefined();
  });
  test('does not exist where a group is not spread evenly, or has no route', () => {
    const cluster = clusterOf('node[4] { gpu[8] = x  link = 100GB/s + 5us }');
    expect(hierarchicalAllReduce(cluster, [[0, 1, 8]], 1)).toBeUndefined();
    expect(
      hierarchicalAllReduce(
        cluster,
        [
          [0, 1],
          [2, 3, 4],
        ],
        1,
      ),
    ).toBeUndefined();
    expect(hierarchicalAllReduce(cluster, [[0, 1, 8, 9]], 1)).toEqual({ from: 0, to: 8 });
  });
});

describe('rings at once', () => {
  test('share the network card of their node: 8 rings over the 50 GB/s of a p4d get 6.25 each', () => {
    const cluster = stdCluster('p4d', 4);
    for (const count of [1, 2, 3, 8]) {
      const ring = ringsAtOnce(cluster, across(4, 8).slice(0, count), 1e8);
      expect('bandwidth' in ring && ring.bandwidth).toBe(Math.min(24e9, 50e9 / count));
      expect('latency' in ring && ring.latency).toBeCloseTo(25.6e-6, 15);
    }
  });
  test('have their full rate where each device has a card of its own', () => {
    const ring = ringsAtOnce(stdCluster('dgx_h100', 4), across(4, 8), 1e8);
    expect('bandwidth' in ring && ring.bandwidth).toBe(48.5e9);
    expect('latency' in ring && ring.latency).toBeCloseTo(9.6e-6, 15);
  });
  test('inside of nodes do not meet those of other nodes', () => {
    const groups = range(4).map((node) => range(8).map((place) => node * 8 + place));
    expect(ringsAtOnce(stdCluster('p4d', 4), groups, 1e8)).toEqual({ bandwidth: 235e9, latency: 3.4e-6 });
  });
  test('in an order that goes to and fro between nodes are as slow as that', () => {
    const cluster = clusterOf(
      'switch f {}  node[2] { gpu[2] = x  link = 100GB/s  switch nic { ports = gpu[0..1]  link = 90GB/s }  link nic -- f = 10GB/s }',
    );
    expect(ringsAtOnce(cluster, [[0, 1, 2, 3]], 1e8)).toMatchObject({ bandwidth: 10e9 });
    expect(ringsAtOnce(cluster, [[0, 2, 1, 3]], 1e8)).toMatchObject({ bandwidth: 5e9 });
  });
  test('over plain links: full duplex alone, half duplex with the way back, shared with all', () => {
    const on = (link: string) => clusterOf(`gpu[6] = x  link = ${link}`);
    const groups = [
      [0, 1, 2],
      [3, 4, 5],
    ];
    expect(ringsAtOnce(on('12GB/s + 3us'), groups, 1)).toEqual({ bandwidth: 12e9, latency: 3e-6 });
    expect(ringsAtOnce(on('half(12GB/s + 3us)'), groups, 1)).toMatchObject({ bandwidth: 12e9 });
    expect(ringsAtOnce(on('half(12GB/s + 3us)'), [[4, 1]], 1)).toMatchObject({ bandwidth: 6e9 });
    expect(ringsAtOnce(on('12GB/s + 3us'), [[4, 1]], 1)).toMatchObject({ bandwidth: 12e9 });
    expect(ringsAtOnce(on('shared(12GB/s + 3us)'), groups, 1)).toMatchObject({ bandwidth: 2e9 });
  });
  test('over a shared bus of ports count once each, although they come to it twice', () => {
    const bus = clusterOf('gpu[4] = x  switch bus { ports = gpu[0..3]  link = shared(12GB/s + 3us) }');
    expect(ringsAtOnce(bus, [range(4)], 1)).toEqual({ bandwidth: 3e9, latency: 6e-6 });
  });
  test('of one device, of none, or of one device twice, send nothing', () => {
    const cluster = clusterOf('gpu[2] = x  link = 12GB/s + 3us');
    for (const groups of [[], [[]], [[0], [1]], [[1, 1]]])
      expect(ringsAtOnce(cluster, groups, 1)).toEqual({ bandwidth: 0, latency: 0 });
  });
  test('without a route name the two devices', () => {
    const cluster = clusterOf('node[2] { gpu[2] = x  link = 12GB/s }');
    const groups = [
      [0, 1],
      [1, 3],
    ];
    expect(ringsAtOnce(cluster, groups, 1)).toEqual({ from: 1, to: 3 });
    expect(allToAllAtOnce(cluster, groups, 1)).toEqual({ from: 1, to: 3 });
  });
});

describe('all-to-all at once', () => {
  test('over a plain link is (n − 1)·α + (n − 1) / n · S / B', () => {
    const cluster = clusterOf('gpu[8] = x  link = 50GB/s + 5us');
    const seconds = 7 * 5e-6 + (7 / 8) * (64e6 / 50e9);
    expect(allToAllAtOnce(cluster, [range(8)], 64e6)).toBeCloseTo(seconds, 12);
    expect(allToAllAtOnce(cluster, [range(4), [4, 5, 6, 7]], 64e6)).toBeCloseTo(3 * 5e-6 + (3 / 4) * (64e6 / 50e9), 12);
  });
  test('over a switch likewise: the port of each device is the fullest link', () => {
    const cluster = stdCluster('dgx_h100', 1);
    expect(allToAllAtOnce(cluster, [range(8)], 64e6)).toBeCloseTo(7 * 3.4e-6 + (7 / 8) * (64e6 / 370e9), 12);
  });
  test('between nodes is limited by the share of the network card', () => {
    // Of the 64 MB of each of 8 devices half stay in the node: 8 · 32 MB leave over 50 GB/s.
    const seconds = 15 * 25.6e-6 + (8 * 32e6) / 50e9;
    expect(allToAllAtOnce(stdCluster('p4d', 2), [range(16)], 64e6)).toBeCloseTo(seconds, 12);
    // A card each: 32 MB over 48.5 GB/s.
    const own = 15 * 9.6e-6 + 32e6 / 48.5e9;
    expect(allToAllAtOnce(stdCluster('dgx_h100', 2), [range(16)], 64e6)).toBeCloseTo(own, 12);
  });
  test('over plain links inside and between nodes uses both at once, each as a port of the device', () => {
    const cluster = clusterOf('node[2] { gpu[4] = x  link = 40GB/s }  link = 10GB/s');
    expect(allToAllAtOnce(cluster, [range(8)], 80e6)).toBeCloseTo((4 * 10e6) / 10e9, 12);
    const fast = clusterOf('node[2] { gpu[4] = x  link = 5GB/s }  link = 10GB/s');
    expect(allToAllAtOnce(fast, [range(8)], 80e6)).toBeCloseTo((3 * 10e6) / 5e9, 12);
  });
  test('over half duplex pairs of two, and one shared link', () => {
    expect(allToAllAtOnce(clusterOf('gpu[2] = x  link = half(10GB/s)'), [range(2)], 20e6)).toBeCloseTo(2e-3, 12);
    expect(allToAllAtOnce(clusterOf('gpu[4] = x  link = shared(10GB/s)'), [range(4)], 20e6)).toBeCloseTo(6e-3, 12);
  });
  test('over links that are named for each pair is as long as one of them', () => {
    const mesh = clusterOf('gpu[4] = x  link gpu[0..3] -- gpu[0..3] = 10GB/s + 1us');
    expect(allToAllAtOnce(mesh, [range(4)], 40e6)).toBeCloseTo(3e-6 + 1e-3, 12);
  });
  test('has a ring that takes as long, whatever the size', () => {
    const cluster = stdCluster('p4d', 2);
    const ring = allToAllRing(cluster, [range(16)], 1e6);
    if (!('bandwidth' in ring)) throw new Error('no route');
    // 15 of 16 parts in the time in which the card sends 8 · 8 of 16: 50 GB/s · 15 / 64.
    expect(ring.bandwidth).toBeCloseTo((50e9 * 15) / 64, 0);
    expect(ring.latency).toBeCloseTo(25.6e-6, 15);
    for (const bytes of [1e5, 64e6])
      expect(15 * (ring.latency + bytes / 16 / ring.bandwidth)).toBeCloseTo(
        Number(allToAllAtOnce(cluster, [range(16)], bytes)),
        12,
      );
    const plain = clusterOf('gpu[8] = x  link = 50GB/s + 5us');
    const own = allToAllRing(plain, [range(4), [4, 5, 6, 7]], 1e6);
    expect('bandwidth' in own && own.bandwidth).toBeCloseTo(50e9, 0);
    expect('latency' in own && own.latency).toBeCloseTo(5e-6, 15);
    expect(allToAllRing(plain, [[0], [1]], 1e6)).toEqual({ bandwidth: 0, latency: 0 });
    expect(allToAllRing(clusterOf('gpu[2] = x'), [[0, 1]], 1e6)).toEqual({ from: 0, to: 1 });
  });
  test('that sends tokens once to each of their nodes takes what its fullest link needs (arXiv:2412.19437, section 3.2.2)', () => {
    // Eight experts on at most four of eight nodes: seven eighths of four copies leave a device, and relays send seven eighths of
    // eight copies inside a node.
    const text = (inside: number) => `node[8] { gpu[8] = x  link = ${inside}GB/s + 3us }  link = 50GB/s + 10us`;
    const ringOf = (inside: number, groups: readonly (readonly number[])[], limit = { copies: 8, nodes: 4 }) => {
      const ring = allToAllRing(clusterOf(text(inside)), groups, 1e6, limit);
      if (!('bandwidth' in ring)) throw new Error('no route');
      return ring;
    };
    const seconds = (ring: ReturnType<typeof ringOf>, ranks: number, bytes: number) =>
      (ranks - 1) * (ring.latency + bytes / ranks / ring.bandwidth);
    const delay = 7 * 10e-6 + 7 * 3e-6;
    const network = ringOf(160, [range(64)]);
    expect(seconds(network, 64, 64e6)).toBeCloseTo(delay + ((7 / 8) * 32e6) / 50e9, 12);
    expect(((network.sent ?? 0) * 63) / 64).toBeCloseTo((7 / 8) * (4 / 8) + 7 / 8, 12);
    // A slower fabric inside nodes is the fullest link.
    expect(seconds(ringOf(40, [range(64)]), 64, 64e6)).toBeCloseTo(delay + ((7 / 8) * 64e6) / 40e9, 12);
    // Two nodes: a token goes to each of them once, whatever the limit.
    const pair = ringOf(160, [range(16)]);
    expect(seconds(pair, 16, 64e6)).toBeCloseTo(10e-6 + 7 * 3e-6 + ((7 / 8) * 64e6) / 160e9, 12);
    expect(pair.sent).toBeCloseTo((1 / 8 + 7 / 8) / (15 / 16), 12);
    // As many nodes as copies: nothing is saved on the network.
    expect(seconds(ringOf(160, [range(64)], { copies: 8, nodes: 8 }), 64, 64e6)).toBeCloseTo(
      delay + ((7 / 8) * 64e6) / 50e9,
      12,
    );
    // Inside a node there is nothing to limit.
    const inside = ringOf(160, [range(8)]);
    expect(seconds(inside, 8, 64e6)).toBeCloseTo(7 * 3e-6 + ((7 / 8) * 64e6) / 160e9, 12);
    expect(inside.sent).toBeCloseTo(1, 12);
    expect(allToAllRing(clusterOf('gpu[2] = x'), [[0, 1]], 1e6, { copies: 2, nodes: 1 })).toEqual({ from: 0, to: 1 });
  });
  test('of single devices takes no time', () => {
    expect(allToAllAtOnce(clusterOf('gpu[2] = x'), [[0], [1]], 1e9)).toBe(0);
    expect(allToAllAtOnce(clusterOf('gpu[2] = x'), [], 1e9)).toBe(0);
  });
});

describe('any cluster, devices dealt to groups of one size', () => {
  const dealt = anyCluster.chain(({ cluster, text }) =>
    fc.record({
      cluster: fc.constant(cluster),
      text: fc.constant(text),
      order: fc.shuffledSubarray([...range(cluster.devices.length)], { minLength: cluster.devices.length }),
      size: fc.integer({ min: 2, max: 4 }),
    }),
  );
  const groupsOf = (order: readonly number[], size: number): readonly (readonly number[])[] =>
    range(Math.floor(order.length / size)).map((group) => order.slice(group * size, (group + 1) * size));

  test('the rate of rings is the least of max-min fair shares', () => {
    let [tried, met] = [0, 0];
    fc.assert(
      fc.property(dealt, ({ cluster, text, order, size }) => {
        const groups = groupsOf(order, size);
        const ring = ringsAtOnce(cluster, groups, 5);
        const pairs = groups.flatMap((group) => group.map((from, at) => [from, group[(at + 1) % size]] as const));
        const flows = flowsOf(cluster, pairs, 5);
        if (flows === undefined) {
          expect('from' in ring, text).toBe(true);
          return;
        }
        if (flows.length === 0) return;
        const rates = fill(flows);
        tried += 1;
        if (Math.min(...rates) < Math.min(...flows.map(({ bandwidth }) => bandwidth)) - 1e-9) met += 1;
        expect('bandwidth' in ring && ring.bandwidth, text).toBeCloseTo(Math.min(...rates), 9);
        expect('latency' in ring && ring.latency, text).toBe(Math.max(...flows.map(({ latency }) => latency)));
      }),
      { numRuns: 400 },
    );
    // Flows slow one another in a good part of them.
    expect(met).toBeGreaterThan(tried / 10);
  });

  test('an all-to-all ends when its flows do at max-min fair rates, made anew whenever one ends', () => {
    let tried = 0;
    fc.assert(
      fc.property(dealt, ({ cluster, text, order, size }) => {
        const groups = groupsOf(order, size);
        const seconds = allToAllAtOnce(cluster, groups, 5 * size);
        const pairs = groups.flatMap((group) =>
          group.flatMap((from) => group.flatMap((to) => (from === to ? [] : [[from, to] as const]))),
        );
        const flows = flowsOf(cluster, pairs, 5);
        if (flows === undefined) {
          expect(typeof seconds, text).toBe('object');
          return;
        }
        // Devices send one after another over plain links; there is no such thing among these flows.
        if (flows.length === 0 || flows.some(({ plain }) => plain)) return;
        tried += 1;
        const delays = groups.map((group) => {
          const own = flows.filter(({ from }) => group.includes(from));
          return (size - 1) * Math.max(...own.map(({ latency }) => latency));
        });
        expect(seconds, text).toBeCloseTo(Math.max(...delays) + finish(flows, 5), 9);
      }),
      { numRuns: 400 },
    );
    expect(tried).toBeGreaterThan(20);
  });
});

// A search for each flow takes longer than the limit of a test.
test('16,384 flows over 2,048 nodes', () => {
  const cluster = stdCluster('dgx_h100', 2048);
  const groups = range(128).map((group) =>
    range(128).map((rank) => Math.floor(group / 8) * 1024 + rank * 8 + (group % 8)),
  );
  const ring = ringsAtOnce(cluster, groups, 1e6);
  expect('bandwidth' in ring && ring.bandwidth).toBe(48.5e9);
});
