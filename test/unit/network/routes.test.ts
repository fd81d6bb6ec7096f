import * as fc from '../../support/property.ts';
import type { ClusterDefinition } from '../../../engine/definitions/cluster.ts';
import { describe, expect, test } from 'vitest';
import { type Route, routeBetween } from '../../../engine/network/routes/routeBetween.ts';
import { anyCluster } from './routesArbitrary.ts';
import { clusterOf, stdCluster } from './routesClusters.ts';
import { referenceRoute } from './routesReference.ts';

const routeOf = (cluster: ClusterDefinition, from: number, to: number, bytes: number): Route => {
  const route = routeBetween(cluster, from, to, bytes);
  if (route === undefined) throw new Error(`no route from ${from} to ${to}`);
  return route;
};

/** Channels of one direction of one pair name the pair. */
const ends = ({ channel }: { readonly channel: string }): readonly number[] =>
  (channel.split('/')[2] ?? '').split('-').map(Number);

describe('a route', () => {
  test('is that of a search from one end with nothing kept, for all pairs of any cluster', () => {
    let [pairs, ways] = [0, 0];
    fc.assert(
      fc.property(
        anyCluster,
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 3 }),
        (any, sizes) => {
          const { cluster, text } = any;
          for (const bytes of sizes) {
            for (let from = 0; from < cluster.devices.length; from += 1) {
              for (let to = 0; to < cluster.devices.length; to += 1) {
                if (from === to) continue;
                const route = routeBetween(cluster, from, to, bytes);
                const reference = referenceRoute(cluster, from, to, bytes);
                const figures = ({ bandwidth, latency }: Route) => ({ bandwidth, latency });
                expect(route && figures(route), `${text}\n${from} to ${to}, ${bytes}`).toEqual(
                  reference && figures(reference),
                );
                pairs += 1;
                if ((route?.hops.length ?? 0) > 1) ways += 1;
              }
            }
          }
        },
      ),
      { numRuns: 50 },
    );
    // Most have more hops than one, or this tests little.
    expect(ways).toBeGreaterThan(pairs / 4);
  });

  test('goes from link to link of the cluster, from the one device to the other', () => {
    fc.assert(
      fc.property(anyCluster, ({ cluster, text }) => {
        const { groups, named } = cluster;
        for (let from = 0; from < cluster.devices.length; from += 1) {
          for (let to = 0; to < cluster.devices.length; to += 1) {
            const route = from === to ? undefined : routeBetween(cluster, from, to, 7);
            if (route === undefined || route.hops.some((hop) => hop.channel.split('/').length < 3)) continue;
            let at = from;
            for (const hop of route.hops) {
              // Of half duplex links both directions have one name.
              const [a, b] = ends(hop);
              const next = a === at ? b : a;
              expect([a, b], text).toContain(at);
              const link = named.get(at)?.get(next)?.link ?? groups[Number(hop.channel.split('/')[1])].link;
              expect([hop.bandwidth, hop.latency], text).toEqual([link?.bandwidth, link?.latency]);
              at = next;
            }
            expect(at, text).toBe(to);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  test.each(['dgx_h100', 'dgx1_v100', 'pcie_a100', 'p3dn', 'p4d', 'hetpipe'])(
    'of three nodes of %s likewise',
    (name) => {
      const cluster = stdCluster(name, 3);
      for (const bytes of [1, 1e5, 1e9]) {
        for (let from = 0; from < cluster.devices.length; from += 1) {
          for (let to = 0; to < cluster.devices.length; to += 1) {
            if (from === to) continue;
            const route = routeOf(cluster, from, to, bytes);
            const reference = referenceRoute(cluster, from, to, bytes);
            expect(route.bandwidth).toBe(reference?.bandwidth);
            // Ways that tie may add their latencies in another order.
            expect(route.latency).toBeCloseTo(reference?.latency ?? 0, 15);
            expect(route.hops.length).toBe(reference?.hops.length);
          }
        }
      }
    },
  );

  test('of no bytes is the way of least latency', () => {
    fc.assert(
      fc.property(anyCluster, ({ cluster }) => {
        for (let to = 1; to < cluster.devices.length; to += 1) {
          const reference = referenceRoute(cluster, 0, to, 0);
          expect(routeBetween(cluster, 0, to, 0)?.latency).toBe(reference?.latency);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('may lead through a device of a third node, which nodes linked alike do not share', () => {
    // Node 0 and node 2 reach the switch slowly, and node 1, which is the same but for these links, fast.
    const relay = clusterOf(`switch fabric {}
      node[4] { gpu[2] = x  link = 9GB/s  link gpu[0..1] -- fabric = 1GB/s + 1us }
      link gpu[0] -- gpu[2] = 50GB/s + 1us
      link gpu[4] -- gpu[2] = 50GB/s + 1us`);
    expect(routeOf(relay, 0, 4, 1e9)).toMatchObject({ bandwidth: 50e9, latency: 2e-6 });
    expect(routeOf(relay, 0, 4, 1e9).hops.map(ends)).toEqual([
      [0, 2],
      [2, 4],
    ]);
    expect(routeOf(relay, 0, 6, 1e9)).toMatchObject({ bandwidth: 1e9, latency: 2e-6 });
    expect(routeOf(relay, 1, 5, 1e9).hops.map(ends)).toEqual([
      [1, 8],
      [8, 5],
    ]);
  });

  test('to nodes that are alike leads over the link of just this node', () => {
    const cluster = clusterOf(`node[2] { gpu[2] = x  link gpu[0] -- gpu[1] = 9GB/s }
      node[2] { gpu[1] = x }
      link gpu[0] -- gpu[4..5] = 5GB/s + 1us`);
    for (const to of [4, 5]) {
      expect(routeOf(cluster, 1, to, 1e9).hops.map(ends)).toEqual([
        [1, 0],
        [0, to],
      ]);
      expect(routeOf(cluster, to, 1, 1e9).hops.map(ends)).toEqual([
        [to, 0],
        [0, 1],
      ]);
    }
    // Links that both name are not the same where they lead to different devices.
    const pairs = clusterOf(
      'gpu[5] = x  link gpu[0..1] -- gpu[2..3] = 5GB/s + 1us  link gpu[3] -- gpu[4] = 5GB/s + 1us',
    );
    expect(routeOf(pairs, 0, 1, 1e9).hops).toHaveLength(2);
    expect(routeOf(pairs, 0, 2, 1e9).hops).toHaveLength(1);
    expect(routeOf(pairs, 2, 3, 1e9).hops).toHaveLength(2);
    expect(routeOf(pairs, 2, 4, 1e9).hops).toHaveLength(3);
  });

  test('of equal nodes has the same figures and channels of its own', () => {
    const cluster = stdCluster('p4d', 5);
    // NVSwitch and network card of node k follow the fabric.
    const [fabric, nic] = [40, (node: number) => 42 + 2 * node];
    for (const [from, to] of [
      [0, 8],
      [17, 38],
      [38, 17],
      [9, 25],
    ]) {
      const route = routeOf(cluster, from, to, 1e6);
      expect(route.bandwidth).toBe(24e9);
      expect(route.latency).toBeCloseTo(25.6e-6, 15);
      const [out, into] = [nic(Math.floor(from / 8)), nic(Math.floor(to / 8))];
      expect(route.hops.map(ends)).toEqual([
        [from, out],
        [out, fabric],
        [fabric, into],
        [into, to],
      ]);
    }
  });

  test('from a device to itself is the plain link around it', () => {
    expect(routeBetween(stdCluster('dgx_h100', 2), 3, 3, 1)).toBeUndefined();
    expect(routeBetween(clusterOf('gpu[2] = x  link = 1GB/s'), 1, 1, 1)?.bandwidth).toBe(1e9);
  });
});

describe('thousands of nodes', () => {
  // A search from one end opens all ports of the switch for each pair: that takes longer than the limit of a test.
  test('with a card for each device: 16,384 routes between neighbours of rings', () => {
    const cluster = stdCluster('dgx_h100', 2048);
    for (let from = 0; from < 16_384; from += 1) {
      const to = (from + 1024) % 16_384;
      const { bandwidth, latency, hops } = routeOf(cluster, from, to, 1e6);
      if (bandwidth !== 48.5e9 || Math.abs(latency - 9.6e-6) > 1e-15 || hops.length !== 2)
        throw new Error(`${from} to ${to}: ${bandwidth}, ${latency}, ${hops.length}`);
    }
  });

  test('around switches below one switch, and on one switch', () => {
    const pods = clusterOf(`switch spine {}
      node[64] { switch leaf {}  node[16] { gpu[8] = x  link = 300GB/s + 2us  link gpu[0..7] -- leaf = 40GB/s + 3us }
        link leaf -- spine = 400GB/s + 1us }`);
    const flat = clusterOf('node[1] { gpu[8192] = x  switch s { ports = gpu[0..8191]  link = 10GB/s + 2us } }');
    for (let from = 0; from < 8192; from += 1) {
      const [one, other] = [pods, flat].map(
        (cluster) => routeBetween(cluster, from, (from + 999) % 8192, 1e6)?.latency,
      );
      if (Math.abs((one ?? 0) - 8e-6) > 1e-15 || other !== 4e-6) throw new Error(`${from}: ${one}, ${other}`);
    }
  });
});
