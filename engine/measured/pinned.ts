/** The order that ran, as a program of the plan: pinned, whatever order the plan would choose for the times that were measured. */
import { findPolicy } from '../policies/registry.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { type Program, wordOf } from '../values/program.ts';
import { otherRun } from '../runs/otherRun.ts';
import type { RecordedStep, Recording } from '../values/recording.ts';

/** The program, or a sentence on why the run is none of the plan. */
export function pinnedProgram(
  program: Program,
  recording: Recording,
  step: RecordedStep,
): { readonly program: Program } | { readonly problem: string } {
  const kinds = [...new Set(step.rows.flatMap(({ kind }) => [...kind]))];
  const problem = otherRun(program, { ...recording, kinds });
  if (problem !== undefined) return { problem };
  const offsets = new Int32Array(program.devices + 1);
  const words: number[] = [];
  const fused: number[] = [];
  for (const [device, row] of step.rows.entries()) {
    for (const [at, kind] of row.kind.entries()) {
      words.push(wordOf(program, kind, row.stage[at], row.microbatch[at]));
      fused.push(row.fused[at]);
    }
    offsets[device + 1] = words.length;
  }
  const { items: _items, fused: _fused, ...rest } = program;
  const order = Int32Array.from(words);
  const slots = fused.includes(1) ? { fused: Uint8Array.from(fused) } : {};
  return { program: { ...rest, order, offsets, ...slots } };
}

/** How far the order that ran is from the plan's. */
export interface OrderDifference {
  readonly cells: number;
  readonly of: number;
  /** Of each device whose row differs: its first cell that does. */
  readonly first: readonly {
    readonly device: number;
    readonly cell: number;
    readonly planned: number;
    readonly ran: number;
  }[];
  /** The plan makes its order for the times of its layers. */
  readonly dependsOnTimes: boolean;
}

/** Whether the order of a plan follows from the times of its layers: then other times make another order of it. */
export function ordersByTimes({ schedule }: PipelinePlan): boolean {
  if (schedule.kind === 'policy') return findPolicy(schedule.name)?.searches === true;
  return schedule.kind === 'greedy' || schedule.fill === true;
}

export function orderDifference(plan: PipelinePlan, planned: Program, ran: Program): OrderDifference {
  let cells = 0;
  const first: OrderDifference['first'][number][] = [];
  for (let device = 0; device < planned.devices; device += 1) {
    const from = planned.offsets[device];
    let seen = false;
    for (let cell = 0; cell < planned.offsets[device + 1] - from; cell += 1) {
      const word = ran.order[ran.offsets[device] + cell];
      if (planned.order[from + cell] === word) continue;
      cells += 1;
      if (!seen) first.push({ device, cell, planned: planned.order[from + cell], ran: word });
      seen = true;
    }
  }
  return { cells, of: planned.order.length, first, dependsOnTimes: ordersByTimes(plan) };
}
