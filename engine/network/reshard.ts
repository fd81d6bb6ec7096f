/** What it takes to bring a message from one rank to another of a different mesh or layout. */
import type { Resharding } from '../values/plan.ts';
import type { ClusterDefinition } from '../definitions/cluster.ts';
import { chainFill, chunksOf } from '../costs/reshard.ts';
import { type Carried, createFlows, type Flows, type Router, routerOf, type Unreachable } from './flows.ts';
import { alike, copiesIn, type Held, type Unit, unitCount, unitsOf } from './layouts.ts';

/** For a message of an edge: `perByte` · bytes + `latency` seconds. */
export interface Exchange {
  readonly rule: Resharding;
  readonly perByte: number;
  readonly latency: number;
  /** What each channel carries for each byte of the edge. */
  readonly channels: ReadonlyMap<string, Carried>;
}

export interface ExchangeRequest {
  readonly cluster: ClusterDefinition;
  readonly from: Held;
  readonly to: Held;
  /** Of the largest message, as its edge says: routes are chosen for it, and chunks. */
  readonly bytes: number;
}

/** Whether the two ranks exchange more than device for device: their layouts differ, or `scatter_gather` splits what copies have. */
export const reshards = (from: Held, to: Held, rule?: Resharding): boolean =>
  !alike(from, to) || (rule?.strategy === 'scatter_gather' && copiesIn(from) > 1);

/** What a file may say, and a pipeline that says nothing chooses from: the first of those that are equally fast. */
const choices: readonly Resharding[] = [
  { strategy: 'send_recv' },
  { strategy: 'broadcast' },
  { strategy: 'all_gather', scope: 'node' },
  { strategy: 'all_gather', scope: 'cluster' },
];

/** Transfers between two devices that a message takes. */
export function transfersIn({ from, to }: Pick<ExchangeRequest, 'from' | 'to'>, { strategy }: Resharding): number {
  const { units, senders, receivers } = unitCount(from, to);
  if (strategy === 'send_recv') return units * receivers;
  return units * receivers * (strategy === 'broadcast' ? senders : 2);
}

/** The choices of no more than `most` transfers, or `one` alone; where two devices have no route, these. */
export function exchangesFor(
  request: ExchangeRequest,
  most: number,
  resharding?: Resharding,
): readonly Exchange[] | Unreachable {
  const found: Exchange[] = [];
  for (const rule of resharding === undefined ? choices : [resharding]) {
    if (transfersIn(request, rule) > most) continue;
    const made = exchange(request, rule);
    if ('unreachable' in made) return made;
    found.push(made);
  }
  return found;
}

/** Seconds of a message. */
export const secondsOf = ({ perByte, latency }: Pick<Exchange, 'perByte' | 'latency'>, bytes: number): number =>
  bytes * perByte + latency;

/** The fastest of several. */
export const fastestOf = <E extends Pick<Exchange, 'perByte' | 'latency'>>(exchanges: readonly E[], bytes: number): E =>
  exchanges.reduce((best, each) => (secondsOf(each, bytes) < secondsOf(best, bytes) ? each : best));

/** The message in the way that `rule` says. */
export function exchange(request: ExchangeRequest, rule: Resharding): Exchange | Unreachable {
  const { cluster, from, to, bytes } = request;
  const units = unitsOf(from, to);
  const largest = units.reduce((most, { share }) => Math.max(most, share), 0) * bytes;
  const setting: Setting = { cluster, units, bytes, router: routerOf(cluster, largest), turns: turnsOf() };
  if (rule.strategy === 'send_recv') return sendEach(setting, rule);
  if (rule.strategy === 'broadcast') return chains(setting, rule);
  return gathers(setting, rule, rule.strategy === 'all_gather' && rule.scope === 'node');
}

interface Setting {
  readonly cluster: ClusterDefinition;
  readonly units: readonly Unit[];
  readonly bytes: number;
  readonly router: Router;
  /** The devices that have a part send it in turn. */
  readonly turns: (senders: readonly number[]) => number;
}

function turnsOf(): Setting['turns'] {
  const next = new Map<number, number>();
  return (senders) => {
    const turn = next.get(senders[0]) ?? 0;
    next.set(senders[0], turn + 1);
    return senders[turn % senders.length];
  };
}

