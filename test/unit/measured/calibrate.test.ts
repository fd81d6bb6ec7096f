/** A plan calibrated on recorded runs, whose stages sleep known times. */
import { describe, expect, test } from 'vitest';
import { calibrate, type Calibration } from '../../../engine/measured/calibrate.ts';
import { calibratedText } from '../../../engine/measured/planText.ts';
import { plannedLength } from '../../../engine/simulate/plannedLength.ts';
import { measure } from '../../../engine/runs/measure.ts';
import type { Recording } from '../../../engine/values/recording.ts';
import { runOf } from '../../support/analyse.ts';
import { recordingOf } from '../runs/traces.ts';

const plan = (schedule: string, stages = 8, more = ''): string => `model m {
  layer l[${stages}] { forward = 8ms  backward_input = 8ms  backward_weight = 8ms  output = 512KiB }
}
device d { memory = 16GiB }
cluster c { gpu[4] = d  link = 1GB/s + 200us }
pipeline t { model = m  devices = c  microbatches = 8  stages = split(${'1,'.repeat(stages - 1)}1)  schedule = ${schedule} ${more} }
`;

function calibrated(text: string, recording: Recording, slowLayers = true): string {
  const { plan: planned, run } = runOf(text);
  const found = calibrate(planned, run.program, recording, { skip: 1, slowLayers });
  const made = 'problem' in found ? found : calibratedText(text, planned, found);
  if ('problem' in made) throw new Error(made.problem);
  return made.text;
}

const figuresOf = (text: string, recording: Recording): Calibration => {
  const { plan: planned, run } = runOf(text);
  const found = calibrate(planned, run.program, recording, { skip: 1, slowLayers: true });
  if ('problem' in found) throw new Error(found.problem);
  return found;
};

const lengthOf = (text: string): number => {
  const { plan: planned, run } = runOf(text);
  return plannedLength(planned, run.program);
};

describe.each([
  ['sleep_1f1b_p4', plan('1f1b', 4)],
  ['sleep_zbv_p4', plan('zb_v')],
])('%s', (name, text) => {
  const recording = recordingOf(name);
  const measured = measure(recording, 1).iteration;

  test('the calibrated plan takes what was measured, within 1 %', () => {
    expect(Math.abs(lengthOf(text) / measured - 1)).toBeGreaterThan(0.02);
    expect(Math.abs(lengthOf(calibrated(text, recording)) / measured - 1)).toBeLessThan(0.01);
  });

  test('steps that were not used are predicted within 2 %', () => {
    const { leftOut, steps } = figuresOf(text, recording);
    expect(leftOut.length).toBe(steps);
    for (const error of leftOut) expect(Math.abs(error)).toBeLessThan(0.02);
  });
});

test('a forward takes what was slept, a message what was measured, and what was planned is named', () => {
  const text = calibrated(plan('zb_v'), recordingOf('sleep_zbv_p4'));
  const forwards = [...text.matchAll(/forward = ([\d.]+)ms \/\/ n = 24, was 8ms/g)].map(([, value]) => Number(value));
  expect(forwards.length).toBe(8);
  // 6, 7, 8 ms in turn, and what the engine and the host add: 0.3 to 1.1 ms.
  for (const [stage, forward] of forwards.entries()) {
    expect(forward - (6 + (stage % 3))).toBeGreaterThan(0.2);
    expect(forward - (6 + (stage % 3))).toBeLessThan(1.1);
  }
  expect(text).toMatch(/link = 1GB\/s \+ 0us|link = 1GB\/s \+ [\d.]+us \/\/ n = 110, was 200us/);
  expect(text).toMatch(/jitter = [\d.]+%/);
  expect(text).toMatch(/message_overhead = (7\d|8\d)\.[\d]+us \/\/ n = 564/);
  // Sizes stay.
  expect(text.match(/output = 512KiB/g)?.length).toBe(8);
});

