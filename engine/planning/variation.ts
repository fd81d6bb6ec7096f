import type { SettledPipeline, VariationOf } from '../definitions/pipeline.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Notes } from './notes.ts';

/** By stage of the plan and by device; undefined if a number is none of a stage or device (reported). */
export function variationPlan(
  { report }: Notes,
  { variation }: SettledPipeline,
  /** Names of the stages of the cut, and of each stage of the plan its number there. */
  { names, stages }: { readonly names: readonly string[]; readonly stages: readonly number[] },
  devices: number,
): Pick<PipelinePlan, 'jitter' | 'slow'> | undefined {
  const { jitter, jitterOf, slowOf } = variation;
  let wrong = false;
  /** The values of single ones. */
  function byNumber(
    uses: readonly VariationOf[],
    most: number,
    key: string,
    what: string,
  ): ReadonlyMap<number, number> {
    const values = new Map<number, number>();
    for (const { which, value, at } of uses) {
      const index = typeof which === 'number' ? which : names.indexOf(which);
      if (index < 0 || index >= most) {
        report.report('value/range', at, {
          what: `The number of the ${what}`,
          value: String(which),
          allowed: `a whole number from 0 to ${most - 1}`,
        });
        wrong = true;
      } else if (values.has(index))
        report.report('key/duplicate', at, { key: `${key}(${what} = ${which})`, block: 'pipeline' });
      else values.set(index, value);
    }
    return values;
  }
  const ofStages = byNumber(jitterOf, names.length, 'jitter', 'stage');
  const ofDevices = byNumber(slowOf, devices, 'slow', 'device');
  if (wrong) return undefined;
  const factors = Array.from({ length: devices }, (_, device) => ofDevices.get(device) ?? 1);
  return {
    // A `jitter` of 0 has percentiles too: each is the iteration.
    ...(jitter !== undefined || jitterOf.length > 0
      ? { jitter: stages.map((stage) => ofStages.get(stage) ?? jitter ?? 0) }
      : {}),
    ...(factors.some((factor) => factor !== 1) ? { slow: factors } : {}),
  };
}