function sendEach({ units, router, turns }: Setting, rule: Resharding): Exchange | Unreachable {
  const flows = createFlows(router);
  for (const { share, senders, receivers } of units) {
    for (const receiver of receivers) {
      const route = flows.add(turns(senders), receiver, share);
      if ('unreachable' in route) return route;
    }
  }
  return { rule, perByte: flows.fullest(), latency: flows.latency(), channels: flows.channels };
}

/** First the shares, then a ring all-gather in each group: two phases, the second with (n − 1) steps. */
function gathers(
  { cluster, units, router, turns }: Setting,
  rule: Resharding,
  byNode: boolean,
): Exchange | Unreachable {
  const scatter = createFlows(router);
  const gather = createFlows(router);
  let steps = 0;
  for (const { share, senders, receivers } of units) {
    for (const group of byNode ? inNodes(cluster, receivers) : [receivers]) {
      const count = group.length;
      let latency = 0;
      for (const [index, receiver] of group.entries()) {
        const sent = scatter.add(turns(senders), receiver, share / count);
        if ('unreachable' in sent) return sent;
        if (count === 1) continue;
        const passed = gather.add(receiver, group[(index + 1) % count], (share * (count - 1)) / count);
        if ('unreachable' in passed) return passed;
        latency = Math.max(latency, passed.latency);
      }
      steps = Math.max(steps, (count - 1) * latency);
    }
  }
  return {
    rule,
    perByte: scatter.fullest() + gather.fullest(),
    latency: scatter.latency() + steps,
    channels: both(scatter, gather),
  };
}

function both(one: Flows, other: Flows): ReadonlyMap<string, Carried> {
  const sum = new Map(Array.from(one.channels, ([name, carried]) => [name, { ...carried }] as const));
  for (const [name, { hop, amount }] of other.channels)
    sum.set(name, { hop, amount: amount + (sum.get(name)?.amount ?? 0) });
  return sum;
}

/**
 * Each of the devices that have a part sends an equal piece of it down a chain through all receivers. A chain crosses to each node once;
 * chains of one part enter nodes in different order, and each node at a different device. Links are shared chunk by chunk, so what fills a
 * chain is one chunk of the part.
 */
function chains({ cluster, units, bytes, router }: Setting, rule: Resharding): Exchange | Unreachable {
  const flows = createFlows(router);
  const chunks = rule.strategy === 'broadcast' ? rule.chunks : undefined;
  let [fill, latency] = [0, 0];
  for (const { share, senders, receivers } of units) {
    const nodes = inNodes(cluster, receivers);
    const piece = share / senders.length;
    const parts = chunksOf(share * bytes, chunks);
    for (const [turn, sender] of senders.entries()) {
      let [at, delay] = [sender, 0];
      const bandwidths: number[] = [];
      for (const receiver of chainFrom(cluster, sender, nodes, turn)) {
        const route = flows.add(at, receiver, piece);
        if ('unreachable' in route) return route;
        bandwidths.push(route.bandwidth);
        delay += route.latency;
        at = receiver;
      }
      fill = Math.max(fill, share * chainFill(bandwidths, Math.max(parts, senders.length)));
      latency = Math.max(latency, delay);
    }
  }
  return { rule, perByte: flows.fullest() + fill, latency, channels: flows.channels };
}

/** The sender's own node first. */
function chainFrom(
  cluster: ClusterDefinition,
  sender: number,
  nodes: readonly (readonly number[])[],
  turn: number,
): readonly number[] {
  const group = cluster.devices[sender].group;
  const home = nodes.filter(([first]) => cluster.devices[first].group === group);
  const away = nodes.filter(([first]) => cluster.devices[first].group !== group);
  return [...home, ...rotated(away, turn)].flatMap((node) => rotated(node, turn));
}

const rotated = <T>(list: readonly T[], turn: number): readonly T[] =>
  list.map((_, index) => list[(index + turn) % list.length]);

/** Devices by the innermost node that each is in. */
function inNodes(cluster: ClusterDefinition, devices: readonly number[]): readonly (readonly number[])[] {
  const nodes = new Map<number, number[]>();
  for (const device of devices) {
    const { group } = cluster.devices[device];
    const known = nodes.get(group);
    if (known === undefined) nodes.set(group, [device]);
    else known.push(device);
  }
  return [...nodes.values()];
}
