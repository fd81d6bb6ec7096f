/** A plan calibrated on recorded runs, whose stages sleep known times. */
import { describe, expect, test } from 'vitest';
import { calibrate, type Calibration } from '../../../engine/measured/calibrate.ts';
import { calibratedText } from '../../../engine/measured/planText.ts';
import { plannedLength } from '../../../engine/measured/plannedLength.ts';
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
  // Sizes stay.
  expect(text.match(/output = 512KiB/g)?.length).toBe(8);
});

test.each([
  ['sleep_izb_p4', 'interleaved_zb(chunks = 2)', 'sleep_zbv_p4', 'zb_v'],
  ['sleep_zbv_p4', 'zb_v', 'sleep_izb_p4', 'interleaved_zb(chunks = 2)'],
])('%s, whose schedule is %s, predicts %s within 3 %%', (from, schedule, to, other) => {
  const text = calibrated(plan(schedule), recordingOf(from)).replace(`schedule = ${schedule}`, `schedule = ${other}`);
  expect(Math.abs(lengthOf(text) / measure(recordingOf(to), 1).iteration - 1)).toBeLessThan(0.03);
});

test('a rank that is slow in all that it does is asked about', () => {
  const recording = recordingOf('sleep_1f1b_p4');
  const slow: Recording = {
    ...recording,
    steps: recording.steps.map((step) => ({
      ...step,
      rows: step.rows.map((row, rank) => (rank === 1 ? { ...row, work: row.work.map((work) => work * 1.5) } : row)),
    })),
  };
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
  expect(() => calibrated(known, recording, false)).not.toThrow();
  expect(() => calibrated(known, slow, false)).toThrow(/gpu\[1\] takes \d+(\.\d+)? % longer .* `speed = 0\.6\d\d`/);
});

describe('what the run does not tell is refused', () => {
  const zbv = recordingOf('sleep_zbv_p4');
  const one = recordingOf('sleep_1f1b_p4');

  test.each([
    ['recomputation', plan('1f1b', 4, 'recompute = full'), one, 'recomputes its forward'],
    ['another plan', plan('1f1b', 4), zbv, 'this is no run of the pipeline: the plan has 4 stages, and 8 ran'],
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
