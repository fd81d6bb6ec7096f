/**
 * A timeline in the JSON that chrome://tracing and ui.perfetto.dev open ("Trace Event Format"). A device is a process. Thread 0 has
 * its operations, thread 1 the second ones of shared slots, threads 2 and 3 what its ranks exchange. Arrows lead from an operation to those on other devices that wait for
 * its result. Times are in microseconds, at a nanosecond.
 */
import type { Run } from '../schedule/evaluation.ts';
import { tokensOfMicrobatch } from '../basics/lengths.ts';
import type { PipelinePlan } from '../values/plan.ts';
import {
  kindName,
  kindOf,
  microbatchOf,
  needSlot,
  operationName,
  resultsIn,
  resultSlotOf,
  rowOf,
  stageOf,
  kinds,
} from '../values/program.ts';
import { memoryTrack } from '../simulate/memory.ts';
import { arrivalAt, endAt, startAt } from '../values/timeline.ts';
import { type Block, blocksOf } from './blocks.ts';
import { bucketName, legNames, legsIn } from './lanes.ts';
import { captionOf, type Provenance } from './caption.ts';

/** Microseconds at a nanosecond: what viewers keep. */
const micros = (seconds: number): number => Math.round(seconds * 1e9) / 1e3;

/** The trace in parts, one event a line. */
export function* traceParts(plan: PipelinePlan, run: Run, made: Provenance): Generator<string> {
  const otherData = {
    pipeline: plan.name,
    file: made.file,
    version: made.version,
    summary: captionOf(plan, run.report, made),
  };
  yield `{"displayTimeUnit":"ms","otherData":${JSON.stringify(otherData)},"traceEvents":[\n`;
  let separator = '';
  for (const event of events(plan, run)) {
    yield `${separator}${JSON.stringify(event)}`;
    separator = ',\n';
  }
  yield '\n]}\n';
}

type Event = Readonly<Record<string, unknown>>;

function* events(plan: PipelinePlan, run: Run): Generator<Event> {
  for (const [pid, device] of plan.devices.entries()) {
    yield { ph: 'M', name: 'process_name', pid, tid: 0, args: { name: device.name } };
    yield { ph: 'M', name: 'process_sort_index', pid, tid: 0, args: { sort_index: pid } };
    yield { ph: 'M', name: 'thread_name', pid, tid: 0, args: { name: 'operations' } };
    if (run.program.fused !== undefined)
      yield { ph: 'M', name: 'thread_name', pid, tid: 1, args: { name: 'second operation of shared slots' } };
  }
  yield* slices(plan, run);
  yield* pieces(run);
  yield* arrows(run);
  yield* counters(plan, run);
}

/** Threads of exchanges come after the threads of operations. */
const laneThread = 2;

/** What a lane carries, as slices of each of its devices: a slice holds equal pieces without a gap between them. */
function* pieces({ timeline }: Run): Generator<Event> {
  for (const lane of timeline.exchange?.lanes ?? []) {
    const names = legNames(lane);
    for (const pid of lane.plan.devices)
      for (const [index, leg] of legsIn(lane).entries()) {
        const tid = laneThread + index;
        yield { ph: 'M', name: 'thread_name', pid, tid, args: { name: names[index] } };
        for (let row = 0; row < leg.length; row += 1) {
          const ts = micros(leg.start[row]);
          const dur = Math.round((micros(leg.end[row]) - ts) * 1e3) / 1e3;
          const bucket = leg.bucket[row];
          const [bytes, count] = [leg.bytes[row], leg.count[row]];
          const args = { pieces: count, bytes, ready: micros(lane.buckets.ready[bucket]) };
          yield { ph: 'X', pid, tid, ts, dur, name: bucketName(lane, bucket), cat: 'exchange', args };
        }
      }
  }
}

