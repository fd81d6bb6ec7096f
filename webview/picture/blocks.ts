import { occupancyOf } from '../../engine/values/timeline.ts';
import {
  type Kind,
  kindOf,
  kinds,
  letters,
  microbatchOf as microbatchOfWord,
  needSlot,
  rowOf,
  stageOf as stageOfWord,
} from '../../engine/values/program.ts';
import { resultRow } from '../../engine/values/program.ts';
import {
  idleFrom,
  idleUntil,
  kindCollective,
  kindOptimizer,
  marksOfDeclared,
  optimizerWord,
  syncWord,
} from './columns.ts';
import { makersOf } from './makers.ts';
import type { Picture } from './picture.ts';

/** Questions about one block of a picture. Pure. */

type Blocks = Pick<Picture, 'columns'>;

/** `operation`: the schedule declares it. */
export type BlockType = (typeof letters)[number] | 'operation' | 'sync' | 'optimizer';

export function typeOf({ columns }: Blocks, block: number): BlockType {
  const code = columns.word[block];
  if (code === syncWord) return 'sync';
  if (code === optimizerWord) return 'optimizer';
  const kind = kindOf(columns, code);
  return kind >= kinds ? 'operation' : letters[kind];
}

/** −1 for synchronisation and optimizer. */
export function stageOf({ columns }: Blocks, block: number): number {
  const code = columns.word[block];
  return code < 0 ? -1 : stageOfWord(columns, code);
}

/** −1 for synchronisation and optimizer. */
export function microbatchOf({ columns }: Blocks, block: number): number {
  const code = columns.word[block];
  return code < 0 ? -1 : microbatchOfWord(columns, code);
}

/** Kind of paint of most of the block, an index of `paintKinds`. */
export function paintKindOf({ columns }: Blocks, block: number): number {
  const code = columns.word[block];
  if (code === syncWord) return kindCollective;
  return code === optimizerWord ? kindOptimizer : columns.parts.main[rowOf(columns, code)];
}

/** Which marks lie over the colour of a block: 0 for none, above where a schedule declares more operations than there are colours. */
export function marksOf({ columns }: Blocks, block: number): number {
  const declared = columns.word[block] < 0 ? -1 : kindOf(columns, columns.word[block]) - kinds;
  return declared < 0 ? 0 : marksOfDeclared(declared);
}

/** The block that runs an operation, or makes the same result; −1 where there is none. */
export function blockOf({ columns, timing }: Picture, kind: Kind, stage: number, microbatch: number): number {
  return makersOf(columns, timing)[resultRow(columns.stages, kind, stage) * columns.microbatches + microbatch];
}

export function deviceOf({ columns }: Blocks, block: number): number {
  const { offsets } = columns;
  let low = 0;
  let high = columns.rows;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (offsets[middle] <= block) low = middle;
    else high = middle;
  }
  return low;
}

export interface Need {
  /** Block that made what is needed. */
  readonly from: number;
  readonly device: number;
  /** Seconds: made, and there. */
  readonly made: number;
  readonly arrival: number;
  /** Index of the plan's route; −1 on the same device. */
  readonly route: number;
  /** Seconds that the transfer holds its channel, and of delay after. */
  readonly occupancy: number;
  readonly latency: number;
}

export function needsOf(picture: Picture, block: number): Need[] {
  const { columns, timing, arrival, placement } = picture;
  const maker = makersOf(columns, timing);
  const code = columns.word[block];
  if (code < 0) return [];
  const row = rowOf(columns, code);
  const microbatch = microbatchOf(picture, block);
  const found: Need[] = [];
  for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
    const slot = needSlot(timing, columns.microbatches, need, microbatch);
    const from = slot < 0 ? -1 : maker[slot];
    if (from < 0) continue;
    const made = columns.end[from];
    const occupancy = occupancyOf(timing, columns.microbatches, need, microbatch);
    const latency = timing.needLatency[need];
    found.push({
      from,
      device: placement[timing.needs[need] % columns.stages],
      made,
      arrival: arrival === undefined ? made + (occupancy + latency) : arrival[need * columns.microbatches + microbatch],
      route: timing.needRoute[need],
      occupancy,
      latency,
    });
  }
  return found;
}

