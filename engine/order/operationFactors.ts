/**
 * Durations of single operations: factors of what the layers say, by kind, stage and microbatch. They are `time(F, s, j)` of a schedule,
 * or follow from the lengths of microbatches.
 */
import { stageFor } from '../basics/lengths.ts';
import type { LengthStage, PipelinePlan } from '../values/plan.ts';
import { B, F, I, R, W } from '../values/program.ts';

/** Factors of the operations of a kind and stage of the program, by microbatch; undefined if the layers say them all. */
export type OperationFactors = (kind: number, stage: number) => ArrayLike<number> | undefined;

/**
 * A factor of B is also one of I and W. Factors of I and W give one to B, which takes as long as both. `apart`: stages whose
 * backward does not contain the recomputation. Undefined if no operation has a single duration.
 */
export function operationFactors(
  plan: Pick<PipelinePlan, 'schedule' | 'stages' | 'lengths' | 'microbatches' | 'iterations'>,
  apart?: Uint8Array,
): OperationFactors | undefined {
  if (plan.lengths !== undefined) return lengthFactors(plan, apart);
  const { schedule, stages } = plan;
  const times = schedule.kind === 'policy' ? undefined : schedule.times;
  if (times === undefined || times.length === 0) return undefined;
  const written = new Map(times.map(({ kind, stage, factors }) => [kind * stages.length + stage, factors]));
  const of = (kind: number, stage: number): ArrayLike<number> | undefined => written.get(kind * stages.length + stage);
  return (kind, stage) => {
    const direct = of(kind, stage);
    if (direct !== undefined) return direct;
    if (kind === I || kind === W) return of(B, stage);
    const [input, weight] = kind === B ? [of(I, stage), of(W, stage)] : [];
    if (input === undefined && weight === undefined) return undefined;
    const { backwardInput, backwardWeight, recompute } = stages[stage];
    const first = backwardInput + (apart?.[stage] === 1 ? 0 : recompute);
    const both = first + backwardWeight;
    const count = (input ?? weight)?.length ?? 0;
    return Float64Array.from({ length: count }, (_, microbatch) =>
      both > 0 ? (first * (input?.[microbatch] ?? 1) + backwardWeight * (weight?.[microbatch] ?? 1)) / both : 1,
    );
  };
}

/** Of microbatches with different lengths: the figures of a stage are means over them. A schedule then gives no times (`unfitForLengths`). */
function lengthFactors(
  plan: Pick<PipelinePlan, 'stages' | 'lengths' | 'microbatches' | 'iterations'>,
  apart?: Uint8Array,
): OperationFactors {
  const microbatches = plan.microbatches * plan.iterations;
  return (kind, stage) => {
    const seconds = secondsOfKind(kind, apart?.[stage] === 1);
    if (seconds === undefined) return undefined;
    const mean = seconds(plan.stages[stage]);
    if (!(mean > 0)) return undefined;
    return Float64Array.from(
      { length: microbatches },
      (_, microbatch) => seconds(stageFor(plan, stage, microbatch)) / mean,
    );
  };
}

type Seconds = (stage: Pick<LengthStage, 'forward' | 'backwardInput' | 'backwardWeight' | 'recompute'>) => number;

/** Seconds of an operation by the figures of its stage; undefined for kinds whose time does not go by the layers. */
function secondsOfKind(kind: number, apart: boolean): Seconds | undefined {
  const input: Seconds = ({ recompute, backwardInput }) => (apart ? 0 : recompute) + backwardInput;
  switch (kind) {
    case F:
      return ({ forward }) => forward;
    case B:
      return (stage) => input(stage) + stage.backwardWeight;
    case I:
      return input;
    case W:
      return ({ backwardWeight }) => backwardWeight;
    case R:
      return ({ recompute }) => recompute;
    default:
      return undefined;
  }
}
