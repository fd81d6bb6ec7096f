import type { PullGraph } from '../../engine/simulate/exchange/tictac.ts';

/**
 * Scheduling efficiency and speedup (section 3.3). `upper`: everything one after the other. `lower`: the longer of all operations and all
 * pulls. Efficiency is 1 at the lower bound and 0 at the upper one; `speedup` is what the best order could gain over the worst.
 */
export function efficiencyOf(
  { compute, pull }: Pick<PullGraph, 'compute' | 'pull'>,
  seconds: number,
): Record<'upper' | 'lower' | 'efficiency' | 'speedup', number> {
  const sum = (column: Float64Array) => column.reduce((all, each) => all + each, 0);
  const upper = sum(compute) + sum(pull);
  const lower = Math.max(sum(compute), sum(pull));
  return {
    upper,
    lower,
    efficiency: upper > lower ? (upper - seconds) / (upper - lower) : 1,
    speedup: lower > 0 ? (upper - lower) / lower : 0,
  };
}
