/** Results that cross devices, as slices of a trace: one of the device that sends, one of the device that receives. */
import { kindOfMicrobatch } from '../basics/lengths.ts';
import type { PipelinePlan } from '../values/plan.ts';
import {
  B,
  F,
  I,
  kindOf,
  microbatchOf,
  needSlot,
  operationName,
  type Program,
  resultsIn,
  resultSlotOf,
  rowOf,
  stageOf,
} from '../values/program.ts';
import { arrivalAt, endAt, type Timeline } from '../values/timeline.ts';
import { micros, type TraceEvent } from './traceEvent.ts';

/** By message: positions of the operations at its ends, and seconds. */
export interface Messages {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly sent: Float64Array;
  readonly arrived: Float64Array;
}

/** All of a timeline, in the order of who receives them. */
export function messagesOf({ program, timing, ...timeline }: Timeline): Messages {
  const { order, offsets, microbatches, placement } = program;
  const maker = new Int32Array(resultsIn(program) * program.stages * microbatches).fill(-1);
  for (let position = 0; position < order.length; position += 1)
    maker[resultSlotOf(program, order[position])] = position;
  const whole = { program, timing, ...timeline };
  const visit = (message: (from: number, to: number, need: number) => void): void => {
    for (let device = 0; device < program.devices; device += 1) {
      for (let position = offsets[device]; position < offsets[device + 1]; position += 1) {
        const word = order[position];
        const row = rowOf(program, word);
        for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
          const slot = needSlot(timing, microbatches, need, microbatchOf(program, word));
          const from = slot < 0 ? -1 : maker[slot];
          if (from >= 0 && placement[stageOf(program, order[from])] !== device) message(from, position, need);
        }
      }
    }
  };
  let count = 0;
  visit(() => (count += 1));
  const found = {
    from: new Int32Array(count),
    to: new Int32Array(count),
    sent: new Float64Array(count),
    arrived: new Float64Array(count),
  };
  count = 0;
  visit((from, to, need) => {
    found.from[count] = from;
    found.to[count] = to;
    found.sent[count] = endAt(whole, from);
    found.arrived[count] = arrivalAt(whole, need, microbatchOf(program, order[to]));
    count += 1;
  });
  return found;
}

/** Threads of messages: even ones send, odd ones receive. Messages that overlap are in separate threads. */
export const sends = { thread: 2, name: 'sends' } as const;
export const receives = { thread: 3, name: 'receives' } as const;

/** Slices of all messages, by device and in order of time; `both`: each device's sends, or its receives. */
export function* messageSlices(
  plan: PipelinePlan,
  program: Program,
  messages: Messages,
  side: typeof sends | typeof receives,
): Generator<TraceEvent> {
  const ends = side === sends ? messages.from : messages.to;
  const deviceOf = (message: number): number => program.placement[stageOf(program, program.order[ends[message]])];
  const sorted = Int32Array.from(ends.keys()).sort(
    (a, b) =>
      deviceOf(a) - deviceOf(b) || messages.sent[a] - messages.sent[b] || messages.arrived[a] - messages.arrived[b],
  );
  const bytesOf = bytesOfMessages(plan, program);
  let [device, free] = [-1, [] as number[]];
  for (const message of sorted) {
    const [ts, until] = [micros(messages.sent[message]), micros(messages.arrived[message])];
    // A viewer draws nothing of an empty slice, and puts others into it.
    if (!(until > ts)) continue;
    const pid = deviceOf(message);
    if (pid !== device) [device, free] = [pid, []];
    const open = free.findIndex((end) => end <= ts);
    const lane = open < 0 ? free.length : open;
    const tid = side.thread + 2 * lane;
    if (open < 0) {
      const name = lane === 0 ? side.name : `${side.name} ${lane + 1}`;
      yield { ph: 'M', name: 'thread_name', pid, tid, args: { name } };
    }
    free[lane] = until;
    const [from, to] = [program.order[messages.from[message]], program.order[messages.to[message]]];
    const bytes = bytesOf(from, to);
    const args = { microbatch: microbatchOf(program, from), ...(bytes === undefined ? {} : { bytes }) };
    const dur = Math.round((until - ts) * 1e3) / 1e3;
    yield { ph: 'X', pid, tid, ts, dur, ...messageName(program, from, to, side), args };
  }
}

const isBackward = (kind: number): boolean => kind === B || kind === I;

/** PyTorch's action where it has one: between neighbouring stages, none of which has copies. */
function messageName(
  program: Program,
  from: number,
  to: number,
  side: typeof sends | typeof receives,
): { readonly name: string; readonly cat: string } {
  const [sender, receiver] = [stageOf(program, from), stageOf(program, to)];
  const [made, needed] = [kindOf(program, from), kindOf(program, to)];
  const forward = made === F && needed === F && receiver === sender + 1;
  const backward = isBackward(made) && isBackward(needed) && receiver === sender - 1;
  if (program.copies !== undefined || (!forward && !backward))
    return { name: `${operationName(program, from)} to ${operationName(program, to)}`, cat: 'transfer' };
  const what = forward ? 'F' : 'B';
  const action = side === sends ? `${sender}SEND_${what}` : `${receiver}RECV_${what}`;
  return { name: `PP:${action}${microbatchOf(program, from)}`, cat: 'user_annotation' };
}

/** Bytes of a message by the words of its ends; undefined where no edge of the plan is this message. */
function bytesOfMessages(
  { edges, lengths, stages }: PipelinePlan,
  program: Program,
): (from: number, to: number) => number | undefined {
  const index = new Map(edges.map(({ from, to }, edge) => [from * stages.length + to, edge]));
  return (from, to) => {
    const [sender, receiver] = [stageOf(program, from), stageOf(program, to)];
    const forward = kindOf(program, from) === F;
    const key = forward ? sender * stages.length + receiver : receiver * stages.length + sender;
    const edge = index.get(key);
    if (edge === undefined) return undefined;
    const kind = lengths === undefined ? undefined : kindOfMicrobatch(lengths, microbatchOf(program, from));
    const { bytes, back = bytes } = (kind === undefined ? edges : (lengths?.kinds[kind].edges ?? edges))[edge];
    return forward ? bytes : back;
  };
}
