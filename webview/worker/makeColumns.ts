import type { PipelinePlan } from '../../engine/values/plan.ts';
import { B, E, F, I, L, R, U, W, kinds, rowTable, weightsStage } from '../../engine/values/program.ts';
import { findPolicy } from '../../engine/policies/registry.ts';
import { versionsOf } from '../../engine/simulate/versions.ts';
import { type Timeline, stepAt, stepEnd } from '../../engine/values/timeline.ts';
import {
  type Columns,
  type Parts,
  kindForward,
  kindInput,
  kindOfDeclared,
  kindOptimizer,
  kindRecompute,
  kindTransfer,
  kindWeight,
  optimizerWord,
  syncWord,
} from '../picture/columns.ts';

/** O(operations). `position + shift of its row` maps operations to blocks; see `blockOf`. */
export function columnsOf(plan: PipelinePlan, timeline: Timeline): Columns {
  const { program, timing } = timeline;
  const { devices } = program;
  const exposed = timeline.exchanged.map((end, device) => end - stepAt(timeline, device));
  // Without a barrier each layer steps before its first forward of the next iteration.
  const steps = timeline.exchanged.map((end, device) =>
    timing.exchange?.rule.barrier === false
      ? 0
      : timeline.hosted === undefined
        ? timing.optimizer[device]
        : stepEnd(timeline, device) - end,
  );
  const tails = (device: number) => Number(exposed[device] > 0) + Number(steps[device] > 0);
  const offsets = new Int32Array(devices + 1);
  for (let device = 0; device < devices; device += 1) {
    offsets[device + 1] = offsets[device] + program.offsets[device + 1] - program.offsets[device] + tails(device);
  }
  const total = offsets[devices];
  const start = new Float64Array(total);
  const end = new Float64Array(total);
  const word = new Int32Array(total);
  const pair = program.fused === undefined ? undefined : new Uint8Array(total);
  const { result } = rowTable(program);
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << program.shift) - 1;
  let block = 0;
  for (let device = 0; device < devices; device += 1) {
    for (let at = program.offsets[device]; at < program.offsets[device + 1]; at += 1, block += 1) {
      const code = program.order[at];
      const row = code >> program.shift;
      const ended = timeline.end[result[row] * program.microbatches + (code & mask)];
      start[block] = timeline.starts === undefined ? ended - timing.duration[row] : timeline.starts[at];
      end[block] = ended;
      word[block] = code;
      if (pair !== undefined && program.fused?.[at] === 1) {
        pair[block] = 1;
        pair[block + 1] = 2;
      }
    }
    let time = stepAt(timeline, device);
    for (const [code, seconds] of [
      [syncWord, exposed[device]],
      [optimizerWord, steps[device]],
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
  const parts = partsOf(plan, timing.single?.layers ?? timing.duration, program.apart);
  const versions = versionsOf(program);
  return {
    rows: devices,
    offsets,
    start,
    end,
    word,
    pair,
    parts,
    ...(versions === undefined
      ? {}
      : {
          versions: {
            read: versions.read,
            used: versions.used,
            made: versions.made,
            home: Int32Array.from({ length: stages }, (_, stage) => weightsStage(program, stage)),
          },
        }),
    shift,
    stages,
    microbatches,
    ...(program.declared === undefined ? {} : { declared: program.declared.names }),
    makespan: timeline.makespan,
  };
}

/** First block of each device minus its first position: adding it to a position of `order` gives the block. */
export const blockShift = (columns: Columns, programOffsets: Int32Array): Int32Array =>
  columns.offsets.map((offset, device) => offset - programOffsets[device]);

export function partsOf(plan: PipelinePlan, duration: Float64Array, apart?: Uint8Array): Parts {
  const stages = plan.stages.length;
  const rows = Math.max(kinds * stages, duration.length);
  const main = Uint8Array.from({ length: rows }, (_, row) => kindOfDeclared(Math.trunc(row / stages) - kinds));
  const recompute = new Float64Array(rows);
  const weight = new Float64Array(rows).fill(1);
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

/** Lane whose forwards load the weights of another lane; −1 where there is none. */
const loadingLane = ({ schedule }: PipelinePlan): number =>
  schedule.kind === 'policy' && findPolicy(schedule.name)?.loading !== undefined ? 0 : -1;
