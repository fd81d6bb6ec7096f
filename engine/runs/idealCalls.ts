import type { Recording } from '../values/recording.ts';
import { mean, median } from './statistics.ts';

/**
 * Seconds that each call should take. What each rank does alone has the mean. What ranks make together has the median, because a few of
 * these calls wait for something that the recording does not show.
 */
export function idealCalls(replicas: readonly Recording[], indexes: readonly number[]): ReadonlyMap<string, number> {
  const samples = new Map<string, { readonly together: boolean; readonly seconds: number[] }>();
  for (const { steps } of replicas)
    for (const index of indexes)
      for (const { name, together, seconds } of [...(steps[index].before ?? []), ...(steps[index].after ?? [])]) {
        const own = samples.get(name) ?? { together: together !== 'rank', seconds: [] };
        samples.set(name, own);
        own.seconds.push(...seconds.filter((value) => !Number.isNaN(value)));
      }
  return new Map(
    [...samples].map(([name, { together, seconds }]) => [name, together ? median(seconds) : mean(seconds)]),
  );
}
