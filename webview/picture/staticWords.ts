import { shareOf } from '../../engine/analyze/shares.ts';
import type { DeviceReport } from '../../engine/values/report.ts';

/** Parts below this share of the static memory are not named. */
const leastNamed = 0.005;

/** What a device holds all the time, by what it really holds: the words in full, then shorter ones. Empty if it holds nothing. */
export function staticWords({ memory }: Pick<DeviceReport, 'memory'>): readonly string[] {
  const { weights, gradients, optimizer, buffers } = memory;
  const all = weights + gradients + optimizer + buffers;
  const parts: readonly (readonly [string, number])[] = [
    ['weights', weights],
    ['gradients', gradients],
    ['optimizer state', optimizer],
    ['transfer buffers', buffers],
  ];
  const names = parts.filter(([, bytes]) => bytes > 0 && shareOf(bytes, all) >= leastNamed).map(([name]) => name);
  return names.map((_, left) =>
    left === 0 ? names.join(' + ') : `${names.slice(0, names.length - left).join(' + ')} + …`,
  );
}
