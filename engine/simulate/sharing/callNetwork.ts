/** Calls in flight over links that they share: a fluid model, event by event. */
import type { CallPass, TimedCall } from '../../values/exchangePlan.ts';
import { fairShares } from '../fairShare.ts';

/** A call in flight. */
export interface Flight {
  readonly call: TimedCall;
  readonly start: number;
  /** With the rates of now: when the current pass ends. */
  ends: number;
  /** The current pass; −1 before the bytes begin. */
  pass: number;
  /** Seconds of the pass that are left at `since` if nobody shares, and the share of its rate that it has. */
  left: number;
  since: number;
  share: number;
  isSlowed: boolean;
}

export interface CallNetwork {
  start(call: TimedCall, now: number): Flight;
  /** When the next pass ends; `Infinity` if nothing is in flight. */
  next(): number;
  /** Ends passes that are over by `now`; gives the calls that have ended. */
  advance(now: number): readonly Flight[];
  /** Stops a call; gives the seconds that its progress takes if nobody shares. */
  cut(flight: Flight, now: number): number;
}

/**
 * Rates of flows are max-min fair: they rise at the same pace until a link is full (progressive filling; Bertsekas and Gallager,
 * *Data Networks*, section 6.5.2). All flows of a call have one rate, as the steps of its ring wait for each other. Rates are
 * computed again whenever a pass begins or ends. A call that nobody slows down takes exactly its seconds. `passes` lists the passes of all
 * calls. Two calls in flight never have the same pass. O(passes in flight that share links, directly or through others) for each event.
 */
export function callNetwork(links: Float64Array, passes: readonly CallPass[]): CallNetwork {
  const routes = new Map<CallPass, number>();
  const offsets = [0];
  const channel: number[] = [];
  const capacity: number[] = [];
  for (const pass of passes) {
    if (pass.flows.length === 0 || routes.has(pass)) continue;
    routes.set(pass, routes.size);
    for (const { link, count } of pass.flows) {
      channel.push(link);
      capacity.push(links[link] / count);
    }
    // No flow is faster than it is alone.
    channel.push(links.length + routes.size - 1);
    capacity.push(pass.rate);
    offsets.push(channel.length);
  }
  const rate = Float64Array.from(routes.keys(), (pass) => pass.rate);
  const table = {
    ...{ offsets: Int32Array.from(offsets), channel: Int32Array.from(channel) },
    ...{ capacity: Float64Array.from(capacity), rate },
  };
  const { connected, share: fair } = fairShares(table, links.length + routes.size);
  const fresh = new Float64Array(routes.size);
  const running = new Uint8Array(routes.size);
  const byRoute: (Flight | undefined)[] = Array.from({ length: routes.size });
  let live: Flight[] = [];
  let changed: number[] = [];
  let clock = -Infinity;

  const routeOf = ({ call, pass }: Flight): number => (pass < 0 ? -1 : (routes.get(call.passes[pass]) ?? -1));
  const isLast = ({ call, pass }: Flight): boolean => pass + 1 >= call.passes.length;
  const endOf = (flight: Flight): number =>
    isLast(flight) && !flight.isSlowed
      ? flight.start + flight.call.seconds
      : flight.since + (flight.share > 0 ? flight.left / flight.share : Infinity);
  const leave = (flight: Flight): void => {
    const route = routeOf(flight);
    if (route < 0) return;
    running[route] = 0;
    byRoute[route] = undefined;
    changed.push(route);
  };
  const enter = (flight: Flight, pass: number, now: number): void => {
    const { call } = flight;
    flight.pass = pass;
    flight.left = pass < 0 ? beforeBytes(call) : call.passes[pass].part * (call.seconds - call.overhead);
    flight.since = now;
    flight.share = 1;
    const route = routeOf(flight);
    if (route >= 0) {
      flight.share = 0;
      running[route] = 1;
      byRoute[route] = flight;
      changed.push(route);
    }
    flight.ends = endOf(flight);
  };
  const settle = (): void => {
    if (changed.length === 0) return;
    const touched = connected(changed, running);
    changed = [];
    fair(touched, fresh);
    for (const route of touched) {
      const flight = byRoute[route];
      if (flight === undefined || fresh[route] === flight.share) continue;
      flight.left = Math.max(0, flight.left - flight.share * (clock - flight.since));
      flight.since = clock;
      flight.share = fresh[route];
      if (flight.share < 1) flight.isSlowed = true;
      flight.ends = endOf(flight);
    }
  };

  return {
    start(call, now) {
      const flight: Flight = {
        ...{ call, start: now, ends: now, pass: -1, left: 0, since: now, share: 1, isSlowed: false },
      };
      clock = Math.max(clock, now);
      live.push(flight);
      enter(flight, call.overhead > 0 || call.passes.length === 0 ? -1 : 0, now);
      return flight;
    },
    next() {
      settle();
      return live.reduce((least, { ends }) => Math.min(least, ends), Infinity);
    },
    advance(now) {
      settle();
      clock = Math.max(clock, now);
      const ended: Flight[] = [];
      for (const flight of live) {
        if (flight.ends > now) continue;
        leave(flight);
        if (isLast(flight)) ended.push(flight);
        else enter(flight, flight.pass + 1, flight.ends);
      }
      if (ended.length > 0) live = live.filter((flight) => !ended.includes(flight));
      return ended;
    },
    cut(flight, now) {
      settle();
      const { call, pass, left, since, share } = flight;
      const rest = Math.max(0, left - share * (now - since));
      const passed = call.passes.slice(0, Math.max(0, pass)).reduce((sum, { part }) => sum + part, 0);
      const bytes = call.seconds - call.overhead;
      leave(flight);
      live = live.filter((other) => other !== flight);
      clock = Math.max(clock, now);
      return pass < 0 ? beforeBytes(call) - rest : call.overhead + (passed + call.passes[pass].part) * bytes - rest;
    },
  };
}

/** A call that uses no shared link is one part. */
const beforeBytes = ({ overhead, seconds, passes }: TimedCall): number => (passes.length === 0 ? seconds : overhead);
