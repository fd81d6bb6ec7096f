/** A rank that is slow in all that it does: its device, or its layers. A run alone does not tell which. */
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

/** Against the median of all rows of a kind, measured over planned. Undefined without such a rank. */
export function slowRank(
  { devices }: PipelinePlan,
  { stages, placement }: Program,
  duration: Float64Array,
  { times }: Pick<Measured, 'times'>,
): string | undefined {
  if (devices.length < 3) return undefined;
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
  for (const [rank, device] of devices.entries()) {
    const own = ratios.filter((one) => one.rank === rank).map(({ kind, ratio }) => ratio / (pace.get(kind) ?? 1));
    const factor = mean(own);
    if (own.length < 2 || factor < 1 + slow || own.some((one) => Math.abs(one / factor - 1) > alike)) continue;
    const speed = (1 / factor).toFixed(3);
    return `${device.name} takes ${share(factor - 1)} longer than the others in all that it does. Nothing tells a slow device from slow layers. If it is the device, or a program that shares it, give it a device with \`speed = ${speed}\`, and calibrate again. If its layers are slow, say --slow-layers`;
  }
  return undefined;
}
