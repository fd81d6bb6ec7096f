import type { PipelinePlan } from '../../engine/plan.ts';
import { B, E, F, I, L, R, U, W, kinds } from '../../engine/program.ts';
import { findPolicy } from '../../engine/policies/registry.ts';
import { type Timeline, endAt, startAt, stepAt } from '../../engine/timeline.ts';

/** What a stretch of time is spent on: three bits of a pyramid byte, index into every palette. */
export const paintKinds = [
  'forward',
  'backwardInput',
  'backwardWeight',
  'recompute',
  'transfer',
  'collective',
  'optimizer',
  'other',
] as const;
export type PaintKind = (typeof paintKinds)[number];
export const kindForward = 0;
export const kindInput = 1;
export const kindWeight = 2;
export const kindRecompute = 3;
export const kindTransfer = 4;
export const kindCollective = 5;
export const kindOptimizer = 6;
/** Work of a fill job: it has no blocks of its own. */
export const kindFill = 7;

/** Words of blocks that are no operations. */
export const syncWord = -1;
export const optimizerWord = -2;

/**
 * The timeline as rows of blocks, one row a device, sorted by start; those of row r are at `offsets[r]` to `offsets[r + 1]`.
 * A block is an operation, or a device's synchronisation or optimizer step at the end. Seconds. 20 bytes a block.
 */
export interface Columns {
  readonly rows: number;
  readonly offsets: Int32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** `row << shift | microbatch` as in the program; negative: `syncWord`, `optimizerWord`. */
  readonly word: Int32Array;
  /** 1: shares its slot with the next block; 2: with the one before. Absent where nothing is fused. */
  readonly pair?: Uint8Array;
  readonly parts: Parts;
  readonly shift: number;
  readonly stages: number;
  readonly microbatches: number;
  /** The last end of any block. */
  readonly makespan: number;
}

/** How a block divides, by program row (kind × stages + stage): recomputation, then `main` up to `weight`, then weight gradient. Shares of the block. */
export interface Parts {
  readonly main: Uint8Array;
  readonly recompute: Float64Array;
  readonly weight: Float64Array;
}

/** O(operations). `position + shift of its row` maps operations to blocks; see `blockOf`. */
export function columnsOf(plan: PipelinePlan, timeline: Timeline): Columns {
  const { program, timing } = timeline;
  const { devices } = program;
  const exposed = timeline.exchanged.map((end, device) => end - stepAt(timeline, device));
  const tails = (device: number) => Number(exposed[device] > 0) + Number(timing.optimizer[device] > 0);
  const offsets = new Int32Array(devices + 1);
  for (let device = 0; device < devices; device += 1) {
    offsets[device + 1] = offsets[device] + program.offsets[device + 1] - program.offsets[device] + tails(device);
  }
  const total = offsets[devices];
  const start = new Float64Array(total);
  const end = new Float64Array(total);
  const word = new Int32Array(total);
  const pair = program.fused === undefined ? undefined : new Uint8Array(total);
  let block = 0;
  for (let device = 0; device < devices; device += 1) {
    for (let at = program.offsets[device]; at < program.offsets[device + 1]; at += 1, block += 1) {
      start[block] = startAt(timeline, at);
      end[block] = endAt(timeline, at);
      word[block] = program.order[at];
      if (pair !== undefined && program.fused?.[at] === 1) {
        pair[block] = 1;
        pair[block + 1] = 2;
      }
    }
    let time = stepAt(timeline, device);
    for (const [code, seconds] of [
      [syncWord, exposed[device]],
      [optimizerWord, timing.optimizer[device]],
    ] as const) {
      if (!(seconds > 0)) continue;
      start[block] = time;
      time += seconds;
      end[block] = time;
      word[block] = code;
      block += 1;
    }
  }
  const { shift, stages, microbatches } = program;
  const parts = partsOf(plan, timing.duration, program.apart);
  return {
    rows: devices,
    offsets,
    start,
    end,
    word,
    pair,
    parts,
    shift,
    stages,
    microbatches,
    makespan: timeline.makespan,
  };
}

/** First block of each device minus its first position: adding it to a position of `order` gives the block. */
export const blockShift = (columns: Columns, programOffsets: Int32Array): Int32Array =>
  columns.offsets.map((offset, device) => offset - programOffsets[device]);

export function partsOf(plan: PipelinePlan, duration: Float64Array, apart?: Uint8Array): Parts {
  const stages = plan.stages.length;
  const main = new Uint8Array(kinds * stages);
  const recompute = new Float64Array(kinds * stages);
  const weight = new Float64Array(kinds * stages).fill(1);
  const mains = [
    kindForward,
    kindInput,
    kindInput,
    kindWeight,
    kindRecompute,
    kindOptimizer,
    kindTransfer,
    kindTransfer,
  ];
  const loads = loadingLane(plan);
  plan.stages.forEach((stage, index) => {
    for (const kind of [F, B, I, W, R, U, E, L]) main[kind * stages + index] = mains[kind];
    if (plan.placement[index] === loads) main[F * stages + index] = kindTransfer;
    for (const kind of [B, I]) {
      const row = kind * stages + index;
      if (duration[row] > 0) recompute[row] = apart?.[index] === 1 ? 0 : Math.min(1, stage.recompute / duration[row]);
    }
    const whole = duration[B * stages + index];
    if (whole > 0) weight[B * stages + index] = Math.max(0, 1 - stage.backwardWeight / whole);
  });
  return { main, recompute, weight };
}

/** Lane whose forwards bring the weights of another one's; −1 where there is none. */
const loadingLane = ({ schedule }: PipelinePlan): number =>
  schedule.kind === 'policy' && findPolicy(schedule.name)?.loading !== undefined ? 0 : -1;

/** First block of the row that ends after `time`. */
export function firstEndingAfter(columns: Columns, row: number, time: number): number {
  let low = columns.offsets[row];
  let high = columns.offsets[row + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (columns.end[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** First block of the row that starts at or after `time`. */
export function firstStartingFrom(columns: Columns, row: number, time: number): number {
  let low = columns.offsets[row];
  let high = columns.offsets[row + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (columns.start[middle] >= time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Block of row `row` that holds `time` (its start is in, its end is out), or −1. `lower`: the second of two that share a slot. */
export function hit(columns: Columns, time: number, row: number, lower = false): number {
  if (row < 0 || row >= columns.rows) return -1;
  const found = firstEndingAfter(columns, row, time);
  if (found >= columns.offsets[row + 1] || columns.start[found] > time) return -1;
  if (columns.pair === undefined) return found;
  if (lower && columns.pair[found] === 1) return found + 1;
  if (!lower && columns.pair[found] === 2) return found - 1;
  return found;
}
