/** Collectives on written clusters, against closed forms. */
import { describe, expect, test } from 'vitest';
import { callSeconds } from '../../../../engine/basics/callCost.ts';
import type { ClusterDefinition } from '../../../../engine/definitions/cluster.ts';
import type { LaneCall } from '../../../../engine/values/exchangePlan.ts';
import { blueconnectCall } from '../../../../engine/network/collectives/blueconnect.ts';
import { levelsOf } from '../../../../engine/network/collectives/levels.ts';
import { singleLinkage } from '../../../../engine/network/collectives/linkage.ts';
import { levelsOver, nodePartitions } from '../../../../engine/network/collectives/partitions.ts';
import { ncclRanksOf } from '../../../../engine/network/collectives/ncclRanks.ts';
import { plinkCall } from '../../../../engine/network/collectives/plink.ts';
import { ringCall } from '../../../../engine/network/collectives/ring.ts';
import { type Groups, ringsAtOnce } from '../../../../engine/network/collectives/rings.ts';
import { slowLinks } from '../../../../engine/network/collectives/slowLinks.ts';
import { treesCall, treesWithServers } from '../../../../engine/network/collectives/trees.ts';
import { exampleText } from '../../../support/example.ts';
import * as fc from '../../../support/property.ts';
import { anyCluster } from '../routesArbitrary.ts';
import { clusterIn, clusterOf } from '../routesClusters.ts';
import { hardware } from '../../../../engine/std/hardware.ts';

const bytes = 100e6;
const large = 64 * 1024 ** 2;
const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

function ringOf(cluster: ClusterDefinition, groups: Groups) {
  const ring = ringsAtOnce(cluster, groups, large);
  if ('from' in ring) throw new Error('no route');
  return ring;
}
function treesOf(cluster: ClusterDefinition, groups: Groups): LaneCall {
  const call = treesCall(cluster, groups, ringOf(cluster, groups), large);
  if (!('push' in call)) throw new Error('no trees');
  return call;
}
/** GB/s that bytes move at, without latency. */
const rateOf = ({ push }: LaneCall): number => 1e-9 / (callSeconds(push, 1) - callSeconds(push, 0));
function levelsIn(cluster: ClusterDefinition, groups: Groups) {
  const partitions = nodePartitions(cluster, groups);
  if ('problem' in partitions) return partitions;
  const levels = levelsOver(cluster, partitions, bytes);
  if ('from' in levels) throw new Error('no route');
  return levels.map(({ ranks, ring }) => ({ ranks, ring }));
}

