/** Operations that share links while they run: a fluid model, event by event. */
import type { EarliestEvent } from '../earliest.ts';
import { fairShares } from '../fairShare.ts';
import { slotWidth } from '../../order/slot.ts';
import { type Program, rowOf } from '../../values/program.ts';
import type { Crowd, Flows } from '../../values/timeline.ts';

export interface CrowdedRuns {
  /** The slot at a position of a device begins at `start`, and takes `seconds` if it has its links for itself. Sets the event of the device. */
  begin(device: number, position: number, start: number, seconds: number): void;
  /** Whether the event of a device was the begin of its slot, which shares links from now on. Otherwise its slot has ended. */
  entered(device: number, now: number): boolean;
}

/**
 * The bytes of an operation move while it runs, at one rate. Rates are max-min fair. They rise at the same pace until a link is full, or an
 * operation has the rate that it has alone (progressive filling; Bertsekas and Gallager, *Data Networks*, section 6.5.2). An operation with
 * a share of its rate takes as much longer. None is faster than its links alone. Rates are computed again whenever a slot begins or ends.
 */
export function crowdedRuns(program: Program, crowd: Crowd, events: EarliestEvent): CrowdedRuns {
  const { devices } = program;
  const { flows, routeAt, most, least } = slotFlows(program, crowd);
  const routes = flows.rate.length;
  const { connected, share: fair } = fairShares(flows, crowd.links.length + routes);
  /** Of each device the route of its slot, −1 for none; whether that is still to begin. */
  const routeOf = new Int32Array(devices).fill(-1);
  const waits = new Uint8Array(devices);
  const running = new Uint8Array(routes);
  const deviceOf = new Int32Array(routes);
  const began = new Float64Array(routes);
  /** Seconds that the slot takes alone, those at full rate that are left at `since`, and the share of that rate. */
  const alone = new Float64Array(routes);
  const left = new Float64Array(routes);
  const since = new Float64Array(routes);
  const share = new Float64Array(routes);
  const slowed = new Uint8Array(routes);
  const fresh = new Float64Array(routes);

  const settle = (changed: number, now: number): void => {
    const touched = connected([changed], running);
    fair(touched, fresh);
    for (const route of touched) {
      if (fresh[route] === share[route]) continue;
      left[route] = Math.max(0, left[route] - share[route] * (now - since[route]));
      since[route] = now;
      share[route] = fresh[route];
      if (share[route] < 1) slowed[route] = 1;
      const end = slowed[route] === 1 ? now + left[route] / share[route] : began[route] + alone[route];
      events.set(deviceOf[route], end);
    }
  };

  return {
    begin(device, position, start, seconds) {
      const route = routeAt(position);
      routeOf[device] = route;
      if (route < 0) {
        events.set(device, start + seconds);
        return;
      }
      alone[route] = Math.max(seconds, least[route]);
      flows.rate[route] = most[route] / alone[route];
      // The limit of its own is the last of its hops.
      flows.capacity[flows.offsets[route + 1] - 1] = flows.rate[route];
      [deviceOf[route], began[route], since[route], left[route]] = [device, start, start, alone[route]];
      [share[route], slowed[route], waits[device]] = [0, 0, 1];
      events.set(device, start);
    },
    entered(device, now) {
      const route = routeOf[device];
      if (route < 0) return false;
      const begins = waits[device] === 1;
      waits[device] = 0;
      running[route] = begins ? 1 : 0;
      if (!begins) routeOf[device] = -1;
      settle(route, now);
      return begins;
    },
  };
}

/** Each slot with the same operations is one route: through its links, and through a limit that only it has. */
function slotFlows(
  program: Program,
  { links, bytes }: Crowd,
): {
  readonly flows: Flows;
  /** The route of the slot at a position; −1 if it sends nothing. */
  readonly routeAt: (position: number) => number;
  /** By route, bytes through its fullest link, and the least seconds that its links take. */
  readonly most: readonly number[];
  readonly least: readonly number[];
} {
  const { devices, offsets, order } = program;
  const rows = bytes.length / links.length;
  const keyAt = (position: number): number => {
    const second = slotWidth(program, position) === 2 ? rowOf(program, order[position + 1]) : rows;
    return rowOf(program, order[position]) * (rows + 1) + second;
  };
  const known = new Map<number, number>();
  const hops = [0];
  const channel: number[] = [];
  const capacity: number[] = [];
  const most: number[] = [];
  const least: number[] = [];
  const sentBy = (row: number, link: number): number => (row < rows ? bytes[row * links.length + link] : 0);
  const routeOf = (key: number): number => {
    const [first, second] = [Math.trunc(key / (rows + 1)), key % (rows + 1)];
    const sent = Array.from(links, (_, link) => sentBy(first, link) + sentBy(second, link));
    const fullest = Math.max(...sent);
    if (fullest === 0) return -1;
    const route = most.length;
    for (const [link, each] of sent.entries()) {
      if (each === 0) continue;
      channel.push(link);
      capacity.push((links[link] * fullest) / each);
    }
    channel.push(links.length + route);
    capacity.push(0);
    hops.push(channel.length);
    most.push(fullest);
    least.push(sent.reduce((seconds, each, link) => Math.max(seconds, each / links[link]), 0));
    return route;
  };
  for (let device = 0; device < devices; device += 1)
    for (let at = offsets[device]; at < offsets[device + 1]; at += slotWidth(program, at))
      if (!known.has(keyAt(at))) known.set(keyAt(at), routeOf(keyAt(at)));
  return {
    flows: {
      ...{ offsets: Int32Array.from(hops), channel: Int32Array.from(channel) },
      ...{ capacity: Float64Array.from(capacity), rate: new Float64Array(most.length) },
    },
    routeAt: (position) => known.get(keyAt(position)) ?? -1,
    most,
    least,
  };
}
