/** Our own trace of a simulation comes back as it was. */
import { expect, test } from 'vitest';
import { messagesOf } from '../../../engine/runs/clocks.ts';
import { rankTimes } from '../../../engine/measured/idle.ts';
import { measure } from '../../../engine/runs/measure.ts';
import { endAt, startAt } from '../../../engine/values/timeline.ts';
import { runOf } from '../../support/analyse.ts';
import { simulatedRun } from '../../support/simulatedRun.ts';

const source = (
  schedule: string,
) => `model m { layer l[8] { forward = 7.123456ms  backward_input = 8.000001ms  backward_weight = 3ms  output = 1MiB } }
device d { memory = 16GiB }
cluster c { gpu[4] = d  link = 1GB/s + 123us }
pipeline t { model = m  devices = c  microbatches = 8  stages = split(1,1,1,1,1,1,1,1)  schedule = ${schedule} }`;

test.each(['zb_v', 'interleaved_1f1b(chunks = 2)'])(
  '%s: every start is equal to 1 ns, and the order and messages are',
  (schedule) => {
    const { plan, run } = runOf(source(schedule));
    const recording = simulatedRun(plan, run);
    const [step] = recording.steps;
    const { program } = run;
    for (const [device, row] of step.rows.entries()) {
      expect(row.kind.length).toBe(program.offsets[device + 1] - program.offsets[device]);
      for (const at of row.kind.keys()) {
        const position = program.offsets[device] + at;
        const word = ((row.kind[at] * recording.stages + row.stage[at]) << program.shift) | row.microbatch[at];
        expect(word).toBe(program.order[position]);
        expect(Math.abs(row.start[at] - startAt(run.timeline, position))).toBeLessThan(1.01e-9);
        expect(Math.abs(row.end[at] - endAt(run.timeline, position))).toBeLessThan(2.01e-9);
      }
    }
    // A simulation has no hosts: all idle time is waiting.
    expect(measure(recording, 1).host).toBeLessThan(1e-9);
    for (const { host } of rankTimes(recording, recording.steps)) expect(host).toBeLessThan(1e-9);
    const messages = [...messagesOf(recording, step)];
    // 7 borders between stages, less the two stages of the turn of the V, in both directions.
    expect(messages.length).toBe((schedule === 'zb_v' ? 6 : 7) * 8 * 2);
    // A mebibyte over the link, and its latency.
    for (const { posted, arrived } of messages) expect(arrived - posted).toBeGreaterThan(0.00117);
  },
);

test('what a rank waits for its first message is the sender’s, not the host’s', () => {
  // Four stages, one microbatch: the last rank waits for three forwards of 8 ms and three messages of 0.2 ms and 1 µs.
  const { plan, run } = runOf(`model m { layer l[4] { forward = 8ms  backward = 16ms  output = 1KB } }
device d { memory = 16GiB }
cluster c { gpu[4] = d  link = 1GB/s + 200us }
pipeline t { model = m  devices = c  microbatches = 1  stages = split(1, 1, 1, 1)  schedule = gpipe }`);
  const recording = simulatedRun(plan, run);
  const times = rankTimes(recording, recording.steps);
  const message = 0.000201;
  for (const [rank, { host, sender, message: own, other }] of times.entries()) {
    expect(host).toBeCloseTo(0, 8);
    expect(other).toBeCloseTo(0, 8);
    // Forwards before it, their messages, and in the backward the stages after it: all but its own message.
    const [before, after] = [rank, 3 - rank];
    const fill = before === 0 ? 0 : 0.008 * before + message * (before - 1);
    const turn = after === 0 ? 0 : 0.024 * after + message * (2 * after - 1);
    expect(sender).toBeCloseTo(fill + turn, 7);
    expect(own).toBeCloseTo(message * (Number(before > 0) + Number(after > 0)), 7);
  }
});
