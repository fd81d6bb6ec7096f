/** Sets of devices that can change places leave every route as fast as it was. */
import { expect, test } from 'vitest';
import { interchangeable } from '../../../engine/planning/place/interchangeable.ts';
import { routeBetween } from '../../../engine/network/routes/routeBetween.ts';
import type { ClusterDefinition } from '../../../engine/definitions/cluster.ts';
import * as fc from '../../support/property.ts';
import { anyCluster } from '../network/routesArbitrary.ts';
import { clusterOf, stdCluster } from '../network/routesClusters.ts';

const range = (first: number, count: number): readonly number[] => Array.from({ length: count }, (_, at) => first + at);
const rows = (count: number, size: number): readonly (readonly number[])[] =>
  range(0, count).map((row) => range(row * size, size));

/** Figures of the routes from each device of one set to each of another, or of the same. */
const figures = (cluster: ClusterDefinition, from: readonly number[], to: readonly number[]) =>
  from.flatMap((a) =>
    to.map((b) => {
      const route = a === b ? undefined : routeBetween(cluster, a, b, 10);
      return route === undefined ? 'none' : `${route.bandwidth} ${route.latency}`;
    }),
  );

test('routes between two nodes that are, and to all other devices, are the same after they changed places', () => {
  let found = 0;
  fc.assert(
    fc.property(anyCluster, ({ cluster, text }) => {
      const { groups, nodes, devices } = cluster;
      const sets = nodes.map((node) => range(groups[node].first, groups[node].end - groups[node].first));
      for (const [at, one] of sets.entries())
        for (const other of sets.slice(at + 1)) {
          if (!interchangeable(cluster, [one, other])) continue;
          found += 1;
          const rest = range(0, devices.length).filter((device) => !one.includes(device) && !other.includes(device));
          expect(figures(cluster, one, one), text).toEqual(figures(cluster, other, other));
          expect(figures(cluster, one, other), text).toEqual(figures(cluster, other, one));
          expect(figures(cluster, one, rest), text).toEqual(figures(cluster, other, rest));
        }
    }),
    { numRuns: 150 },
  );
  expect(found).toBeGreaterThan(50);
});

test('whole nodes of one kind are, parts of one node and nodes of two kinds are not', () => {
  const two = clusterOf('node[8] { gpu[4] = x  link = 8B/s }  link = 1B/s');
  expect(interchangeable(two, rows(4, 8))).toBe(true);
  expect(interchangeable(two, rows(8, 4))).toBe(true);
  expect(interchangeable(two, rows(16, 2))).toBe(false);
  // Two nodes side by side, and two that are not, are of the same speed: the network has one level.
  expect(interchangeable(two, [range(0, 8), [...range(8, 4), ...range(16, 4)]])).toBe(true);
  // Three devices of a node, then one of the next.
  expect(interchangeable(two, [range(0, 4), [4, 5, 6, 8]])).toBe(false);
  const faster = 'node[2] { gpu[2] = x  link = 8B/s }  node[2] { gpu[2] = x  link = 9B/s }  link = 1B/s';
  expect(interchangeable(clusterOf(faster), rows(4, 2))).toBe(false);
  const inner = (link: string) => `node[2] { node[2] { gpu[2] = x  link = 8B/s }  link = ${link} }  link = 1B/s`;
  expect(interchangeable(clusterOf(inner('4B/s')), rows(2, 4))).toBe(true);
  expect(interchangeable(clusterOf(inner('4B/s')), rows(4, 2))).toBe(false);
  expect(interchangeable(stdCluster('dgx_h100', 8), rows(4, 16))).toBe(true);
  expect(interchangeable(stdCluster('dgx_h100', 8), rows(16, 4))).toBe(false);
});
