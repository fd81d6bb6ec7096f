/** Durations of single operations: factors of what the layers say, by kind, stage and microbatch (`time(F, s, j)` of a schedule). */
import type { PipelinePlan } from '../plan.ts';
import { B, I, W } from '../program.ts';

/** Factors of the operations of a kind and stage of the program, by microbatch; undefined if the layers say them all. */
export type OperationFactors = (kind: number, stage: number) => ArrayLike<number> | undefined;

/**
 * A factor of B is also one of I and W. Factors of I and W give one to B, which takes as long as both. `apart`: stages whose
 * backward does not contain the recomputation. Undefined if no operation has a single duration.
 */
export function operationFactors(
  { schedule, stages }: Pick<PipelinePlan, 'schedule' | 'stages'>,
  apart?: Uint8Array,
): OperationFactors | undefined {
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
