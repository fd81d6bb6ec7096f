import type { Picture } from './picture.ts';
import { stepAt } from './memoryLevel.ts';
import { rowOf } from '../../engine/values/program.ts';
import { type BlockType, paintKindOf, typeOf } from './blocks.ts';
import { type Columns, firstEndingAfter, kindRecompute, kindWeight, paintKinds } from './columns.ts';

/** Figures of a stretch of time on some devices. Seconds, bytes. */
export interface RangeFigures {
  /** Seconds of blocks inside the stretch, over its devices. */
  readonly busy: number;
  /** Share of devices × stretch without any block. */
  readonly idle: number;
  readonly kinds: ReadonlyMap<BlockType, { readonly count: number; readonly seconds: number }>;
  readonly peak: number;
  readonly peakDevice: number;
}

export function rangeFigures(picture: Picture, t0: number, t1: number, from: number, to: number): RangeFigures {
  const { columns, memory } = picture;
  const kinds = new Map<BlockType, { count: number; seconds: number }>();
  let busy = 0;
  let peak = 0;
  let peakDevice = from;
  for (let row = from; row <= to; row += 1) {
    let covered = t0;
    for (
      let block = firstEndingAfter(columns, row, t0);
      block < columns.offsets[row + 1] && columns.start[block] < t1;
      block += 1
    ) {
      const seconds = Math.min(t1, columns.end[block]) - Math.max(t0, columns.start[block]);
      const type = typeOf(picture, block);
      const entry = kinds.get(type) ?? { count: 0, seconds: 0 };
      kinds.set(type, { count: entry.count + 1, seconds: entry.seconds + seconds });
      // Blocks that share a slot are counted once.
      const upTo = Math.min(t1, columns.end[block]);
      busy += Math.max(0, upTo - Math.max(covered, columns.start[block]));
      covered = Math.max(covered, upTo);
    }
    const track = memory[row];
    for (let step = stepAt(track, t0); step < track.at.length && (track.at[step] < t1 || step === 0); step += 1) {
      if (track.bytes[step] > peak) {
        peak = track.bytes[step];
        peakDevice = row;
      }
    }
  }
  const whole = (t1 - t0) * (to - from + 1);
  return { busy, idle: whole > 0 ? 1 - busy / whole : 0, kinds, peak, peakDevice };
}

/** Asked for whenever figures are shown anew, added up once. */
const sums = new WeakMap<Columns, Float64Array>();

/** Seconds of each paint kind over all blocks, by index of `paintKinds`. */
export function secondsByKind(picture: Picture): Float64Array {
  const { columns } = picture;
  const known = sums.get(columns);
  if (known !== undefined) return known;
  const { word, start, end, parts } = columns;
  const seconds = new Float64Array(paintKinds.length);
  for (let block = 0; block < word.length; block += 1) {
    const length = end[block] - start[block];
    const code = word[block];
    if (code < 0) {
      seconds[paintKindOf(picture, block)] += length;
      continue;
    }
    const row = rowOf(columns, code);
    seconds[kindRecompute] += length * parts.recompute[row];
    seconds[parts.main[row]] += length * (parts.weight[row] - parts.recompute[row]);
    seconds[kindWeight] += length * (1 - parts.weight[row]);
  }
  sums.set(columns, seconds);
  return seconds;
}
