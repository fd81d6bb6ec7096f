/**
 * Work of a GPU that a slice launched, on any thread of the process: the thread of autograd launches what a backward computes. Time is
 * the union of what computes; communication runs at the same time.
 */
import { countBelow } from '../../basics/column.ts';
import type { ComputeSlice, DeviceTrace } from './rankTrace.ts';

export interface DeviceWork {
  readonly from: number;
  readonly to: number;
  /** NaN: nothing separates it from other work. */
  readonly work: number;
}

/** All of a slice, what its thread launched, and what other threads launched. If the two ran at once, both have the time of all. */
export function deviceWork(
  device: DeviceTrace,
  { from, to, thread }: ComputeSlice,
): { readonly all: DeviceWork; readonly own: DeviceWork; readonly others: DeviceWork } {
  const all: number[] = [];
  for (let at = countBelow(device.launch, from); at < device.launch.length && device.launch[at] <= to; at += 1)
    if (device.use[at] === 0) all.push(at);
  const own = unionOf(
    device,
    all.filter((at) => device.thread[at] === thread),
  );
  const others = unionOf(
    device,
    all.filter((at) => device.thread[at] !== thread),
  );
  const atOnce = own.to > others.from && others.to > own.from;
  const whole = unionOf(device, all);
  const told = (part: DeviceWork): DeviceWork => (atOnce ? { ...whole, work: Number.NaN } : part);
  return { all: whole, own: told(own), others: told(others) };
}

function unionOf(device: DeviceTrace, works: readonly number[]): DeviceWork {
  const inOrder = works.toSorted((a, b) => device.from[a] - device.from[b]);
  let work = 0;
  let to = Number.NEGATIVE_INFINITY;
  for (const at of inOrder) {
    work += Math.max(0, device.to[at] - Math.max(device.from[at], to));
    to = Math.max(to, device.to[at]);
  }
  return inOrder.length === 0
    ? { from: Number.NaN, to: Number.NaN, work: Number.NaN }
    : { from: device.from[inOrder[0]], to, work };
}
