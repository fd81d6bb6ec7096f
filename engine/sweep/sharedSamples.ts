/** A batch that many numbers of ranks can share, near the one that is asked for. */
import { divisors } from '../basics/divisors.ts';
import { mostOff } from './ownBatch.ts';

/** Samples of a rank, at least. */
const leastOfRank = 4;

/**
 * The samples that most numbers of ranks can share, among numbers near `exact`; the nearest of several. Data ranks divide the devices,
 * also if multiplied by the pipeline ranks over which a schedule interleaves. On 144 devices, 9, 18 and 72 ranks can share 504 samples,
 * and none of these can share 496.
 */
export function sharedSamples(
  exact: number,
  devices: number,
): { readonly samples: number; readonly multipleOf: number } {
  const all = divisors(devices);
  const counts = all.filter((count) => count === 1 || leastOfRank * count <= exact);
  const sharing = (samples: number) => counts.filter((count) => samples % count === 0);
  const multiple = (count: number) => Math.max(1, Math.round(exact / count)) * count;
  // A power of two is shared evenly, however far that is.
  const always = counts.findLast((count) => Number.isInteger(Math.log2(count))) ?? 1;
  const near = all
    .filter((count) => count === always || Math.abs(multiple(count) - exact) <= mostOff * exact)
    .map((count) => ({ samples: multiple(count), counts: sharing(multiple(count)) }));
  const [best] = near.toSorted(
    (a, b) =>
      b.counts.length - a.counts.length ||
      Math.abs(a.samples - exact) - Math.abs(b.samples - exact) ||
      b.samples - a.samples,
  );
  return { samples: best.samples, multipleOf: best.counts.at(-1) ?? 1 };
}
