/** Operations of a rank in one step, with their waits taken off. */
import { countBelow } from '../../basics/column.ts';
import type { ComputeAction } from '../torchCsv/table.ts';
import { type DeviceWork, deviceWork } from './device.ts';
import type { Operation } from './operation.ts';
import type { ComputeSlice, RankTrace } from './rankTrace.ts';
import { type Messages, receivedWithin } from './waits.ts';

export function operationsOf(
  trace: RankTrace,
  messages: Messages,
  slices: readonly ComputeSlice[],
): readonly Operation[] {
  const operations = slices.flatMap((slice) => operationsIn(trace, messages, slice));
  const isGraph = slices.some(({ busy }) => busy !== undefined);
  if (trace.simulated !== true && !isGraph) return operations;
  // A simulated device and one that replays a graph turn to their next operation at once, and a slice has no wait in it.
  return operations.map((operation, at) => (at === 0 ? operation : { ...operation, begin: operations[at - 1].end }));
}

function operationsIn(trace: RankTrace, messages: Messages, slice: ComputeSlice): readonly Operation[] {
  const [first, second] = slice.actions;
  const place = { line: slice.line, character: slice.character };
  const operation = (action: ComputeAction, times: Times, fused: boolean): Operation => ({
    ...{ type: action.type, stage: action.stage, microbatch: action.microbatch, fused, place },
    ...times,
    // A GPU sends once it has computed, whenever the host asked for it.
    posted: Math.max(messages.posted(action, slice.from), trace.device === undefined ? -Infinity : times.end),
    arrived: arrivedAt(trace, messages, slice, action),
  });
  if (slice.busy !== undefined) return graphed(slice, operation);
  if (trace.device !== undefined) {
    const works = deviceWork(trace.device, slice);
    if (second === undefined) return [operation(first, onDevice(slice, works.all), false)];
    return [
      operation(first, onDevice(slice, works.own), true),
      operation(second, onDevice(slice, works.others), false),
    ];
  }
  const start = within(slice, arrivedAt(trace, messages, slice, first));
  if (second === undefined) return [operation(first, onHost(slice.from, start, slice.to), false)];
  const turn = secondStart(trace, slice, start, arrivedAt(trace, messages, slice, second));
  return [
    operation(first, onHost(slice.from, start, turn.ends), true),
    operation(second, onHost(turn.ends, turn.starts, slice.to), false),
  ];
}

/** Kernels of a graph wait for nothing within an operation. The kernels of a fused pair have one label, so nothing separates the pair. */
function graphed(
  { actions: [first, second], from, to, busy = 0 }: ComputeSlice,
  operation: (action: ComputeAction, times: Times, fused: boolean) => Operation,
): readonly Operation[] {
  const times = { begin: from, start: from, end: to };
  if (second === undefined) return [operation(first, { ...times, work: busy }, false)];
  return [
    operation(first, { ...times, work: Number.NaN }, true),
    operation(second, { ...times, work: Number.NaN }, false),
  ];
}

/** A schedule of one stage waits for a receive that it posts in the slice of the operation itself. */
const arrivedAt = (trace: RankTrace, messages: Messages, slice: ComputeSlice, action: ComputeAction): number =>
  slice.anyStage === true ? receivedWithin(trace, slice) : messages.arrived(action, slice.from);

type Times = Pick<Operation, 'begin' | 'start' | 'end' | 'work'>;

const onHost = (begin: number, start: number, end: number): Times => ({ begin, start, end, work: end - start });

/** A slice on the host only launches: computing is what the device did. */
const onDevice = (slice: ComputeSlice, { from, to, work }: DeviceWork): Times =>
  Number.isNaN(from)
    ? { begin: slice.from, start: slice.from, end: slice.from, work: 0 }
    : { begin: Math.min(slice.from, from), start: from, end: to, work };

/** A message that came before the slice was not waited for. */
const within = ({ from, to }: ComputeSlice, arrived: number): number => (arrived > from ? Math.min(arrived, to) : from);

/**
 * The start of the second of two operations on a CPU, which runs them one after the other: at autograd's first function, or once its
 * message was there. Without either, nothing tells their times apart.
 */
function secondStart(
  { autograd }: RankTrace,
  { to }: ComputeSlice,
  start: number,
  arrived: number,
): { readonly ends: number; readonly starts: number } {
  const at = countBelow(autograd, start);
  const first = at < autograd.length && autograd[at] <= to ? autograd[at] : Number.NaN;
  if (arrived > start && arrived <= to) return { ends: arrived, starts: arrived };
  return { ends: first, starts: first };
}
