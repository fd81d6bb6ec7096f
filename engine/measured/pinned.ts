/** The order that ran, as a program of the plan: pinned, whatever order the plan would choose for the times that were measured. */
import type { PipelinePlan } from '../values/plan.ts';
import { B, I, letters, type Program, wordOf } from '../values/program.ts';
import type { RecordedStep, Recording } from '../values/recording.ts';

/** The program, or a sentence on why the run is none of the plan. */
export function pinnedProgram(
  program: Program,
  recording: Recording,
  step: RecordedStep,
): { readonly program: Program } | { readonly problem: string } {
  const problem = otherShape(program, recording);
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
  const unplanned = otherKind(program, words);
  if (unplanned !== undefined) return { problem: unplanned };
  const { items: _items, fused: _fused, ...rest } = program;
  const order = Int32Array.from(words);
  const slots = fused.includes(1) ? { fused: Uint8Array.from(fused) } : {};
  return { program: { ...rest, order, offsets, ...slots } };
}

const otherShape = (program: Program, { ranks, stages, microbatches, placement }: Recording): string | undefined => {
  const differ = (what: string, planned: number, ran: number): string =>
    `the plan has ${planned} ${what}, and ${ran} ran`;
  if (program.copies !== undefined || program.extended === true)
    return 'the plan has copies of stages or operations other than F, B, I and W, which no trace names';
  if (program.devices !== ranks.length) return differ('devices', program.devices, ranks.length);
  if (program.stages !== stages) return differ('stages', program.stages, stages);
  if (program.microbatches !== microbatches) return differ('microbatches', program.microbatches, microbatches);
  const stage = placement.findIndex((rank, at) => rank !== program.placement[at]);
  return stage < 0
    ? undefined
    : `stage ${stage} is on device ${program.placement[stage]} in the plan, and ran on device ${placement[stage]}`;
};

/** A whole backward has another time than its half. */
function otherKind(program: Program, words: readonly number[]): string | undefined {
  const kindsIn = (of: Iterable<number>): Set<number> =>
    new Set([...of].map((word) => (word >> program.shift) / program.stages).map(Math.trunc));
  const planned = kindsIn(program.order);
  const other = [...kindsIn(words)].find((kind) => !planned.has(kind));
  if (other === undefined) return undefined;
  const split = other === B ? 'the plan splits backwards into I and W, and the run did not' : '';
  const whole = other === I ? 'the run splits backwards into I and W, and the plan does not' : '';
  return split || whole || `the run has ${letters[other]}, and the plan has none`;
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

export function orderDifference(
  plan: PipelinePlan,
  planned: Program,
  ran: Program,
  searches: boolean,
): OrderDifference {
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
  const { schedule } = plan;
  const made = schedule.kind === 'greedy' || (schedule.kind === 'rows' && schedule.fill === true);
  return { cells, of: planned.order.length, first, dependsOnTimes: made || searches };
}