describe('trees', () => {
  test.each<[string, string, number, number, number]>([
    ['8 of equal ports', 'gpu[8] = x  link = 10GB/s + 10us', 8, 40 / 7, 20],
    [
      '8 of equal ports of a switch',
      'switch fabric {}  gpu[8] = x  link gpu[0..7] -- fabric = 10GB/s + 5us',
      8,
      40 / 7,
      20,
    ],
    [
      'a slow port',
      'switch fabric {}  gpu[8] = x  link gpu[0..6] -- fabric = 10GB/s  link gpu[7] -- fabric = 1GB/s',
      8,
      1,
      0,
    ],
    ['two', 'gpu[2] = x  link = 10GB/s + 10us', 2, 10, 20],
    // Of 3 edges both directions take a shared link, and a half link's port in turn.
    ['a shared bus', 'gpu[4] = x  link = shared(12GB/s)', 4, 2, 0],
    ['half duplex', 'gpu[4] = x  link = half(12GB/s)', 4, 4, 0],
    [
      'a triangle of named links',
      'gpu[3] = x  link gpu[0] -- gpu[1..2] = 10GB/s  link gpu[1] -- gpu[2] = 1GB/s',
      3,
      10.5,
      0,
    ],
  ])('of %s', (_, body, ranks, rate, us) => {
    const call = treesOf(clusterOf(body), [range(ranks)]);
    expect(rateOf(call)).toBeCloseTo(rate, 6);
    expect(callSeconds(call.push, 0) * 1e6).toBeCloseTo(us, 9);
    expect(call.halves).toBeUndefined();
  });

  test('of a DGX-1 take its NVLinks only', () => {
    const example = exampleText('nvlink-hops.pipe').replace(/^import.*$/m, '');
    const start = example.indexOf('cluster dgx1');
    const cluster = example.slice(start, example.indexOf('\n}\n', start) + 3);
    const double = /let double_link = .*/.exec(example)?.[0] ?? '';
    expect(rateOf(treesOf(clusterIn(`${hardware}\n${double}\n${cluster}`), [range(8)]))).toBeCloseTo(480 / 7, 6);
  });

  test('named links that join all ranks are used alone, and not what else there is', () => {
    const circle = 'link gpu[0] -- gpu[1] = 10GB/s  link gpu[1] -- gpu[2] = 10GB/s  link gpu[2] -- gpu[3] = 10GB/s';
    const joined = clusterOf(`gpu[4] = x  link = 20GB/s  ${circle}  link gpu[0] -- gpu[3] = 10GB/s`);
    expect(rateOf(treesOf(joined, [range(4)]))).toBeCloseTo(40 / 3, 6);
  });

  test('the slowest of the groups decides', () => {
    const cluster = clusterOf(`node[1] { gpu[4] = x  link = 10GB/s }  node[1] { gpu[4] = x  link = 40GB/s }`);
    const [slow, fast] = [range(4), range(4).map((rank) => rank + 4)];
    expect(rateOf(treesOf(cluster, [fast]))).toBeCloseTo(80 / 3, 6);
    for (const groups of [
      [slow, fast],
      [fast, slow],
    ])
      expect(rateOf(treesOf(cluster, groups))).toBeCloseTo(20 / 3, 6);
  });

  test('groups that cross the same card share it', () => {
    const cluster = clusterOf(`switch fabric {}
      node[2] { gpu[2] = x  switch nic { ports = gpu[0..1]  link = 100GB/s }  link nic -- fabric = 10GB/s }`);
    // One of each node, at the same time as the other one.
    expect(rateOf(treesOf(cluster, [[0, 2]]))).toBeCloseTo(10, 6);
    expect(
      rateOf(
        treesOf(cluster, [
          [0, 2],
          [1, 3],
        ]),
      ),
    ).toBeCloseTo(5, 6);
  });

  test('with servers: the theorem of BytePS', () => {
    const machines = {
      ...{ ranks: 1, count: 8, senders: [], bandwidth: 10e9, latency: 0 },
      inside: { fixed: 0, perByte: 0 },
    };
    expect(rateOf(treesWithServers(machines, 4, 10e9))).toBeCloseTo(55 / 7, 6);
  });

  test('of too many ranks, or without a route, are refused', () => {
    const many = clusterOf('gpu[200] = x  link = 10GB/s');
    expect(treesCall(many, [range(200)], { bandwidth: 1, latency: 0 }, large)).toEqual({
      problem: 'too-many',
      ranks: 200,
    });
    const apart = clusterOf('node[2] { gpu[2] = x  link = 10GB/s }');
    expect(treesCall(apart, [[0, 1, 2]], { bandwidth: 1, latency: 0 }, large)).toEqual({ from: 0, to: 2 });
    expect(treesOf(many, [[3]]).push).toEqual({ kind: 'linear', fixed: 0, perByte: 0 });
  });

  test('of equal ports are as fast as a ring, and a slow port makes the ring 1.75 times slower', () => {
    const equal = clusterOf('gpu[8] = x  link = 10GB/s');
    expect(rateOf(treesOf(equal, [range(8)])) / rateOf(ringCall(8, ringOf(equal, [range(8)])))).toBeCloseTo(1, 9);
    const slow = clusterOf(
      'switch fabric {}  gpu[8] = x  link gpu[0..6] -- fabric = 10GB/s  link gpu[7] -- fabric = 1GB/s',
    );
    expect(rateOf(treesOf(slow, [range(8)])) / rateOf(ringCall(8, ringOf(slow, [range(8)])))).toBeCloseTo(1.75, 9);
  });
});

