/** What hosts take between operations: by the operation, and by its messages. */
import { expect, test } from 'vitest';
import { messageCounts } from '../../../engine/basics/messageOverhead.ts';
import { hostTimes } from '../../../engine/runs/hostTimes.ts';
import { measure } from '../../../engine/runs/measure.ts';
import { B, F, W } from '../../../engine/values/program.ts';
import type { RecordedRow, RecordedStep } from '../../../engine/values/recording.ts';
import { recordingOf } from './traces.ts';

const chain = (stages: number) => Array.from({ length: stages - 1 }, (_, from) => ({ from, to: from + 1 }));
const three = messageCounts(chain(3), [0, 1, 2]);

/** A row of operations that take a second, with these gaps between them. */
function rowOf(stage: number, kinds: readonly number[], gap: (at: number) => number): RecordedRow {
  const begin: number[] = [0];
  for (let at = 1; at < kinds.length; at += 1) begin.push(begin[at - 1] + 1 + gap(at - 1));
  const times = Float64Array.from(begin);
  const unknown = new Float64Array(kinds.length).fill(Number.NaN);
  return {
    kind: Uint8Array.from(kinds),
    stage: new Int32Array(kinds.length).fill(stage),
    microbatch: Int32Array.from(kinds.keys()),
    ...{ begin: times, start: times, end: times.map((at) => at + 1), work: new Float64Array(kinds.length).fill(1) },
    ...{ posted: unknown, arrived: unknown, fused: new Uint8Array(kinds.length) },
  };
}
const stepOf = (...rows: readonly RecordedRow[]): RecordedStep => {
  const unknown = new Float64Array(rows.length).fill(Number.NaN);
  return { number: 0, rows, optimizer: unknown, between: unknown };
};

test('finds both parts of gaps that are made of them', () => {
  // The middle of three stages sends and receives with each F and B, and nothing with W.
  const kinds = [F, F, B, W, F, B, W, B, W];
  const messages = [2, 2, 1, 1, 2, 1, 1, 1];
  const step = stepOf(rowOf(1, kinds, (at) => 0.01 + 0.003 * messages[at]));
  const found = hostTimes([step, step], three);
  expect(found.operation).toBeCloseTo(0.01, 12);
  expect(found.message).toBeCloseTo(0.003, 12);
  expect(found).toMatchObject({ count: 16 });
});

test('tells them not apart where all gaps have as many messages, or steps contradict each other', () => {
  const equal = stepOf(rowOf(1, [F, F, F, F], () => 0.02));
  expect(hostTimes([equal], three)).toEqual({ operation: expect.closeTo(0.02, 12) as unknown, message: 0, count: 3 });
  const [more, less] = [0.002, -0.001].map((by) =>
    stepOf(rowOf(1, [F, F, B, W, F, W], (at) => 0.02 + by * [2, 2, 1, 1, 1][at])),
  );
  const found = hostTimes([more, less], three);
  expect(found.message).toBe(0);
  // What is not told apart is none the less.
  expect(found.operation).toBeCloseTo(measure({ ...recordingOf('sleep_1f1b_p4'), steps: [more, less] }, 0).host, 12);
  expect(hostTimes([], three)).toEqual({ operation: 0, message: 0, count: 0 });
});

test.each(['sleep_1f1b_p4', 'sleep_izb_p4', 'sleep_zbv_p4'])(
  'in %s a message takes its devices 70 to 90 µs, whatever the schedule',
  (name) => {
    const recording = recordingOf(name);
    const counts = messageCounts(chain(recording.stages), [...recording.placement]);
    const { message, operation } = hostTimes(measure(recording, 1).steps, counts);
    expect(message).toBeGreaterThan(70e-6);
    expect(message).toBeLessThan(90e-6);
    expect(operation).toBeGreaterThan(0);
  },
);
