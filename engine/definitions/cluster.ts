/** What a `cluster` declaration says: its devices, and the links between them. */
import type { Reporter } from '../findings/reporter.ts';
import type { Place } from '../values/plan.ts';
import type { DeviceDefinition } from './device.ts';

/** A written link. `id` is unique in its cluster, for channels. */
export interface LinkDefinition {
  readonly id: number;
  readonly bandwidth: number;
  readonly latency: number;
  readonly sharing: 'full' | 'half' | 'shared';
  readonly place: Place;
}

export interface ClusterDevice {
  readonly name: string;
  readonly kind: DeviceDefinition;
  /** Index of the group around it. */
  readonly group: number;
  readonly place: Place;
}

/** The memory of a host: bytes, and bytes per second that an optimizer's step reaches for all devices at once. */
export interface HostDefinition {
  /** Machines that share it out, each with as many devices; absent: one. */
  readonly hosts?: number;
  readonly memory?: number;
  readonly bandwidth?: number;
}

/** The cluster itself (group 0) or one node. Devices `first` to `end − 1`, including the devices of inner nodes. */
export interface ClusterGroup {
  readonly parent: number;
  readonly depth: number;
  readonly first: number;
  readonly end: number;
  readonly link?: LinkDefinition;
  /** Its host, if the group says anything of one. */
  readonly host?: HostDefinition;
  /** Vertices of the switches of this group, by symbol. */
  readonly switches?: ReadonlyMap<string, number>;
}

/** A link between two vertices: `group` is the node whose copy of it this is. */
export interface NamedLink {
  readonly link: LinkDefinition;
  readonly group: number;
}

export interface ClusterDefinition {
  readonly name: string;
  readonly devices: readonly ClusterDevice[];
  readonly groups: readonly ClusterGroup[];
  /** Groups of the outermost `node`s, in order: what `node[i]` means. */
  readonly nodes: readonly number[];
  /** Named links: for a vertex its neighbours, both directions. Vertices are the devices, then the switches. */
  readonly named: ReadonlyMap<number, ReadonlyMap<number, NamedLink>>;
  /** Nothing is linked at all. */
  readonly linkless: boolean;
}

/** Devices as written: `gpu[3]`, `gpu[0..1]`, `node[1]`. */
export interface DeviceSet {
  /**
   * Vertices: indices of devices over the whole cluster, and indices of switches. `undefined` (reported) if none has these
   * numbers.
   */
  devices(
    report: Reporter,
    groups: readonly ClusterGroup[],
    group: number,
    nodes: readonly number[],
  ): readonly number[] | undefined;
}

/** Sizes of the groups at each depth, outermost first, if devices, groups of one depth and their links are all equal. */
export function equalGroups({ devices, groups, named }: ClusterDefinition): readonly number[] | undefined {
  if (named.size > 0) return undefined;
  const depth = (device: ClusterDevice) => groups[device.group].depth;
  const [model] = devices;
  if (devices.some((device) => device.kind !== model.kind || depth(device) !== depth(model))) return undefined;
  const first = new Map<number, ClusterGroup>();
  for (const group of groups) {
    const known = first.get(group.depth) ?? group;
    first.set(group.depth, known);
    const size = group.end - group.first;
    if (size !== known.end - known.first || !sameLink(group.link, known.link)) return undefined;
    if ((group.switches?.size ?? 0) > 0) return undefined;
  }
  return [...first.values()].map(({ first: from, end }) => end - from);
}

/** Whether two links are as fast and shared in the same manner. */
export const sameLink = (one: LinkDefinition | undefined, other: LinkDefinition | undefined): boolean =>
  one === other ||
  (one?.bandwidth === other?.bandwidth && one?.latency === other?.latency && one?.sharing === other?.sharing);
