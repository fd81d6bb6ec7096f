/** A row whose ranks do not divide the samples that rows share: it has another number near the one that is asked for. */
import { share } from '../basics/quantities.ts';

/** How far the samples of a row may be from what was asked for, as a share. */
export const mostOff = 0.05;

/**
 * Samples of an iteration of a row. `unit`: samples that its data ranks take at a time. `group`: microbatches that its schedule takes at a
 * time; a row that cannot have whole groups has whole microbatches. `asked` may be no whole number; absent: every row has `shared`
 * samples. Undefined if no number near it divides.
 */
export function samplesOf(
  { batch: shared, asked }: { readonly batch: number; readonly asked?: number },
  unit: number,
  group: number,
): number | undefined {
  if (asked === undefined) return shared % unit === 0 ? shared : undefined;
  for (const each of group === 1 ? [unit] : [unit * group, unit]) {
    if (shared % each === 0) return shared;
    const near = Math.max(1, Math.round(asked / each)) * each;
    if (Math.abs(near - asked) <= mostOff * asked) return near;
  }
  return undefined;
}

/** `260 instead of 256 samples, +1.6 %`. */
export const batchWords = (own: number, shared: number): string =>
  `${own.toLocaleString('en-US')} instead of ${shared.toLocaleString('en-US')} samples, ${share(own / shared - 1, true)}`;
