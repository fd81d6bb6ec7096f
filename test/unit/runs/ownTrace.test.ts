/** Our own trace of a simulation comes back as it was. */
import { expect, test } from 'vitest';
import { traceParts } from '../../../engine/drawing/trace.ts';
import { assemble } from '../../../engine/formats/kineto/assemble.ts';
import { traceReader } from '../../../engine/formats/kineto/read.ts';
import { messagesOf } from '../../../engine/runs/clocks.ts';
import { measure } from '../../../engine/runs/measure.ts';
import { endAt, startAt } from '../../../engine/values/timeline.ts';
import { runOf } from '../../support/analyse.ts';

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
    const reader = traceReader('trace.json');
    for (const part of traceParts(plan, run, { file: 'plan.pipe', version: '0' }))
      reader.push(new Uint8Array(Buffer.from(part)));
    const traces = reader.end();
    const assembled = 'message' in traces ? { faults: [traces] } : assemble(traces);
    if ('faults' in assembled) throw new Error(assembled.faults[0].message);
    const [recording] = assembled.recordings;
    expect(assembled.recordings.length).toBe(1);
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
    const messages = [...messagesOf(recording, step)];
    // 7 borders between stages, less the two stages of the turn of the V, in both directions.
    expect(messages.length).toBe((schedule === 'zb_v' ? 6 : 7) * 8 * 2);
    // A mebibyte over the link, and its latency.
    for (const { posted, arrived } of messages) expect(arrived - posted).toBeGreaterThan(0.00117);
  },
);
