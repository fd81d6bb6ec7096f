import type { Columns } from './columns.ts';

/** Neighbouring devices that may share a row: `from` to `to` (exclusive). */
export interface DeviceGroup {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Their blocks are the same, at the same times: one row shows them all. */
  readonly alike?: boolean;
}

const smallest = 8;

/**
 * Groups in which devices fit into rows. Devices that are exactly alike always share a row, if the rows then fit. Otherwise: devices
 * of the same stages, nodes of the cluster, or 8, 16, 32 devices and so on, the first that fit. None if each device fits and none are
 * alike. `fits`: whether that number of rows does. `stages`: what tells the stages of each device apart. Every device is in exactly
 * one group, in order.
 */
export function deviceGroups(
  names: readonly string[],
  columns: Columns,
  fits: (rows: number, mixed: boolean) => boolean,
  stages: readonly string[],
): readonly DeviceGroup[] {
  const nodes = nodesOf(names);
  const copies = copiesOf(names, columns, nodes !== undefined);
  if (copies.length < names.length && fits(copies.length, false)) return copies;
  if (fits(names.length, false)) return [];
  const replicas = replicasOf(names, stages, nodes !== undefined);
  // Where every device runs all stages, one group would hide all of them.
  if (replicas.length > 1 && replicas.length < names.length && fits(replicas.length, true)) return replicas;
  if (nodes !== undefined && nodes.length < names.length && fits(nodes.length, true)) return nodes;
  let size = smallest;
  while (size < names.length && !fits(Math.ceil(names.length / size), true)) size *= 2;
  return Array.from({ length: Math.ceil(names.length / size) }, (_, index) => {
    const [from, to] = [index * size, Math.min(names.length, (index + 1) * size)];
    return { name: rangeName(names, from, to, nodes !== undefined), from, to };
  });
}

/** By what names have before the last dot (`node[12]` of `node[12].gpu[3]`); undefined where a node has other devices between its own. */
function nodesOf(names: readonly string[]): readonly DeviceGroup[] | undefined {
  const groups: { name: string; from: number; to: number }[] = [];
  const seen = new Set<string>();
  for (const [device, name] of names.entries()) {
    const node = nodeOf(name);
    if (node === undefined) return undefined;
    const last = groups.at(-1);
    if (last?.name === node) last.to = device + 1;
    else if (seen.has(node)) return undefined;
    else groups.push({ name: node, from: device, to: device + 1 });
    seen.add(node);
  }
  return groups;
}

function nodeOf(name: string): string | undefined {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : undefined;
}

/** `gpu[8–15]`, `node[2–3]` where these are whole nodes, otherwise `devices 8–15`. */
function rangeName(names: readonly string[], from: number, to: number, inNodes: boolean): string {
  if (to - from === 1) return names[from];
  const [first, last] = [names[from], names[to - 1]];
  const nodes = [from - 1, from, to - 1, to].map((device) => nodeOf(names[device] ?? ''));
  const whole = inNodes && nodes[0] !== nodes[1] && nodes[2] !== nodes[3];
  const [a, b] = nodes[1] !== undefined && whole ? [nodes[1], nodes[2] ?? ''] : [first, last];
  if (a === b) return a;
  const [, head, low, tail] = /^(.*?\[)(\d+)(\])$/.exec(a) ?? [];
  const [, otherHead, high, otherTail] = /^(.*?\[)(\d+)(\])$/.exec(b) ?? [];
  // A number between the two is in the group: no other number is, and none is missing.
  const count = whole ? new Set(names.slice(from, to).map(nodeOf)).size : to - from;
  const all = Number(high) - Number(low) + 1 === count;
  const plain = all && head !== undefined && head === otherHead && tail === otherTail;
  return plain ? `${head}${low}–${high}${tail}` : `devices ${from}–${to - 1}`;
}

/** Runs of neighbours that are exactly alike, and each other device. */
function copiesOf(names: readonly string[], columns: Columns, inNodes: boolean): readonly DeviceGroup[] {
  const groups: DeviceGroup[] = [];
  for (let from = 0, to = 1; from < names.length; from = to, to = from + 1) {
    while (to < names.length && areAlike(columns, from, to)) to += 1;
    groups.push({ name: rangeName(names, from, to, inNodes), from, to, alike: to - from > 1 });
  }
  return groups;
}

/** Runs of neighbours that have the same stages: replicas that take microbatches in turn. */
function replicasOf(names: readonly string[], stages: readonly string[], inNodes: boolean): readonly DeviceGroup[] {
  const groups: DeviceGroup[] = [];
  for (let from = 0, to = 1; from < names.length; from = to, to = from + 1) {
    while (to < names.length && stages[to] === stages[from]) to += 1;
    groups.push({ name: rangeName(names, from, to, inNodes), from, to });
  }
  return groups;
}

/** Whether two devices do the same operations, of whatever stages, at exactly the same times. */
export function areAlike(columns: Columns, one: number, other: number): boolean {
  const { offsets, start, end, word, pair, shift, stages } = columns;
  const [from, to] = [offsets[one], offsets[one + 1]];
  const beyond = offsets[other] - from;
  if (to - from !== offsets[other + 1] - offsets[other] || to === from) return false;
  const mask = (1 << shift) - 1;
  for (let block = from; block < to; block += 1) {
    const copy = block + beyond;
    if (start[block] !== start[copy] || end[block] !== end[copy] || pair?.[block] !== pair?.[copy]) return false;
    const [a, b] = [word[block], word[copy]];
    if (a === b) continue;
    if (a < 0 || b < 0 || (a & mask) !== (b & mask)) return false;
    if (Math.trunc((a >> shift) / stages) !== Math.trunc((b >> shift) / stages)) return false;
  }
  return true;
}
