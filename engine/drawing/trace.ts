/**
 * A timeline in the JSON that chrome://tracing and ui.perfetto.dev open ("Trace Event Format"), with the names that PyTorch's
 * profiler gives the actions of its pipelines. A device is a process: thread 1 computes, even threads send, odd ones receive, and
 * threads from 1000 on have what replicas exchange. Arrows lead from an operation to those on other devices that wait for its
 * result. Times are in microseconds, at a nanosecond.
 */
import type { Run } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { operationName, stageOf } from '../values/program.ts';
import { memoryTrack } from '../simulate/memory.ts';
import { endAt, startAt } from '../values/timeline.ts';
import { captionOf, type Provenance } from './caption.ts';
import { bucketName, legNames, legsIn } from './lanes.ts';
import { computeThread, micros, type TraceEvent } from './traceEvent.ts';
import { type Messages, messageSlices, messagesOf, receives, sends } from './traceMessages.ts';
import { computeSlices } from './traceSlices.ts';

/** The trace in parts, one event a line. */
export function* traceParts(plan: PipelinePlan, run: Run, made: Provenance): Generator<string> {
  const otherData = {
    producer: 'Pipewright',
    simulated: true,
    pipeline: plan.name,
    file: made.file,
    version: made.version,
    summary: captionOf(plan, run.report, made),
  };
  // Which ranks form a pipeline, as traces of PyTorch say it. The file has all of them, so it is of no single rank.
  const ranks = plan.devices.map((_, rank) => rank);
  const group = { pg_name: 'pipeline', pg_desc: 'mesh_pp', pg_size: ranks.length, ranks };
  const distributedInfo = { world_size: ranks.length, pg_count: 1, pg_config: [group] };
  yield `{"displayTimeUnit":"ms","distributedInfo":${JSON.stringify(distributedInfo)},"otherData":${JSON.stringify(otherData)},"traceEvents":[\n`;
  let separator = '';
  for (const event of events(plan, run)) {
    yield `${separator}${JSON.stringify(event)}`;
    separator = ',\n';
  }
  yield '\n]}\n';
}

function* events(plan: PipelinePlan, run: Run): Generator<TraceEvent> {
  for (const [pid, device] of plan.devices.entries()) {
    yield { ph: 'M', name: 'process_name', pid, tid: 0, args: { name: `rank ${pid} · ${device.name}` } };
    yield { ph: 'M', name: 'process_sort_index', pid, tid: 0, args: { sort_index: pid } };
    yield { ph: 'M', name: 'thread_name', pid, tid: computeThread, args: { name: 'compute' } };
  }
  yield* computeSlices(plan, run);
  const messages = messagesOf(run.timeline);
  yield* messageSlices(plan, run.program, messages, sends);
  yield* messageSlices(plan, run.program, messages, receives);
  yield* pieces(run);
  yield* arrows(run, messages);
  yield* counters(plan, run);
}

/** Threads of exchanges come after the threads of messages. */
const laneThread = 1000;

/** What a lane carries, as slices of each of its devices: a slice holds equal pieces without a gap between them. */
function* pieces({ timeline }: Run): Generator<TraceEvent> {
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

/** An arrow begins in the middle of the operation that makes a result, and ends at the start of the one that needs it. Viewers bind both to the slice around them. */
function* arrows({ timeline }: Run, { from, to, arrived }: Messages): Generator<TraceEvent> {
  const { program } = timeline;
  const { order, placement } = program;
  for (let id = 1; id <= from.length; id += 1) {
    const [sender, receiver] = [from[id - 1], to[id - 1]];
    const ends = { name: 'transfer', cat: 'transfer', id, tid: computeThread };
    const middle = (startAt(timeline, sender) + endAt(timeline, sender)) / 2;
    yield { ...ends, ph: 's', pid: placement[stageOf(program, order[sender])], ts: micros(middle) };
    yield {
      ...ends,
      ph: 'f',
      bp: 'e',
      pid: placement[stageOf(program, order[receiver])],
      ts: micros(startAt(timeline, receiver)),
      args: { of: operationName(program, order[sender]), arrived: micros(arrived[id - 1]) },
    };
  }
}

function* counters(plan: PipelinePlan, { timeline }: Run): Generator<TraceEvent> {
  for (let pid = 0; pid < plan.devices.length; pid += 1) {
    const { at, bytes } = memoryTrack(plan, timeline, pid);
    for (let step = 0; step < at.length; step += 1)
      yield { ph: 'C', name: 'memory (bytes)', pid, tid: 0, ts: micros(at[step]), args: { held: bytes[step] } };
  }
}