describe('nested levels', () => {
  test('two are those of nodes, on any cluster', () => {
    fc.assert(
      fc.property(anyCluster, fc.integer({ min: 1, max: 4 }), ({ cluster }, size) => {
        const group = range(Math.floor(cluster.devices.length / size) * size);
        const known = levelsOf(cluster, [group], bytes);
        const depth = Math.max(...cluster.groups.map((node) => node.depth));
        if (known === undefined || 'from' in known || depth !== 1) return;
        expect(levelsIn(cluster, [group])).toEqual(known.map(({ ranks, ring }) => ({ ranks, ring })));
      }),
      { numRuns: 40 },
    );
  });
  test('three: 2 racks of 4 nodes of 8', () => {
    const cluster = clusterOf(
      `node[2] { node[4] { gpu[8] = x  link = 100GB/s + 5us }  link = 10GB/s + 10us }  link = 1GB/s + 20us`,
    );
    const levels = levelsIn(cluster, [range(64)]);
    expect(levels).toEqual([
      { ranks: 8, ring: { bandwidth: 100e9, latency: 5e-6 } },
      { ranks: 4, ring: { bandwidth: 10e9, latency: 10e-6 } },
      { ranks: 2, ring: { bandwidth: 1e9, latency: 20e-6 } },
    ]);
    if ('problem' in levels) throw new Error(levels.problem);
    // 2[7 · 5 + 3 · 10 + 20] us + 2[7/8/100 + 3/4/8/10 + 1/2/32/1] · 100 MB
    const moving = 2 * ((7 / 8) * 1 + (3 / 4 / 8) * 10 + (1 / 2 / 32) * 100);
    expect(callSeconds(blueconnectCall(levels).push, bytes) * 1e3).toBeCloseTo(0.17 + moving, 9);
  });
  test('of ranks that are dealt to and fro, and of groups that share nodes', () => {
    const cluster = clusterOf('node[2] { gpu[4] = x  link = 100GB/s + 5us }  link = 1GB/s + 20us');
    expect(levelsIn(cluster, [[0, 4, 1, 5]])).toEqual(levelsIn(cluster, [[0, 1, 4, 5]]));
    expect(
      levelsIn(cluster, [
        [0, 1, 4, 5],
        [2, 3, 6, 7],
      ]),
    ).toEqual(levelsIn(cluster, [[0, 1, 4, 5]]));
  });
  test('need equal parts', () => {
    const cluster = clusterOf('node[2] { gpu[4] = x  link = 100GB/s + 5us }  link = 1GB/s + 20us');
    expect(levelsIn(cluster, [[0, 1, 2, 4]])).toEqual({ problem: 'uneven', sizes: [3, 1] });
  });
  test('of one node are one', () => {
    const cluster = clusterOf('node[2] { gpu[4] = x  link = 100GB/s + 5us }  link = 1GB/s + 20us');
    expect(levelsIn(cluster, [range(4)])).toEqual([{ ranks: 4, ring: { bandwidth: 100e9, latency: 5e-6 } }]);
    expect(levelsIn(cluster, [[0, 4]])).toEqual([{ ranks: 2, ring: { bandwidth: 1e9, latency: 20e-6 } }]);
    expect(levelsIn(cluster, [[2]])).toEqual([]);
  });
});

