/** Times of one thing, in milliseconds of CPU of this process (all threads, garbage collection included). */
export interface Measured {
  /** The first call ever. */
  readonly first: number;
  /** The best of the rest. */
  readonly best: number;
}

/** Runs `work` once, then best of `rounds`, each of as many calls as take `atLeast` milliseconds; figures are for one call. */
export function measure(work: () => unknown, { rounds = 5, atLeast = 40 } = {}): Measured {
  const first = cpu(work, 1);
  let calls = 1;
  let took = cpu(work, calls);
  while (took < atLeast && calls < 1 << 20) {
    calls *= took < atLeast / 8 ? 4 : 2;
    took = cpu(work, calls);
  }
  let best = took / calls;
  for (let round = 1; round < rounds; round += 1) best = Math.min(best, cpu(work, calls) / calls);
  return { first, best };
}

/** A result that nothing uses could be optimised away. */
let kept: unknown;

function cpu(work: () => unknown, calls: number): number {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) kept = work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The last result of anything measured. */
export const lastResult = (): unknown => kept;

/** The value below which `share` of `values` lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}
