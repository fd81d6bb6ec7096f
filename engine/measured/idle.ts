/** The time of each rank in a run, by what it was spent on. */
import { endOf, startOf } from '../runs/measure.ts';
import { messagesFor } from '../runs/clocks.ts';
import { mean } from '../runs/statistics.ts';
import type { RecordedStep, Recording } from '../values/recording.ts';

/** Seconds of a step, which add up to its length. */
export interface RankTime {
  readonly computing: number;
  /** Within operations, while the device had nothing to do. */
  readonly within: number;
  /** Between two operations, while neither waits for a message: the host prepares the next one. */
  readonly host: number;
  /** Before the sender had the message ready, and after that until it arrived. */
  readonly sender: number;
  readonly message: number;
  /** Waits that no message explains: preemption, or waiting for data. */
  readonly other: number;
  /** After the last operation, until the last rank is done. */
  readonly done: number;
}

const parts = ['computing', 'within', 'host', 'sender', 'message', 'other', 'done'] as const;

/** Means over steps, by rank. */
export const rankTimes = (recording: Recording, steps: readonly RecordedStep[]): readonly RankTime[] => {
  const all = steps.map((step) => timesIn(recording, step));
  return recording.ranks.map(
    (_, rank) =>
      Object.fromEntries(
        parts.map((part) => [part, mean(all.map((ranks) => ranks[rank][part]))]),
      ) as unknown as RankTime,
  );
};

function timesIn(recording: Recording, step: RecordedStep): readonly RankTime[] {
  const [first, last] = [startOf(step), endOf(step)];
  const senders = messagesFor(recording, step);
  return step.rows.map((row, rank) => {
    const time = { computing: 0, within: 0, host: 0, sender: 0, message: 0, other: 0, done: 0 };
    let free = first;
    for (const [at, turned] of row.start.entries()) {
      // Two operations that ran at once have one time, which counts once.
      const start = Math.max(turned, free);
      const begin = Math.min(start, Math.max(free, row.begin[at]));
      const [posted, arrived] = [senders.posted(rank, at), row.arrived[at]];
      // A wait ends with the message; a message that was there explains none.
      const ready = Math.min(start, Math.max(begin, posted));
      time.host += begin - free;
      if (Number.isNaN(arrived) || Number.isNaN(posted) || arrived < begin) time.other += start - begin;
      else {
        time.sender += ready - begin;
        time.message += start - ready;
      }
      const length = Math.max(0, row.end[at] - start);
      const work = Number.isNaN(row.work[at]) ? length : Math.min(length, row.work[at]);
      time.computing += work;
      time.within += length - work;
      free = start + length;
    }
    time.done = last - free;
    return time;
  });
}