describe('plink', () => {
  const secondsOf = (cluster: ClusterDefinition, groups: Groups, size = bytes): number => {
    const call = plinkCall(cluster, groups, large);
    if ('from' in call) throw new Error('no route');
    return callSeconds(call.push, size);
  };
  test('finds levels that no node names', () => {
    // Even devices are near one another, and so are odd ones.
    const cluster = clusterOf(
      ['gpu[8] = x  link = 1GB/s + 20us']
        .concat(
          range(8).flatMap((a) =>
            range(a).map((b) => (a % 2 === b % 2 ? `link gpu[${b}] -- gpu[${a}] = 100GB/s + 5us` : '')),
          ),
        )
        .join(' '),
    );
    const levels = [
      { ranks: 4, ring: { bandwidth: 100e9, latency: 5e-6 } },
      { ranks: 2, ring: { bandwidth: 1e9, latency: 20e-6 } },
    ];
    expect(secondsOf(cluster, [range(8)])).toBeCloseTo(callSeconds(blueconnectCall(levels).push, bytes), 12);
  });
  test('takes two levels of three, and one ring if that is faster', () => {
    const cluster = clusterOf(
      `node[2] { node[2] { gpu[4] = x  link = 100GB/s + 5us }  link = 10GB/s + 10us }  link = 1GB/s + 20us`,
    );
    const levels = levelsIn(cluster, [range(16)]);
    if ('problem' in levels) throw new Error(levels.problem);
    expect(secondsOf(cluster, [range(16)])).toBeCloseTo(callSeconds(blueconnectCall(levels).push, bytes), 12);
    const flat = clusterOf('gpu[8] = x  link = 1GB/s + 20us');
    expect(secondsOf(flat, [range(8)])).toBeCloseTo(callSeconds(ringCall(8, ringOf(flat, [range(8)])).push, bytes), 12);
  });
  test('equal parts remain a level where later groupings are uneven', () => {
    // Pairs at 100 GB/s; gpu[4..7] reach each other at 50 GB/s.
    const cluster = clusterOf(`gpu[8] = x  link = 1GB/s
      link gpu[0] -- gpu[1] = 100GB/s  link gpu[2] -- gpu[3] = 100GB/s  link gpu[4] -- gpu[5] = 100GB/s
      link gpu[6] -- gpu[7] = 100GB/s  link gpu[4..5] -- gpu[6..7] = 50GB/s`);
    const ring = (bandwidth: number) => ({ bandwidth, latency: 0 });
    const levels = [
      { ranks: 2, ring: ring(100e9) },
      { ranks: 4, ring: ring(1e9) },
    ];
    expect(secondsOf(cluster, [range(8)])).toBeCloseTo(callSeconds(blueconnectCall(levels).push, bytes), 12);
  });
  test('uneven parts are left out: one ring remains', () => {
    const cluster = clusterOf(
      'gpu[4] = x  link = 1GB/s  link gpu[0] -- gpu[1..2] = 100GB/s  link gpu[1] -- gpu[2] = 100GB/s',
    );
    expect(secondsOf(cluster, [range(4)])).toBeCloseTo(
      callSeconds(ringCall(4, ringOf(cluster, [range(4)])).push, bytes),
      12,
    );
  });
  test('single linkage joins what chains of fast pairs join (against all chains)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 7 }),
        fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 21, maxLength: 21 }),
        (ranks, rates) => {
          const rate = (a: number, b: number): number =>
            rates[(Math.max(a, b) * (Math.max(a, b) - 1)) / 2 + Math.min(a, b)];
          const groupings = singleLinkage(ranks, rate);
          const bounds = [...new Set(range(ranks).flatMap((a) => range(a).map((b) => rate(a, b))))].sort(
            (a, b) => b - a,
          );
          const expected: string[] = [];
          let before = range(ranks).join(' ');
          for (const bound of bounds) {
            const part = [...range(ranks)];
            for (let round = 0; round < ranks; round += 1)
              for (const a of range(ranks))
                for (const b of range(ranks))
                  if (a !== b && rate(a, b) >= bound) part[a] = part[b] = Math.min(part[a], part[b]);
            if (part.join(' ') !== before) expected.push(part.join(' '));
            before = part.join(' ');
          }
          const named = groupings.map((parts) => [...parts].map((part) => parts.indexOf(part)).join(' '));
          expect(named).toEqual(expected);
        },
      ),
    );
  });
});