test('what a message takes is found anew where the file says it already, and taken back where the run does not tell it', () => {
  const recording = recordingOf('sleep_zbv_p4');
  const first = calibrated(plan('zb_v'), recording);
  const again = calibrated(plan('zb_v', 8, 'message_overhead = 3ms'), recording);
  expect(again).toMatch(/message_overhead = [\d.]+us \/\/ n = 564, was 3ms\n/);
  expect(lengthOf(again)).toBeCloseTo(lengthOf(first), 7);
  // Every second step has its gaps the wrong way round.
  const unsure = {
    ...recording,
    steps: recording.steps.map((step, at) => ({
      ...step,
      rows: step.rows.map((row) => ({
        ...row,
        begin: at % 2 === 0 ? row.begin : row.end.map((end, of) => row.end[of - 1] ?? end),
      })),
    })),
  };
  expect(calibrated(plan('zb_v', 8, 'message_overhead = 3ms'), unsure)).toContain(
    'message_overhead = 0us // the run does not tell it',
  );
  expect(calibrated(plan('zb_v'), unsure)).not.toContain('message_overhead');
});

test.each([
  ['sleep_izb_p4', 'interleaved_zb(chunks = 2)', 'sleep_zbv_p4', 'zb_v'],
  ['sleep_zbv_p4', 'zb_v', 'sleep_izb_p4', 'interleaved_zb(chunks = 2)'],
])('%s, whose schedule is %s, predicts %s within 3 %%', (from, schedule, to, other) => {
  const text = calibrated(plan(schedule), recordingOf(from)).replace(`schedule = ${schedule}`, `schedule = ${other}`);
  expect(Math.abs(lengthOf(text) / measure(recordingOf(to), 1).iteration - 1)).toBeLessThan(0.03);
});

