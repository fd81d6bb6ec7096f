/** Events of a timeline → a recording for each data rank, whose pipelines are replicas of each other. */
import type { RecordedCall, RecordedRow, RecordedStep, Recording } from '../../values/recording.ts';
import { B, F } from '../../values/program.ts';
import { table } from '../../basics/table.ts';
import type { Place } from '../kineto/bytes.ts';
import type { ScanFault } from '../kineto/scanner.ts';
import { aligned } from '../../runs/clocks.ts';

export interface TimelineEvent {
  readonly category: string;
  readonly replica: number;
  readonly thread: string;
  readonly step: number;
  /** Microseconds. */
  readonly from: number;
  readonly to: number;
  readonly chunk: number;
  readonly microbatch: number;
  readonly sequence: number;
  readonly place: Place;
}

/** Ranks that make a call together; a rank makes all others alone. */
const together: Readonly<Record<string, RecordedCall['together']>> = table({
  'params-all-gather': 'replicas',
  'grads-reduce-scatter': 'replicas',
  'embedding-grads-all-reduce': 'pipeline',
  'optimizer-clip-main-grad': 'everyone',
});
const kinds: Readonly<Record<string, number>> = table({ 'forward-compute': F, 'backward-compute': B });
const receives: Readonly<Record<string, number>> = table({ 'forward-recv': F, 'backward-recv': B });
const notCalls = /-(compute|send|recv)$|^gc$/;

export function recordingsOf(
  events: readonly TimelineEvent[],
  threads: ReadonlyMap<string, number>,
): readonly Recording[] | ScanFault {
  const unnamed = events.find(({ thread }) => !threads.has(thread));
  if (events.length === 0 || unnamed !== undefined)
    return {
      ...(unnamed?.place ?? { line: 0, character: 0 }),
      message: 'The thread of this event has no name with its ranks: "PP rank 3, TP rank 0, compute".',
    };
  const ranks = Math.max(...threads.values()) + 1;
  const steps = [...new Set(events.map(({ step }) => step))].toSorted((a, b) => a - b);
  const replicas = [...new Set(events.map(({ replica }) => replica))].toSorted((a, b) => a - b);
  const byPlace = new Map<string, TimelineEvent[]>();
  for (const event of events) {
    const key = `${event.replica} ${event.step} ${threads.get(event.thread)}`;
    const list = byPlace.get(key);
    if (list === undefined) byPlace.set(key, [event]);
    else list.push(event);
  }
  const chunks = Math.max(...events.map(({ chunk }) => chunk)) + 1;
  const stages = chunks * ranks;
  const microbatches = Math.max(...events.map(({ microbatch }) => microbatch)) + 1;
  const whole = 2 * chunks * microbatches;
  return replicas.map((replica, index) => {
    const made = steps.flatMap((step): readonly RecordedStep[] => {
      const lists = Array.from({ length: ranks }, (_, rank) =>
        (byPlace.get(`${replica} ${step} ${rank}`) ?? []).toSorted((a, b) => a.from - b.from || a.to - b.to),
      );
      const rows = lists.map((list, rank) => rowOf(list, rank, ranks, chunks));
      // A step that lacks an operation is left out.
      return rows.some(({ kind }) => kind.length !== whole) ? [] : [stepOf(step, lists, rows)];
    });
    return aligned({
      ranks: Array.from({ length: ranks }, (_, rank) => rank * replicas.length + index),
      stages,
      microbatches,
      placement: Int32Array.from({ length: stages }, (_, stage) => stage % ranks),
      steps: made,
      clocks: { offset: new Float64Array(ranks), slack: new Float64Array(ranks).fill(Infinity) },
      device: true,
    });
  });
}

function rowOf(events: readonly TimelineEvent[], rank: number, ranks: number, chunks: number): RecordedRow {
  const computing = events.filter(({ category }) => category in kinds);
  const seconds = (micros: (event: TimelineEvent, at: number) => number): Float64Array =>
    Float64Array.from(computing, (event, at) => micros(event, at) / 1e6);
  const received = new Map(
    events.flatMap(({ category, sequence, to }) =>
      category in receives && chunks === 1 ? [[`${receives[category]} ${sequence}`, to] as const] : [],
    ),
  );
  const before = events.filter(({ category }) => !notCalls.test(category) && isBefore(events, category));
  const free = Math.max(0, ...before.map(({ to }) => to));
  return {
    kind: Uint8Array.from(computing, ({ category }) => kinds[category]),
    stage: Int32Array.from(computing, ({ chunk }) => Math.max(0, chunk) * ranks + rank),
    microbatch: Int32Array.from(computing, ({ microbatch }) => microbatch),
    begin: seconds(({ from }, at) => (at === 0 ? Math.min(from, free) : computing[at - 1].to)),
    start: seconds(({ from }) => from),
    end: seconds(({ to }) => to),
    work: seconds(({ from, to }) => to - from),
    posted: seconds(({ to }) => to),
    arrived: seconds(({ category, microbatch }) => received.get(`${kinds[category]} ${microbatch}`) ?? Number.NaN),
    fused: new Uint8Array(computing.length),
  };
}

/** Whether a rank makes the call before its first operation. */
const isBefore = (events: readonly TimelineEvent[], category: string): boolean =>
  (events.find((event) => event.category === category)?.from ?? 0) <
  (events.find((event) => event.category in kinds)?.from ?? 0);

function stepOf(
  number: number,
  lists: readonly (readonly TimelineEvent[])[],
  rows: readonly RecordedRow[],
): RecordedStep {
  const names = [
    ...new Set(
      lists
        .flat()
        .toSorted((a, b) => b.from - a.from)
        .flatMap(({ category }) => (notCalls.test(category) ? [] : [category])),
    ),
    // By the last rank to make one: a rank that makes fewer of them is ahead.
  ].toReversed();
  const calls = names.map((name) => ({
    name,
    together: together[name] ?? 'rank',
    seconds: Float64Array.from(lists, (list) => {
      const own = list.filter(({ category }) => category === name);
      return own.length === 0 ? Number.NaN : own.reduce((sum, { from, to }) => sum + to - from, 0) / 1e6;
    }),
    before: lists.some((list) => list.some(({ category }) => category === name) && isBefore(list, name)),
  }));
  const of = (before: boolean): readonly RecordedCall[] =>
    calls
      .filter((call) => call.before === before)
      .map(({ name, together: group, seconds }) => ({ name, together: group, seconds }));
  return {
    number,
    rows,
    optimizer: Float64Array.from(lists, (list) => {
      const own = list.find(({ category }) => category === 'optimizer');
      return own === undefined ? Number.NaN : (own.to - own.from) / 1e6;
    }),
    between: new Float64Array(lists.length).fill(Number.NaN),
    before: of(true),
    after: of(false),
  };
}