describe('nccl', () => {
  const ranksOf = (body: string, groups: Groups) => ncclRanksOf(clusterOf(body), groups, large);
  test('nodes are the innermost ones, and links inside are NVLink or PCIe by their figures', () => {
    const pod = (link: string) =>
      `node[2] { node[4] { gpu[8] = x  link = ${link} }  link = 50GB/s + 9us }  link = 25GB/s + 9us`;
    expect(ranksOf(pod('300GB/s + 3.4us'), [range(64)])).toEqual({ ranks: 64, nodes: 8, inside: 'nvlink' });
    expect(ranksOf(pod('18GB/s + 3.4us'), [range(8)])).toEqual({ ranks: 8, nodes: 1, inside: 'nvlink' });
    expect(ranksOf(pod('12GB/s + 3.4us'), [range(64)]).inside).toBe('pci');
    expect(ranksOf(pod('48GB/s + 5.7us'), [range(64)]).inside).toBe('pci');
    // One rank in each node: no link inside is used.
    expect(ranksOf(pod('12GB/s'), [range(8).map((node) => 8 * node)])).toEqual({
      ranks: 8,
      nodes: 8,
      inside: 'nvlink',
    });
    expect(ranksOf('gpu[8] = x  link = 300GB/s', [range(8)])).toEqual({ ranks: 8, nodes: 1, inside: 'nvlink' });
  });
});

describe('slow links', () => {
  const find = (body: string, groups: Groups) => slowLinks(clusterOf(body), groups, large);
  test('a slow port is named with what the ring would have without it', () => {
    const slow = find(
      'switch fabric {}  gpu[8] = x  link gpu[0..6] -- fabric = 10GB/s  link gpu[7] -- fabric = 1GB/s',
      [range(8)],
    );
    expect(slow).toMatchObject({ ends: [[7, 8]], bandwidth: 1e9, share: 1e9, next: 10e9 });
    if (slow === undefined) throw new Error('none');
    expect(ringOf(slow.without, [range(8)]).bandwidth).toBe(10e9);
    expect(slowLinks(slow.without, [range(8)], large)).toBeUndefined();
  });
  test('links that are alike are not slow', () => {
    expect(find('gpu[8] = x  link = 10GB/s', [range(8)])).toBeUndefined();
    expect(find('gpu[8] = x  link = 10GB/s', [[3]])).toBeUndefined();
    expect(find('node[2] { gpu[2] = x  link = 10GB/s }', [range(4)])).toBeUndefined();
  });
  test('a card that two rings share: without it each of them is as fast as its ports', () => {
    const groups = [
      [0, 2],
      [1, 3],
    ];
    const card = find(
      `switch fabric {}
      node[2] { gpu[2] = x  switch nic { ports = gpu[0..1]  link = 100GB/s }  link nic -- fabric = 10GB/s }`,
      groups,
    );
    expect(card).toMatchObject({ bandwidth: 10e9, share: 5e9, next: 100e9 });
    expect(ringOf(card?.without ?? clusterOf('gpu[4] = x'), groups).bandwidth).toBe(100e9);
  });
  test('the link between nodes, a shared bus, and a named pair', () => {
    const nodes = find('node[2] { gpu[2] = x  link = 10GB/s }  link = 1GB/s', [range(4)]);
    expect(nodes).toMatchObject({ bandwidth: 1e9, next: 10e9 });
    expect(ringOf(nodes?.without ?? clusterOf('gpu[4] = x'), [range(4)]).bandwidth).toBe(10e9);
    const bus = find('gpu[4] = x  link = 50GB/s  link gpu[0] -- gpu[1..3] = shared(8GB/s)', [range(4)]);
    // Two flows of the ring take the bus: from 0 to 1 and from 3 to 0.
    expect(bus).toMatchObject({ bandwidth: 8e9, share: 4e9, next: 50e9 });
    // The faster bus draws other flows to it.
    expect(ringOf(bus?.without ?? clusterOf('gpu[4] = x'), [range(4)]).bandwidth).toBe(25e9);
    const pair = find('gpu[3] = x  link gpu[0] -- gpu[1..2] = 10GB/s  link gpu[1] -- gpu[2] = 1GB/s', [range(3)]);
    expect(pair).toMatchObject({ ends: [[1, 2]], share: 1e9, next: 10e9 });
  });
});
