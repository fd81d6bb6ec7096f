/** What the end of the iteration waits for: the optimizer's step, the exchange of gradients, and the last operation before them. */
import { stepAt, stepEnd, type Timeline } from '../../values/timeline.ts';
import type { TensorNeed } from './chainTypes.ts';
import type { Walk } from './walk.ts';

/** What decides when the step at the end begins: the last operation of a device, or gradients on a lane. */
export type IterationEnd = { readonly device: number } | TensorNeed;

/**
 * Adds the step of the device that ends last. Returns the device whose last operation decides when the step begins: of devices
 * that exchange gradients with each other, the one that the others wait for. Buckets that several devices exchange during their
 * last backwards are not taken apart: undefined. On lanes of a rule, it is the tensor that arrives last.
 */
export function iterationEnd({ timeline, causes, slack }: Walk): IterationEnd | undefined {
  const { program, timing, exchanged, makespan } = timeline;
  const { holders } = timing;
  const runs = (device: number) => program.offsets[device + 1] > program.offsets[device];
  const last = exchanged.findIndex((_, device) => runs(device) && stepEnd(timeline, device) >= makespan - slack);
  if (last < 0) return undefined;
  if (stepEnd(timeline, last) - exchanged[last] > slack)
    causes.push({ kind: 'step', device: last, from: exchanged[last], to: makespan });
  if (exchanged[last] - stepAt(timeline, last) <= slack) return { device: last };
  const lane = lastOnLanes(timeline, last);
  if (lane !== undefined) {
    // What no lane carries is exchanged after that.
    if (exchanged[last] - lane.arrival > slack)
      causes.push({ kind: 'sync', device: last, from: lane.arrival, to: exchanged[last] });
    return lane;
  }

  const group = [...exchanged.keys()].filter(
    (device) => runs(device) && (device === last || (holders !== undefined && holders[device] === holders[last])),
  );
  const latest = group.reduce(
    (most, device) => (stepAt(timeline, device) > stepAt(timeline, most) ? device : most),
    last,
  );
  causes.push({ kind: 'sync', device: last, from: stepAt(timeline, latest), to: exchanged[last] });
  return timing.buckets !== undefined && group.length > 1 ? undefined : { device: latest };
}

/** The tensor for which a device waits after its last operation; undefined if none comes later than that. */
export function lastOnLanes(
  { exchange, last, makespan, ...timeline }: Timeline,
  device: number,
): TensorNeed | undefined {
  let found: TensorNeed | undefined;
  let latest = stepAt({ last, ...timeline }, device) + makespan * 1e-12;
  exchange?.lanes.forEach(({ plan, arrival }, lane) => {
    if (!plan.devices.includes(device)) return;
    arrival.forEach((at, tensor) => {
      if (at <= latest) return;
      latest = at;
      found = { lane, tensor, arrival: at };
    });
  });
  return found;
}
