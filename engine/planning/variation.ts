import type { SettledPipeline, VariationOf } from '../definitions/pipeline.ts';
import type { PipelinePlan } from '../plan.ts';
import type { Notes } from './notes.ts';

/** By stage of the plan and by device; undefined if a number is none of a stage or device (reported). */
export function variationPlan(
  { report }: Notes,
  { variation }: SettledPipeline,
  /** Of each stage of the plan its number in the cut. */
  stages: readonly number[],
  devices: number,
): Pick<PipelinePlan, 'jitter' | 'slow'> | undefined {
  const { jitter, jitterOf, slowOf } = variation;
  const count = stages.reduce((most, stage) => Math.max(most, stage + 1), 0);
  const isNumber = ({ index, at }: VariationOf, most: number, what: string): boolean => {
    if (index < most) return true;
    report.report('value/range', at, {
      what: `The number of the ${what}`,
      value: String(index),
      allowed: `a whole number from 0 to ${most - 1}`,
    });
    return false;
  };
  const right = [
    ...jitterOf.map((of) => isNumber(of, count, 'stage')),
    ...slowOf.map((of) => isNumber(of, devices, 'device')),
  ];
  if (right.includes(false)) return undefined;
  const jitterAt = (stage: number) => jitterOf.find(({ index }) => index === stage)?.value ?? jitter ?? 0;
  const shares = stages.map(jitterAt);
  const factors = Array.from(
    { length: devices },
    (_, device) => slowOf.find(({ index }) => index === device)?.value ?? 1,
  );
  return {
    // A `jitter` of 0 has percentiles too: each is the iteration.
    ...(jitter !== undefined || jitterOf.length > 0 ? { jitter: shares } : {}),
    ...(factors.some((factor) => factor !== 1) ? { slow: factors } : {}),
  };
}
