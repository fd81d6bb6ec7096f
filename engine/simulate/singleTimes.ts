import { operationFactors } from '../order/operationFactors.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { kindOfRow, kinds, type Program, runsMicrobatch } from '../values/program.ts';
import type { SingleTimes } from '../values/timeline.ts';

/**
 * Seconds of single operations; undefined if all of a row take the same. The durations of rows become the means over the
 * microbatches that their stages run.
 */
export function singleTimes(plan: PipelinePlan, program: Program, duration: Float64Array): SingleTimes | undefined {
  const { stages, microbatches, declared } = program;
  const written = operationFactors(plan, program.apart);
  if (written === undefined && declared?.factors === undefined) return undefined;
  const factorsOf = (kind: number, stage: number): ArrayLike<number> | undefined =>
    kind >= kinds ? declared?.factors?.get((kind - kinds) * stages + stage) : written?.(kind, stage);
  const layers = duration.slice();
  const seconds = new Float64Array(duration.length * microbatches);
  const least = duration.slice();
  const most = duration.slice();
  for (let row = 0; row < duration.length; row += 1) {
    const from = row * microbatches;
    seconds.fill(duration[row], from, from + microbatches);
    const stage = row % stages;
    const factors = factorsOf(kindOfRow(stages, row), stage);
    if (factors === undefined) continue;
    let sum = 0;
    let count = 0;
    [least[row], most[row]] = [Infinity, 0];
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
      // Operations of the schedule have the mean for numbers that do not run.
      if (row < kinds * stages && !runsMicrobatch(program, stage, microbatch)) continue;
      const time = layers[row] * factors[microbatch];
      seconds[from + microbatch] = time;
      least[row] = Math.min(least[row], time);
      most[row] = Math.max(most[row], time);
      sum += time;
      count += 1;
    }
    if (count === 0) [least[row], most[row]] = [layers[row], layers[row]];
    else duration[row] = sum / count;
  }
  return { layers, seconds, least, most, ...(plan.lengths === undefined ? {} : { lengths: true }) };
}
