/**
 * What a host takes between two operations: so much in any case, and more for each message that it sends or receives there. Least squares
 * over all gaps, so that the sum of all gaps stays.
 */
import type { MessageCounts } from '../basics/messageOverhead.ts';
import { F, W } from '../values/program.ts';
import type { RecordedRow, RecordedStep } from '../values/recording.ts';
import { halfInterval, mean } from './statistics.ts';

export interface HostTimes {
  /** Seconds after each operation. */
  readonly operation: number;
  /** Seconds for each message; 0 if the gaps do not tell. */
  readonly message: number;
  /** Half of the 95 % interval of `message`, if there are steps enough, and the gaps that it is from. */
  readonly half?: number;
  readonly count: number;
}

interface Gap {
  readonly messages: number;
  readonly seconds: number;
}

export function hostTimes(steps: readonly RecordedStep[], counts: MessageCounts): HostTimes {
  const bySteps = steps.map(({ rows }) => rows.flatMap((row) => gapsOf(row, counts)));
  const all = bySteps.flat();
  const together = all.length === 0 ? 0 : mean(all.map(({ seconds }) => seconds));
  const none = { operation: together, message: 0, count: all.length };
  const message = slopeOf(all);
  // Only what each step tells is no chance.
  const slopes = bySteps.map(slopeOf);
  if (!slopes.every((slope) => slope > 0)) return none;
  const half = halfInterval(slopes);
  if (!(message > (half ?? 0))) return none;
  const operation = together - message * mean(all.map(({ messages }) => messages));
  // A host that takes less than no time for an operation has no such costs.
  return operation < 0 ? none : { operation, message, count: all.length, ...(half === undefined ? {} : { half }) };
}

/** Seconds from an operation to the next, and the messages that the first sends and the second needs. */
function gapsOf({ begin, end, fused, kind, stage }: RecordedRow, { sent, received }: MessageCounts): readonly Gap[] {
  const of = (counts: MessageCounts['sent'], at: number): number =>
    kind[at] === W ? 0 : counts[kind[at] === F ? 'forward' : 'backward'][stage[at]];
  return [...begin.subarray(1)].flatMap((next, at) =>
    fused[at] === 1 ? [] : [{ messages: of(sent, at) + of(received, at + 1), seconds: Math.max(0, next - end[at]) }],
  );
}

/** NaN if all gaps have as many messages. */
function slopeOf(gaps: readonly Gap[]): number {
  const middle = {
    messages: mean(gaps.map(({ messages }) => messages)),
    seconds: mean(gaps.map(({ seconds }) => seconds)),
  };
  let [both, squares] = [0, 0];
  for (const { messages, seconds } of gaps) {
    both += (messages - middle.messages) * (seconds - middle.seconds);
    squares += (messages - middle.messages) ** 2;
  }
  return squares > 0 ? both / squares : Number.NaN;
}
