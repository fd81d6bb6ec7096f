/** Times of one thing, in milliseconds of CPU of this process (all threads, garbage collection included). */
export interface Measured {
  /** The first call ever. */
  readonly first: number;
  /** The best of the rest. */
  readonly best: number;
  /**
   * Of this thread alone: V8 frees the arrays of earlier calls in others, at times of its choice. The median, since Linux may count
   * the time of a thread in ticks: the least is then too little.
   */
  readonly own: number;
}

/** Runs `work` once, then best of `rounds`, each of as many calls as take `atLeast` milliseconds; figures are for one call. */
export function measure(work: () => unknown, { rounds = 5, atLeast = 40 } = {}): Measured {
  const first = cpu(work, 1).all;
  let calls = 1;
  let took = cpu(work, calls);
  while (took.all < atLeast && calls < 1 << 20) {
    calls *= took.all < atLeast / 8 ? 4 : 2;
    took = cpu(work, calls);
  }
  let best = took.all / calls;
  const own = [took.own / calls];
  for (let round = 1; round < rounds; round += 1) {
    took = cpu(work, calls);
    best = Math.min(best, took.all / calls);
    own.push(took.own / calls);
  }
  return { first, best, own: percentile(own, 0.5) };
}

/** Milliseconds of CPU of this thread since then. */
export function threadMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1000;
}

/** A result that nothing uses could be optimised away. */
let kept: unknown;

function cpu(work: () => unknown, calls: number): { readonly all: number; readonly own: number } {
  const before = process.cpuUsage();
  const ownBefore = process.threadCpuUsage();
  for (let call = 0; call < calls; call += 1) kept = work();
  const own = threadMs(ownBefore);
  const all = process.cpuUsage(before);
  return { all: (all.user + all.system) / 1000, own };
}

/** The last result of anything measured. */
export const lastResult = (): unknown => kept;

/** The value below which `share` of `values` lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}
