import { keepsNothing } from '../order/memory/keepsNothing.ts';
import { staticBytes } from '../order/memory/walk.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { B, F, I, type Program, resultRow, W } from '../values/program.ts';
import { stagesOn } from '../basics/stagesOn.ts';
import type { Timing } from '../values/timeline.ts';
import { problemOf, type TimedProblem } from './problemOf.ts';

/** What the operations of a program leave to decide. */
export interface ProgramFacts {
  readonly plan: PipelinePlan;
  readonly program: Program;
  readonly timing: Timing;
  /** Least seconds after a device's last operation, in any order. */
  readonly step: Float64Array;
  /** Whether orders must fit the memory of the devices. */
  readonly memory: boolean;
}

/**
 * The problem of ordering a program's operations, with the backwards split or whole. It is never harder than the program: what it
 * leaves out (queues for a link, tensors that skip stages, blocking transfers) only takes longer. Or why there is no such problem.
 */
export function programProblem(facts: ProgramFacts): TimedProblem | { readonly reason: string } {
  const reason = reasonAgainst(facts);
  if (reason !== undefined) return { reason };
  const { plan, program, timing, step, memory } = facts;
  const { devices, stages, microbatches, placement } = program;
  const transfer = transfersOf(program, timing);
  if (transfer === undefined) return { reason: 'the stages are not a chain in both directions' };
  const { duration } = timing;
  const whole = (stage: number): number => duration[B * stages + stage];
  const each = (of: (stage: number) => number): Float64Array =>
    Float64Array.from({ length: stages }, (_, stage) => of(stage));
  // A whole backward is an I and a W without a pause. Where it takes less than the two, less is counted.
  const input = each((stage) => Math.min(whole(stage), duration[I * stages + stage]));
  return problemOf({
    devices,
    microbatches,
    device: placement,
    forward: each((stage) => duration[F * stages + stage]),
    input,
    weight: each((stage) => Math.min(whole(stage) - input[stage], duration[W * stages + stage])),
    transfer,
    step,
    activation: each((stage) => plan.stages[stage].activation),
    forWeight: each((stage) => plan.stages[stage].activationForWeight),
    limit: Float64Array.from({ length: devices }, (_, device) =>
      memory && memoryStays(plan, program, device) ? roomOf(plan, device) : Infinity,
    ),
  });
}

function reasonAgainst({ plan, program, timing }: ProgramFacts): string | undefined {
  if (program.weights !== undefined && program.weights !== 'flush') return 'the schedule has no flush';
  if (program.forwardOnly === true) return 'nothing runs backwards';
  if (program.copies !== undefined) return 'stages have copies or segments';
  if (timing.single !== undefined || plan.lengths !== undefined) return 'microbatches take different times';
  if (program.fused !== undefined || (program.overlap ?? 0) > 0) return 'operations share slots';
  if (program.apart !== undefined) return 'recomputation is a separate operation';
  if (timing.exchange?.rule.barrier === false) return 'iterations follow without a barrier';
  if (plan.stages.some(keepsNothing)) return 'stages are frozen';
  return undefined;
}

/** Seconds of a message between each stage and the next, of the two directions the shorter; undefined without such messages. */
function transfersOf({ stages }: Program, timing: Timing): Float64Array | undefined {
  const delay = (row: number, result: number): number | undefined => {
    for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1)
      if (timing.needs[need] === result && (timing.needShift?.[need] ?? 0) === 0)
        return timing.needOccupancy[need] + timing.needLatency[need];
    return undefined;
  };
  const transfer = new Float64Array(Math.max(0, stages - 1));
  for (let stage = 0; stage + 1 < stages; stage += 1) {
    const down = delay(F * stages + stage + 1, resultRow(stages, F, stage));
    const up = delay(I * stages + stage, resultRow(stages, I, stage + 1));
    if (down === undefined || up === undefined) return undefined;
    transfer[stage] = Math.min(down, up);
  }
  return transfer;
}

/** Whether activations stay on their device until the backward. */
const memoryStays = (plan: PipelinePlan, program: Program, device: number): boolean =>
  program.partner === undefined &&
  stagesOn(program.placement, device).every((stage) => plan.stages[stage].offloaded === undefined);

/** Bytes for activations while a forward runs. */
function roomOf(plan: PipelinePlan, device: number): number {
  const { memory, reserved } = plan.devices[device];
  const working = stagesOn(plan.placement, device).reduce(
    (least, stage) => Math.min(least, plan.stages[stage].workspace),
    Infinity,
  );
  return memory - reserved - staticBytes(plan, device) - (working < Infinity ? working : 0);
}
