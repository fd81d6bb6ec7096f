import type { Flows } from '../values/timeline.ts';

export interface FairShares {
  /**
   * The running routes that share hops with some of `routes`, directly or through others, including the running ones of `routes`.
   */
  connected(routes: readonly number[], running: Uint8Array): readonly number[];
  /** Writes the share of its full rate that each of `routes` gets if just these are active. */
  share(routes: readonly number[], into: Float64Array): void;
}

/**
 * Max-min fair rates by progressive filling (Bertsekas and Gallager, *Data Networks*, section 6.5.2). The rates of all routes
 * rise together. If a hop is full, the routes that cross it stop and the others go on. A route never gets more than its slowest
 * hop gives. Only lists of routes are allocated.
 */
export function fairShares(flows: Flows, channels: number): FairShares {
  const { offsets, channel, capacity, rate } = flows;
  const users: number[][] = Array.from({ length: channels }, () => []);
  for (let route = 0; route < rate.length; route += 1)
    for (let hop = offsets[route]; hop < offsets[route + 1]; hop += 1) users[channel[hop]].push(route);
  const seen = new Uint8Array(rate.length);
  const met = new Uint8Array(channels);
  const rises = new Uint8Array(rate.length);
  /** Share of a channel that is left, part of it that a rate of 1 B/s of all rising routes takes, and how many those are. */
  const room = new Float64Array(channels);
  const taken = new Float64Array(channels);
  const rising = new Int32Array(channels);

  return {
    connected(routes, running) {
      const found: number[] = [];
      const channelsMet: number[] = [];
      const visit = (route: number): void => {
        for (let hop = offsets[route]; hop < offsets[route + 1]; hop += 1) {
          if (met[channel[hop]] === 1) continue;
          met[channel[hop]] = 1;
          channelsMet.push(channel[hop]);
        }
      };
      for (const route of routes) visit(route);
      for (let at = 0; at < channelsMet.length; at += 1) {
        for (const route of users[channelsMet[at]]) {
          if (running[route] === 0 || seen[route] === 1) continue;
          seen[route] = 1;
          found.push(route);
          visit(route);
        }
      }
      for (const route of found) seen[route] = 0;
      for (const index of channelsMet) met[index] = 0;
      return found;
    },
    share(routes, into) {
      const touched: number[] = [];
      for (const route of routes) {
        rises[route] = 1;
        for (let hop = offsets[route]; hop < offsets[route + 1]; hop += 1) {
          const at = channel[hop];
          if (rising[at] === 0) {
            touched.push(at);
            room[at] = 1;
            taken[at] = 0;
          }
          rising[at] += 1;
          taken[at] += 1 / capacity[hop];
        }
      }
      let level = 0;
      for (;;) {
        let full = -1;
        let lowest = Infinity;
        for (const at of touched) {
          if (rising[at] === 0 || room[at] / taken[at] >= lowest) continue;
          full = at;
          lowest = room[at] / taken[at];
        }
        if (full < 0) return;
        level = Math.max(level, lowest);
        for (const route of users[full]) {
          if (rises[route] === 0) continue;
          rises[route] = 0;
          // What rounding leaves must not slow down a route that has its hops for itself.
          const part = level / rate[route];
          into[route] = part > 1 - 1e-12 ? 1 : part;
          for (let hop = offsets[route]; hop < offsets[route + 1]; hop += 1) {
            const at = channel[hop];
            rising[at] -= 1;
            room[at] -= level / capacity[hop];
            taken[at] -= 1 / capacity[hop];
          }
        }
      }
    },
  };
}
