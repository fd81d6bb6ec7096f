/**
 * Clocks of ranks, from messages: none arrives before it was sent. So the clock of the receiver is ahead of the sender's by at most the
 * least time from sending to arriving, over all messages. Shortest paths over these bounds give an interval for each rank. If 0 lies
 * in it, nothing is moved: a rank that always waits late would look like a clock that is late.
 */
import { B, F, I, W } from '../values/program.ts';
import type { Recording, RecordedRow, RecordedStep } from '../values/recording.ts';

/** The same recording, with what its clocks are ahead taken off. */
export function aligned(recording: Recording): Recording {
  const { ranks, steps } = recording;
  const clocks = clocksOf(recording);
  if (clocks.offset.every((offset) => offset === 0)) return { ...recording, clocks };
  return {
    ...recording,
    clocks,
    steps: steps.map((step) => ({
      ...step,
      rows: step.rows.map((row, rank) => moved(row, clocks.offset[Math.min(rank, ranks.length - 1)])),
    })),
  };
}

function moved(row: RecordedRow, by: number): RecordedRow {
  const earlier = (times: Float64Array): Float64Array => times.map((time) => time - by);
  return {
    ...row,
    begin: earlier(row.begin),
    start: earlier(row.start),
    end: earlier(row.end),
    posted: earlier(row.posted),
    arrived: earlier(row.arrived),
  };
}

function clocksOf(recording: Recording): Recording['clocks'] {
  const count = recording.ranks.length;
  const bound = new Float64Array(count * count).fill(Infinity);
  for (const step of recording.steps)
    for (const { from, to, posted, arrived } of messagesOf(recording, step))
      bound[from * count + to] = Math.min(bound[from * count + to], arrived - posted);
  const above = shortest(bound, count, false);
  const below = shortest(bound, count, true);
  const offset = new Float64Array(count);
  const slack = new Float64Array(count);
  for (let rank = 1; rank < count; rank += 1) {
    const [low, high] = [-below[rank], above[rank]];
    slack[rank] = (high - low) / 2;
    if (Number.isFinite(slack[rank]) && (low > 0 || high < 0)) offset[rank] = (low + high) / 2;
  }
  return { offset, slack };
}

/** Bellman and Ford's: from rank 0 to each rank, or back. */
function shortest(bound: Float64Array, count: number, back: boolean): Float64Array {
  const distance = new Float64Array(count).fill(Infinity);
  distance[0] = 0;
  for (let round = 0; round < count; round += 1) {
    let changed = false;
    for (let from = 0; from < count; from += 1)
      for (let to = 0; to < count; to += 1) {
        const length = distance[from] + (back ? bound[to * count + from] : bound[from * count + to]);
        if (length < distance[to]) {
          distance[to] = length;
          changed = true;
        }
      }
    if (!changed) break;
  }
  return distance;
}

export interface Message {
  readonly from: number;
  readonly to: number;
  readonly posted: number;
  readonly arrived: number;
  /** The receiver was already waiting when it was sent, so that it took the time between the two. */
  readonly waited: boolean;
}

/** Who sent what an operation needs, and when it was handed over. */
export function messagesFor({ stages, microbatches }: Recording, { rows }: RecordedStep) {
  const makers = new Map<number, { readonly rank: number; readonly posted: number }>();
  const slot = (gradient: boolean, stage: number, microbatch: number): number =>
    ((gradient ? stages : 0) + stage) * microbatches + microbatch;
  for (const [rank, row] of rows.entries())
    for (const [at, kind] of row.kind.entries())
      if (!Number.isNaN(row.posted[at]) && (kind === F || kind === B || kind === I))
        makers.set(slot(kind !== F, row.stage[at], row.microbatch[at]), { rank, posted: row.posted[at] });
  const maker = (rank: number, at: number) => {
    const { kind, stage, microbatch } = rows[rank];
    const from = stage[at] + (kind[at] === F ? -1 : 1);
    if (kind[at] === W || from < 0 || from >= stages) return undefined;
    const found = makers.get(slot(kind[at] !== F, from, microbatch[at]));
    return found?.rank === rank ? undefined : found;
  };
  return { maker, posted: (rank: number, at: number): number => maker(rank, at)?.posted ?? Number.NaN };
}

/** Messages between ranks whose two ends are known. */
export function* messagesOf(recording: Recording, step: RecordedStep): Generator<Message> {
  const { maker } = messagesFor(recording, step);
  for (const [to, { arrived, begin }] of step.rows.entries())
    for (const [at, end] of arrived.entries()) {
      const sender = Number.isNaN(end) ? undefined : maker(to, at);
      if (sender === undefined) continue;
      yield { from: sender.rank, to, posted: sender.posted, arrived: end, waited: sender.posted > begin[at] };
    }
}
