import { fairShares } from './fairShare.ts';
import { type Flows, occupancyOf, type Timing } from '../values/timeline.ts';

/** Transfers in progress over shared hops, in order of time. */
export interface FlowNetwork {
  /** Sends the result of `need` to `device` at `now`; `twin` is the same need of the other kind of backward, or −1. */
  carry(need: number, microbatch: number, twin: number, device: number, now: number): void;
  /** Ends the next transfer that is over by `limit` at the latest; false where there is none. */
  advance(limit: number): boolean;
}

interface Parcel {
  readonly need: number;
  readonly microbatch: number;
  readonly twin: number;
  readonly device: number;
}

/**
 * Transfers of one route follow each other. Transfers of different routes that meet on a hop share it max-min fairly
 * (`fairShares`); shares are computed again whenever a transfer starts or ends. `arrival` is by need × microbatches + microbatch.
 * `arrived` is called for each device whose result is there; `sent` takes the start of each transfer. If no transfers meet, each
 * takes exactly its `needOccupancy`. O(routes that share hops, directly or through others) for each start and end.
 */
export function flowNetwork(
  timing: Timing,
  flows: Flows,
  arrival: Float64Array,
  microbatches: number,
  arrived: (device: number) => void,
  sent?: Float64Array,
): FlowNetwork {
  const { needRoute, needLatency } = timing;
  const routes = flows.rate.length;
  const { connected, share: fair } = fairShares(flows, timing.channels);
  /**
   * `left`: seconds at full rate that the current transfer still takes at `since`. `share`: the share of that rate that it has.
   * `ends`: its end under that share.
   */
  const left = new Float64Array(routes);
  const since = new Float64Array(routes);
  const share = new Float64Array(routes);
  const ends = new Float64Array(routes).fill(Infinity);
  const running = new Uint8Array(routes);
  const waiting: Parcel[][] = Array.from({ length: routes }, () => []);
  const head = new Int32Array(routes);
  const fresh = new Float64Array(routes);
  let live: number[] = [];
  let changed: number[] = [];
  let clock = 0;

  const deliver = ({ need, microbatch, twin }: Parcel, now: number): void => {
    const at = now + needLatency[need];
    arrival[need * microbatches + microbatch] = at;
    if (twin >= 0) arrival[twin * microbatches + microbatch] = at;
  };
  const note = ({ need, microbatch, twin }: Parcel, now: number): void => {
    if (sent === undefined) return;
    sent[need * microbatches + microbatch] = now;
    if (twin >= 0) sent[twin * microbatches + microbatch] = now;
  };
  const start = (route: number, now: number): void => {
    const parcel = waiting[route][head[route]];
    running[route] = 1;
    left[route] = occupancyOf(timing, microbatches, parcel.need, parcel.microbatch);
    since[route] = now;
    share[route] = 0;
    ends[route] = Infinity;
    live.push(route);
    changed.push(route);
    clock = now;
    note(parcel, now);
  };
  const settle = (): void => {
    const touched = connected(changed, running);
    changed = [];
    fair(touched, fresh);
    for (const route of touched) {
      if (fresh[route] === share[route]) continue;
      left[route] = Math.max(0, left[route] - share[route] * (clock - since[route]));
      since[route] = clock;
      share[route] = fresh[route];
      ends[route] = clock + left[route] / share[route];
    }
  };

  return {
    carry(need, microbatch, twin, device, now) {
      const route = needRoute[need];
      const parcel = { need, microbatch, twin, device };
      if (route < 0) {
        note(parcel, now);
        deliver(parcel, now);
        return;
      }
      waiting[route].push(parcel);
      if (running[route] === 0) start(route, now);
    },
    advance(limit) {
      if (live.length === 0 || (changed.length > 0 && limit <= clock)) return false;
      if (changed.length > 0) settle();
      let next = live[0];
      for (const route of live) if (ends[route] < ends[next]) next = route;
      if (ends[next] > limit) return false;
      clock = ends[next];
      const parcel = waiting[next][head[next]];
      running[next] = 0;
      ends[next] = Infinity;
      head[next] += 1;
      live = live.filter((route) => route !== next);
      changed.push(next);
      deliver(parcel, clock);
      if (head[next] < waiting[next].length) start(next, clock);
      else {
        waiting[next] = [];
        head[next] = 0;
      }
      arrived(parcel.device);
      return true;
    },
  };
}
