/** Which ranks hold the same stages, and so exchange gradients. */
import type { StageParts } from '../cost/stagePlans.ts';
import type { SitedRanks } from '../place/sites.ts';

export interface Held extends Pick<StageParts, 'layers' | 'plan'> {
  /** Rank, and the stage of the program that is its copy (of several segments the first). */
  readonly on: Map<number, number>;
}

/** Ranks that hold the same stages, and parameters of all of these on one device. */
export interface Holders {
  readonly members: readonly number[];
  dense: number;
  experts: number;
  /** Parameters that do not train. */
  frozenDense: number;
  frozenExperts: number;
  /** Of `frozenDense`, those in 4 bits. */
  packed: number;
  readonly held: Held[];
}

/** Ranks that hold the same stages exchange the gradients of all of them. */
export function holdersIn({ ranks, placement }: SitedRanks, stages: readonly StageParts[]): readonly Holders[] {
  const holding = new Map<number, Held & { readonly parts: StageParts }>();
  for (const [index, parts] of stages.entries()) {
    const { copy } = parts.plan;
    if ((copy?.segment ?? 0) > 0 || copy?.away === true) continue;
    const stage = copy?.stage ?? index;
    const known = holding.get(stage) ?? { layers: parts.layers, plan: parts.plan, on: new Map(), parts };
    if (!known.on.has(placement[index])) known.on.set(placement[index], index);
    holding.set(stage, known);
  }
  const groups = new Map<string, Holders>();
  for (const holder of holding.values()) {
    const members = [...holder.on.keys()].sort((a, b) => a - b);
    const group = groups.get(members.join()) ?? {
      members,
      dense: 0,
      experts: 0,
      frozenDense: 0,
      frozenExperts: 0,
      packed: 0,
      held: [],
    };
    group.dense += holder.parts.dense;
    group.experts += holder.parts.experts;
    group.frozenDense += holder.parts.frozen?.dense ?? 0;
    group.frozenExperts += holder.parts.frozen?.experts ?? 0;
    group.packed += holder.parts.frozen?.packed ?? 0;
    group.held.push(holder);
    groups.set(members.join(), group);
  }
  return [...groups.values()].filter(({ members }) => members.every((member) => member < ranks.length));
}

/** Holders that share devices share their lane. */
export function connectedHolders(holders: readonly Holders[]): readonly (readonly Holders[])[] {
  const groups: { devices: Set<number>; held: Holders[] }[] = [];
  for (const holder of holders) {
    const touching = groups.filter(({ devices }) => holder.members.some((member) => devices.has(member)));
    const merged = {
      devices: new Set([...touching.flatMap(({ devices }) => [...devices]), ...holder.members]),
      held: [...touching.flatMap(({ held }) => held), holder],
    };
    for (const group of touching) groups.splice(groups.indexOf(group), 1);
    groups.push(merged);
  }
  return groups.map(({ held }) => held);
}
