import { kindOfMicrobatch } from '../basics/lengths.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { TransferSizes } from '../values/timeline.ts';

/**
 * Seconds that messages of single microbatches hold their channel, where microbatches have different lengths. `needEdge`: the edge of
 * each need that carries a message. The gradient is a fixed share of the message, so both go by its bytes.
 */
export function transferSizes(
  { lengths, edges }: PipelinePlan,
  microbatches: number,
  needOccupancy: readonly number[],
  needEdge: ReadonlyMap<number, number>,
): TransferSizes {
  const occupancy = new Float64Array(needOccupancy.length * microbatches);
  const least = Float64Array.from(needOccupancy);
  for (const [need, mean] of needOccupancy.entries()) {
    const from = need * microbatches;
    occupancy.fill(mean, from, from + microbatches);
    const edge = needEdge.get(need);
    if (edge === undefined || lengths === undefined || mean === 0) continue;
    const { bytes } = edges[edge];
    least[need] = Infinity;
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
      const seconds = (mean * lengths.kinds[kindOfMicrobatch(lengths, microbatch)].edges[edge].bytes) / bytes;
      occupancy[from + microbatch] = seconds;
      least[need] = Math.min(least[need], seconds);
    }
  }
  return { occupancy, least };
}
