import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { toEnd } from '../../../engine/basics/steps.ts';
import { alikeTransfers, type Pairing } from '../../../engine/network/alikeTransfers.ts';
import { routeBetween } from '../../../engine/network/routes/routeBetween.ts';
import { anyCluster } from './routesArbitrary.ts';
import { stdCluster } from './routesClusters.ts';

const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, at) => from + at);
const bytes = 1e6;

/** What each transfer sees of its hops: their rates, and how many transfers of each pairing take them. */
function profiles(cluster: Parameters<typeof routeBetween>[0], pairings: readonly Pairing[]) {
  const users = new Map<string, number[]>();
  const routes = pairings.map(({ from, to }, pairing) =>
    range(0, Math.min(from.length, to.length)).map((position) => {
      const route = routeBetween(cluster, from[position], to[position], bytes);
      for (const { channel } of route?.hops ?? []) {
        const counts = users.get(channel) ?? pairings.map(() => 0);
        counts[pairing] += 1;
        users.set(channel, counts);
      }
      return route;
    }),
  );
  return routes.map((all) =>
    all.map((route) =>
      route?.hops.map(({ channel, bandwidth }) => `${bandwidth}: ${users.get(channel)?.join() ?? ''}`).join(' | '),
    ),
  );
}

describe('transfers that are alike', () => {
  it('see the same of their hops, and one of each kind is told', () => {
    fc.assert(
      fc.property(
        anyCluster,
        fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { minLength: 1, maxLength: 5 }),
        ({ cluster }, asked) => {
          const count = cluster.devices.length;
          if (count < 2) return;
          const pairings = asked.flatMap(([a, b, size]) => {
            const [from, to] = [a % count, b % count];
            const length = 1 + (size % Math.max(1, Math.min(Math.abs(from - to), count - Math.max(from, to))));
            return from === to ? [] : [{ from: range(from, from + length), to: range(to, to + length) }];
          });
          const expected = profiles(cluster, pairings);
          for (const [pairing, found] of toEnd(alikeTransfers(cluster, pairings, bytes, false)).entries()) {
            const own = expected[pairing];
            if ('unreachable' in found) {
              expect(own).toContain(undefined);
              continue;
            }
            // A pairing without a route is counted in part, and the file refused.
            if (expected.flat().includes(undefined)) continue;
            expect(found.telling[0].position).toBe(0);
            const { from, to } = pairings[pairing];
            const latencies = range(0, Math.min(from.length, to.length)).map(
              (position) => routeBetween(cluster, from[position], to[position], bytes)?.latency ?? 0,
            );
            expect(found.latency).toBe(Math.max(...latencies));
            const kinds = found.telling.map(({ position }) => own[position]);
            expect(new Set(kinds).size).toBe(kinds.length);
            expect(new Set(kinds)).toEqual(new Set(own));
            for (const { position, users } of found.telling) {
              const counts = own[position]?.split(' | ').map((hop) => Number(hop.split(': ')[1].split(',')[pairing]));
              expect(users).toEqual(counts);
            }
          }
        },
      ),
      { numRuns: 120 },
    );
  });

  it('are all but one of 1,024 between nodes with cards of their own, and where eight share a card', () => {
    for (const [name, users] of [
      ['dgx_h100', 1],
      ['p4d', 8],
    ] as const) {
      const cluster = stdCluster(name, 32);
      const [found] = toEnd(alikeTransfers(cluster, [{ from: range(0, 128), to: range(128, 256) }], bytes, false));
      if ('unreachable' in found) throw new Error('no route');
      expect(found.telling).toHaveLength(1);
      expect(Math.max(...found.telling[0].users)).toBe(users);
    }
  });
});
