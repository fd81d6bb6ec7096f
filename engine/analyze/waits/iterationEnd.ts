/** What the end of the iteration waits for: the optimizer's step, the exchange of gradients, and the last operation before them. */
import { stepAt } from '../../timeline.ts';
import type { Walk } from './walk.ts';

/**
 * Adds the step of the device that ends last. Returns the device whose last operation decides when the step begins: of devices
 * that exchange gradients with each other, the one that the others wait for. Buckets that several devices exchange during their
 * last backwards are not taken apart: −1.
 */
export function iterationEnd({ timeline, causes, slack }: Walk): number {
  const { program, timing, exchanged, makespan } = timeline;
  const { holders } = timing;
  const runs = (device: number) => program.offsets[device + 1] > program.offsets[device];
  const last = exchanged.findIndex((end, device) => runs(device) && end + timing.optimizer[device] >= makespan - slack);
  if (last < 0) return -1;
  if (timing.optimizer[last] > slack) causes.push({ kind: 'step', device: last, from: exchanged[last], to: makespan });
  if (exchanged[last] - stepAt(timeline, last) <= slack) return last;

  const group = [...exchanged.keys()].filter(
    (device) => runs(device) && (device === last || (holders !== undefined && holders[device] === holders[last])),
  );
  const latest = group.reduce(
    (most, device) => (stepAt(timeline, device) > stepAt(timeline, most) ? device : most),
    last,
  );
  causes.push({ kind: 'sync', device: last, from: stepAt(timeline, latest), to: exchanged[last] });
  return timing.buckets !== undefined && group.length > 1 ? -1 : latest;
}
