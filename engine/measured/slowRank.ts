/** Ranks that are slow in all that they do. A run alone does not tell a slow device from slow layers. */
import { share } from '../basics/quantities.ts';
import type { Measured } from '../runs/measure.ts';
import { mean, median } from '../runs/statistics.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Program } from '../values/program.ts';

/** By more than this share, and by about as much in each row. */
const slow = 0.05;
const alike = 0.05;
/** Operations so short are mostly the host's. */
const shortest = 1e-4;

export interface SlowRank {
  /** Name of its device. */
  readonly name: string;
  readonly rank: number;
  /** Speed relative to the other ranks: under 1. Rounded, as it is written. */
  readonly speed: number;
}

/** Against the median of all rows of a kind, measured over planned. */
export function slowRanks(
  { devices }: PipelinePlan,
  { stages, placement }: Program,
  duration: Float64Array,
  { times }: Pick<Measured, 'times'>,
): readonly SlowRank[] {
  // Of two ranks, none is slower than the others.
  if (devices.length < 3) return [];
  const ratios = [...times].flatMap(([row, time]) =>
    duration[row] > shortest && time.mean > shortest
      ? [{ kind: Math.trunc(row / stages), rank: placement[row % stages], ratio: time.mean / duration[row] }]
      : [],
  );
  const pace = new Map(
    [...new Set(ratios.map(({ kind }) => kind))].map((kind) => [
      kind,
      median(ratios.filter((one) => one.kind === kind).map(({ ratio }) => ratio)),
    ]),
  );
  return devices.flatMap(({ name }, rank) => {
    const own = ratios.filter((one) => one.rank === rank).map(({ kind, ratio }) => ratio / (pace.get(kind) ?? 1));
    const factor = mean(own);
    const apart = own.length < 2 || factor < 1 + slow || own.some((one) => Math.abs(one / factor - 1) > alike);
    return apart ? [] : [{ name, rank, speed: Number((1 / factor).toFixed(4)) }];
  });
}

/** What a person reads of it. */
export const slowness = ({ name, speed }: SlowRank): string =>
  `${name} takes ${share(1 / speed - 1)} longer than the others in all that it does.`;