function* slices(plan: PipelinePlan, run: Run): Generator<Event> {
  const { devices, offsets } = run.program;
  let events: Event[] = [];
  const visit = blocksOf(plan, run, (block) => {
    events.push(slice(plan, run, block));
  });
  for (let device = 0; device < devices; device += 1) {
    let from = offsets[device];
    // A device without operations may have a step.
    do {
      const to = Math.min(from + atOnce, offsets[device + 1]);
      events = [];
      visit(device, from, to);
      yield* events;
      from = to;
    } while (from < offsets[device + 1]);
  }
}

/** Operations whose events are made before they are handed on. */
const atOnce = 1024;

function slice(plan: PipelinePlan, { program }: Run, block: Block): Event {
  const { device, position, microbatch, inks } = block;
  const ts = micros(block.start);
  const when = { ph: 'X', pid: device, tid: block.half === 'lower' ? 1 : 0, ts, dur: micros(block.end) - ts };
  const dur = Math.round(when.dur * 1e3) / 1e3;
  if (position < 0) {
    const name = inks[0] === 'optimizer' ? 'optimizer step' : 'gradient synchronisation';
    return { ...when, dur, name, cat: inks[0] };
  }
  const word = program.order[position];
  const stage = plan.stages[stageOf(program, word)];
  const cat = kindOf(program, word) >= kinds ? 'operation' : inks[0];
  const args = {
    kind: kindName(program, kindOf(program, word)),
    stage: stage.name,
    microbatch,
    ...tokensOf(plan, microbatch),
  };
  return { ...when, dur, name: operationName(program, word), cat, args };
}

/** Tokens of a sample, where microbatches differ. */
const tokensOf = ({ lengths }: PipelinePlan, microbatch: number): { readonly tokens?: number } =>
  lengths === undefined ? {} : { tokens: tokensOfMicrobatch(lengths, microbatch) };

/** An arrow begins in the middle of the operation that makes a result, and ends at the start of the one that needs it. Viewers bind both to the slice around them. */
function* arrows({ timeline }: Run): Generator<Event> {
  const { program, timing } = timeline;
  const { order, offsets, microbatches, placement } = program;
  const maker = new Int32Array(resultsIn(program) * program.stages * microbatches).fill(-1);
  for (let position = 0; position < order.length; position += 1)
    maker[resultSlotOf(program, order[position])] = position;
  let id = 0;
  for (let device = 0; device < program.devices; device += 1) {
    for (let position = offsets[device]; position < offsets[device + 1]; position += 1) {
      const word = order[position];
      const row = rowOf(program, word);
      for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
        const slot = needSlot(timing, microbatches, need, microbatchOf(program, word));
        const from = slot < 0 ? -1 : maker[slot];
        const sender = from < 0 ? device : placement[stageOf(program, order[from])];
        if (sender === device) continue;
        id += 1;
        const middle = (startAt(timeline, from) + endAt(timeline, from)) / 2;
        const arrival = micros(arrivalAt(timeline, need, microbatchOf(program, word)));
        const ends = { name: 'transfer', cat: 'transfer', id };
        yield {
          ...ends,
          ph: 's',
          pid: sender,
          tid: threadOf(program.fused, from, offsets[sender]),
          ts: micros(middle),
        };
        yield {
          ...ends,
          ph: 'f',
          bp: 'e',
          pid: device,
          tid: threadOf(program.fused, position, offsets[device]),
          ts: micros(startAt(timeline, position)),
          args: { of: operationName(program, order[from]), arrived: arrival },
        };
      }
    }
  }
}

const threadOf = (fused: Uint8Array | undefined, position: number, first: number): 0 | 1 =>
  fused !== undefined && fused[position] !== 1 && position > first && fused[position - 1] === 1 ? 1 : 0;

function* counters(plan: PipelinePlan, { timeline }: Run): Generator<Event> {
  for (let pid = 0; pid < plan.devices.length; pid += 1) {
    const { at, bytes } = memoryTrack(plan, timeline, pid);
    for (let step = 0; step < at.length; step += 1)
      yield { ph: 'C', name: 'memory (bytes)', pid, tid: 0, ts: micros(at[step]), args: { held: bytes[step] } };
  }
}