/** What the block waited for: the need that is there last; undefined where it needs nothing. */
export const lastNeed = (picture: Picture, block: number): Need | undefined =>
  needsOf(picture, block).reduce<Need | undefined>(
    (last, next) => (last === undefined || next.arrival > last.arrival ? next : last),
    undefined,
  );

/** All blocks of the same microbatch and, for F or for the backward, of the same direction; in order of start. */
export function siblingsOf(picture: Picture, block: number): number[] {
  const { columns } = picture;
  const code = columns.word[block];
  if (code < 0) return [];
  const kind = kindOf(columns, code);
  const microbatch = microbatchOfWord(columns, code);
  const found: number[] = [];
  for (let stage = 0; stage < columns.stages; stage += 1) {
    const other = blockOf(picture, kind, stage, microbatch);
    if (other >= 0) found.push(other);
  }
  return found.sort((a, b) => columns.start[a] - columns.start[b]);
}

/** All blocks of a microbatch, by start; none of synchronisation and optimizer (−1). */
export function microbatchBlocks({ columns, timing }: Picture, microbatch: number): number[] {
  const found: number[] = [];
  if (microbatch < 0) return found;
  const maker = makersOf(columns, timing);
  for (let slot = microbatch; slot < maker.length; slot += columns.microbatches)
    if (maker[slot] >= 0) found.push(maker[slot]);
  return found.sort((a, b) => columns.start[a] - columns.start[b] || a - b);
}

/** A stretch in which a device does nothing. `before`: block that ends it; −1 after the last one. */
export interface Gap {
  readonly device: number;
  readonly from: number;
  readonly to: number;
  readonly before: number;
}

/** The gap of a device at a time, if it idles then. */
export function gapAt({ columns }: Picture, device: number, time: number): Gap | undefined {
  const { offsets, start, end } = columns;
  const until = device < 0 || device >= columns.rows ? 0 : idleUntil(columns, device);
  if (device < 0 || device >= columns.rows || time < 0 || time > until) return undefined;
  let low = offsets[device];
  let high = offsets[device + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (start[middle] > time) high = middle;
    else low = middle + 1;
  }
  const from = low > offsets[device] ? end[low - 1] : idleFrom(columns, device);
  const to = low < offsets[device + 1] ? start[low] : until;
  if (time < from || to - from <= columns.makespan * 1e-9) return undefined;
  return { device, from, to, before: low < offsets[device + 1] ? low : -1 };
}

/** The gap that a block ends; undefined if its device is busy until then. */
export function gapBefore(picture: Picture, block: number): Gap | undefined {
  const { start, end, offsets } = picture.columns;
  const device = deviceOf(picture, block);
  const from = block > offsets[device] ? end[block - 1] : idleFrom(picture.columns, device);
  const gap = gapAt(picture, device, (from + start[block]) / 2);
  return gap?.before === block ? gap : undefined;
}

// Recomputation and what goes to another device may come before any backward.
const isBackward = (type: BlockType): boolean => type === 'B' || type === 'I' || type === 'W';

export type BubbleClass = 'warm-up' | 'steady' | 'cool-down';
/** Before the device's first backward: warm-up; after its last forward: cool-down. */
export function classOf(picture: Picture, gap: Gap): BubbleClass {
  const { offsets } = picture.columns;
  const first = offsets[gap.device];
  const last = offsets[gap.device + 1];
  const at = gap.before < 0 ? last : gap.before;
  let backward = false;
  for (let block = at - 1; block >= first && !backward; block -= 1) backward = isBackward(typeOf(picture, block));
  if (!backward) return 'warm-up';
  for (let block = at; block < last; block += 1) if (typeOf(picture, block) === 'F') return 'steady';
  return 'cool-down';
}
