/**
 * When a message was there. PyTorch posts a receive in the slice `PP:2RECV_F0`, and waits for it inside the slice of the operation
 * that needs it. What the network did is found by where it was posted: a slice `gloo:recv` on the CPU, a kernel on a GPU.
 */
import { countBelow } from '../../basics/column.ts';
import type { ComputeAction } from '../torchCsv/table.ts';
import type { DeviceTrace, RankTrace, Slice, TransferSlice } from './rankTrace.ts';

/** The message that an operation needs. W needs none. */
const needed = { F: 'RECV_F', B: 'RECV_B', I: 'RECV_B', W: undefined } as const;
/** The message that it makes. */
const made = { F: 'SEND_F', B: 'SEND_B', I: 'SEND_B', W: undefined } as const;

const keyOf = (type: string, stage: number, microbatch: number): string => `${type} ${stage} ${microbatch}`;

export interface Messages {
  /** When what the operation at `begin` needs was there; NaN where it needs no message. */
  arrived(action: ComputeAction, begin: number): number;
  /** When what it made was handed over; NaN where it sends nothing. */
  posted(action: ComputeAction, begin: number): number;
}

export function messagesOf(trace: RankTrace): Messages {
  // Each runs once a step: in the order of the trace.
  const slices = new Map<string, TransferSlice[]>();
  for (const slice of trace.transfers) {
    const key = keyOf(slice.type, slice.stage, slice.microbatch);
    const list = slices.get(key);
    if (list === undefined) slices.set(key, [slice]);
    else list.push(slice);
  }
  const find = (type: string | undefined, { stage, microbatch }: ComputeAction): readonly TransferSlice[] =>
    (type === undefined ? undefined : slices.get(keyOf(type, stage, microbatch))) ?? [];
  return {
    arrived(action, begin) {
      const slice = find(needed[action.type], action).findLast(({ from }) => from <= begin);
      if (slice === undefined) return Number.NaN;
      if (trace.simulated === true) return slice.to;
      if (slice.over !== undefined) return slice.over;
      return trace.device === undefined ? receivedWithin(trace, slice) : sentWithin(trace.device, slice);
    },
    posted(action, begin) {
      const slice = find(made[action.type], action).find(({ from }) => from >= begin);
      if (slice === undefined) return Number.NaN;
      return trace.device === undefined || slice.over !== undefined
        ? slice.from
        : Math.max(slice.from, firstWithin(trace.device, slice));
    },
  };
}

/** The end of the receive that starts within a slice. It ends once the message was waited for. */
export function receivedWithin({ receives }: RankTrace, { from, to }: Slice): number {
  const at = countBelow(receives.from, from);
  return at < receives.from.length && receives.from[at] <= to ? receives.to[at] : Number.NaN;
}

/** The start of the first message that a slice launched; NaN if another slice launched it, in a kernel that also receives: then nothing tells when it was sent. */
function firstWithin(device: DeviceTrace, { from, to }: Slice): number {
  let first = Number.POSITIVE_INFINITY;
  for (let at = countBelow(device.launch, from); at < device.launch.length && device.launch[at] <= to; at += 1)
    if (device.use[at] === 1) first = Math.min(first, device.from[at]);
  if (Number.isFinite(first)) return first;
  return device.use.includes(1) ? Number.NaN : from;
}

/** The end of the last message that a slice launched. */
function sentWithin(device: DeviceTrace, { from, to }: Slice): number {
  let last = Number.NaN;
  for (let at = countBelow(device.launch, from); at < device.launch.length && device.launch[at] <= to; at += 1)
    if (device.use[at] === 1 && !(device.to[at] < last)) last = device.to[at];
  return last;
}