describe('a rank that is slow in all that it does', () => {
  const recording = recordingOf('sleep_1f1b_p4');
  const slowed = (slow: readonly number[]): Recording => ({
    ...recording,
    steps: recording.steps.map((step) => ({
      ...step,
      rows: step.rows.map((row, rank) =>
        slow.includes(rank) ? { ...row, work: row.work.map((work) => work * 1.5) } : row,
      ),
    })),
  });
  // A plan with the times that were slept.
  const known = plan('1f1b', 4).replace(
    /layer l\[4\] \{.*\}/,
    [0, 1, 2, 3]
      .map((stage) => {
        const forward = 6 + (stage % 3);
        return `layer s${stage} { forward = ${forward + 0.4}ms  backward = ${(stage === 0 ? 0.75 : 2) * forward + 0.4}ms }`;
      })
      .join('\n  '),
  );
  const figures = (text: string): readonly number[] =>
    [...text.matchAll(/(?:forward|backward) = ([\d.]+)ms \/\//g)].map(([, value]) => Number(value));
  const durations = (text: string) => {
    const { plan: planned } = runOf(text);
    return planned.stages.map(({ forward }) => forward);
  };

  test('gets a device with its speed, and its layers keep the pace of the others', () => {
    const even = calibrated(known, recording, false);
    expect(even).toContain('gpu[4] = d');
    const text = calibrated(known, slowed([1]), false);
    expect(text).toMatch(/gpu\[0\.\.0\] = d\s+gpu\[1\.\.1\] = slow_gpu_1\s+gpu\[2\.\.3\] = d\s/);
    expect(Number(/device slow_gpu_1 \{ from = d {2}speed = ([\d.]+) \}/.exec(text)?.[1])).toBeCloseTo(1 / 1.5, 1);
    // What each stage then takes is what was measured: the same as with slow layers.
    for (const [stage, forward] of durations(text).entries())
      expect(forward).toBeCloseTo(durations(calibrated(known, slowed([1]), true))[stage], 7);
    for (const [at, value] of figures(text).entries()) expect(value / figures(even)[at]).toBeCloseTo(1, 1);
  });

  test('keeps what its device already says, and a line of its own', () => {
    const own = known
      .replace('device d {', 'device e { from = d  speed = 0.9 }\ndevice d {')
      .replace('gpu[4] = d', 'gpu[0..2] = d  gpu[3..3] = e');
    const text = calibrated(own, slowed([3]), false);
    expect(text).toMatch(/gpu\[0\.\.2\] = d\s+gpu\[3\.\.3\] = slow_gpu_3\s/);
    const speed = Number(/device slow_gpu_3 \{ from = e {2}speed = ([\d.]+) \}/.exec(text)?.[1]);
    expect(speed).toBeLessThan(0.72);
    for (const [stage, forward] of durations(text).entries())
      expect(forward).toBeCloseTo(durations(calibrated(own, slowed([3]), true))[stage], 7);
  });

  test.each([
    ['nodes', known.replace('gpu[4] = d', 'node[1] { gpu[4] = d  link = 1GB/s + 200us }')],
    ['ranks of two devices', known.replace('gpu[4]', 'gpu[8]').replace('schedule = 1f1b', 'data = 2  schedule = 1f1b')],
    ['a number that is computed', `let n = 4\n${known.replace('gpu[4]', 'gpu[n]')}`],
    ['a speed that is computed', `let v = 1\n${known.replace('16GiB', '16GiB  speed = v')}`],
    ['a device of that name', known.replace('device d {', 'device slow_gpu_1 { memory = 1GiB }\ndevice d {')],
  ])('is asked about where the file has %s', (_, text) => {
    expect(() => calibrated(text, slowed([1]), false)).toThrow(
      /gpu\[\S+ takes \d+(\.\d+)? % longer .* `speed = 0\.6\d+`/,
    );
  });
});

describe('what the run does not tell is refused', () => {
  const zbv = recordingOf('sleep_zbv_p4');
  const one = recordingOf('sleep_1f1b_p4');

  test.each([
    ['recomputation', plan('1f1b', 4, 'recompute = full'), one, 'recomputes its forward'],
    ['another plan', plan('1f1b', 4), zbv, 'the run does not match the pipeline: the plan has 4 stages, and 8 ran'],
    [
      'a group that is named elsewhere',
      `let l = 1\n${plan('zb_v')}`,
      zbv,
      'the file names "l" elsewhere: write a layer for each stage',
    ],
    [
      'halves that the plan does not have',
      plan('zb_v').replace('backward_input = 8ms  backward_weight = 8ms', 'backward = 16ms'),
      zbv,
      'layer "l" has no `backward_input` and `backward_weight`, which the run measured',
    ],
  ])('%s', (_, text, recording, problem) => {
    expect(() => calibrated(text, recording)).toThrow(problem);
  });

  test('too few samples', () => {
    const short = {
      ...one,
      steps: one.steps.slice(0, 1).map((step) => ({
        ...step,
        rows: step.rows.map((row) => ({ ...row, work: row.work.map((work, at) => (at > 3 ? Number.NaN : work)) })),
      })),
    };
    expect(() => calibrated(plan('1f1b', 4), short)).toThrow('needed for a mean');
  });
});

test('halves of a backward that ran whole are not measured, and have no interval', () => {
  const recording = recordingOf('sleep_1f1b_p4');
  const { plan: planned, run } = runOf(plan('1f1b', 4));
  const found = calibrate(planned, run.program, recording, { skip: 1, slowLayers: true });
  const made = 'problem' in found ? found : calibratedText(plan('1f1b', 4), planned, found);
  if ('problem' in made) throw new Error(made.problem);
  expect(made.text.match(/backward_(input|weight) = [\d.]+ms \/\/ shared as the plan has it, was 8ms/g)).toHaveLength(
    8,
  );
  expect(made.text).toMatch(/forward = [\d.]+ms \/\/ .*n = \d+, was 8ms/);
  expect(made.remarks[0]).toContain('nobody measured `backward_input` and `backward_weight`');
  expect(calibrated(plan('zb_v'), recordingOf('sleep_zbv_p4'))).not.toContain('shared as');
});
