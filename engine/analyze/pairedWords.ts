import { share } from '../basics/quantities.ts';
import type { PairedReport } from '../values/report.ts';

/** `faster in 94 % of draws; gain 0.8…3.1 %`: from the 5th to the 95th percentile. */
export function pairedWords({ faster, gain }: PairedReport): string {
  return `faster in ${fasterShare(faster)} of draws; gain ${gainText(gain)}`;
}

/** `94 %`; not 100 % or 0 % if it is only nearly so. */
export function fasterShare(faster: number): string {
  const text = share(faster);
  if (text === share(1) && faster < 1) return '> 99.9 %';
  return text === share(0) && faster > 0 ? '< 0.1 %' : text;
}

/** `0.8…3.1 %`, `−1.2…0.4 %`: of a loss both ends are negative. */
export function gainText({ p5, p95 }: PairedReport['gain']): string {
  const [low, high] = [p5, p95].map((value) => share(value));
  return low === high ? low : `${low.replace(' %', '')}…${high}`;
}
