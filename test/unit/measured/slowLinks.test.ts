/** A link that is slower than the others, in runs whose length a closed form tells. */
import { expect, test } from 'vitest';
import { summaryOf } from '../../../engine/formats/recording/summary.ts';
import { pipeOfRecordings } from '../../../engine/formats/recording/toPipe.ts';
import { calibratedPlan } from '../../../engine/measured/calibratedPlan.ts';
import { compareRun, type RunComparison } from '../../../engine/measured/compareRun.ts';
import { stragglersIn } from '../../../engine/measured/stragglersIn.ts';
import { plannedLength } from '../../../engine/simulate/plannedLength.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import type { Recording } from '../../../engine/values/recording.ts';
import { runSentence } from '../../../webview/session/runWords.ts';
import { recordedRun } from '../../../webview/worker/recordedRun.ts';
import { runOf } from '../../support/analyse.ts';
import { simulatedRun } from '../../support/simulatedRun.ts';
import { call } from '../cli/harness.ts';

/**
 * GPipe on four ranks. The first stage has the longest forward and the last one the longest backward, so each rank waits for each of its
 * messages, and an iteration takes 8 · 20 + 3 · 10 + 8 · 40 + 3 · 20 = 570 ms, and each link twice.
 */
const text = (links: string, last = 40): string => `model m {
  layer a { forward = 20ms  backward = 20ms }
  layer b[2] { forward = 10ms  backward = 20ms }
  layer c { forward = 10ms  backward = ${last}ms }
}
device d { memory = 16GiB }
cluster k {
  gpu[4] = d
  ${links}
}
pipeline t { model = m  devices = k  microbatches = 8  stages = split(1, 1, 1, 1)  schedule = gpipe }
`;
const even = 'link = 1GB/s + 1ms';
const planted = `${even}\n  link gpu[1] -- gpu[2] = 1GB/s + 8ms`;

const recorded = (source: string): Recording => {
  const { plan, run } = runOf(source);
  return simulatedRun(plan, run);
};

/** Messages from rank 2 to rank 1 take so many seconds, and others what the file says. */
function withBack(source: string, seconds: number): Recording {
  const { plan, run } = runOf(source);
  const timing = timingOf(plan, run.program);
  const needLatency = timing.needLatency.map((latency, need) => {
    const route = plan.routes[timing.needRoute[need]];
    return route?.from === 2 && route.to === 1 ? seconds : latency;
  });
  const timeline = simulate(run.program, { ...timing, needLatency });
  if (timeline === undefined) throw new Error('it waits for itself');
  return simulatedRun(plan, { ...run, timeline });
}

function compared(source: string, recording: Recording): RunComparison {
  const { plan, run } = runOf(source);
  const comparison = compareRun(plan, run.program, recording, 0);
  if ('problem' in comparison) throw new Error(comparison.problem);
  return comparison;
}

function calibrated(source: string, recording: Recording): string {
  const { plan, run } = runOf(source);
  const made = calibratedPlan(source, plan, run.program, [recording], { skip: 0, slowLayers: true });
  return 'problem' in made ? made.problem : made.text;
}

test('is named with its time and that of the others, and is all that the run takes longer', () => {
  const { planned, measured, shares, slowLinks, otherLinks } = compared(text(even), recorded(text(planted)));
  expect(planned).toBeCloseTo(0.57 + 2 * 0.003, 9);
  expect(measured).toBeCloseTo(0.57 + 2 * 0.01, 7);
  expect(shares.flights).toBeCloseTo(2 * 0.007, 7);
  for (const part of ['order', 'times', 'host', 'variation', 'rest'] as const) expect(shares[part]).toBeCloseTo(0, 7);
  expect(slowLinks.map(({ from, to }) => `${from} ${to}`)).toEqual(['1 2', '2 1']);
  for (const { count, median } of slowLinks) {
    // Also the first message, for which a rank of a simulation waits from the start of its step.
    expect(count).toBe(8);
    expect(median).toBeCloseTo(0.008, 7);
  }
  expect(otherLinks.count).toBe(32);
  expect(otherLinks.median).toBeCloseTo(0.001, 7);
});

test('is none if the plan says that it is slow, or if it changes next to nothing', () => {
  expect(compared(text(planted), recorded(text(planted)))).toMatchObject({ slowLinks: [] });
  // Of 571.5 ms, 8 messages that take 690 µs longer are 0.97 %, and 7 that take 840 µs longer are 1.03 %.
  const by = (latency: string) => planted.replace('8ms', latency);
  const even10 = even.replace('1ms', '10us');
  expect(compared(text(even10), recorded(text(by('700us').replace('1ms', '10us')))).slowLinks).toEqual([]);
  expect(compared(text(even10), recorded(text(by('850us').replace('1ms', '10us')))).slowLinks.length).toBe(2);
});

test('makes no rank a straggler, and its time is in the run that is simulated for them', () => {
  const { plan, run } = runOf(text(even));
  const { slowdown, own } = stragglersIn(plan, run.program, [recorded(text(planted))], 0);
  expect(slowdown).toBeCloseTo(1, 7);
  expect(own).toBeCloseTo(0.57 + 2 * 0.01, 7);
});

test('gets a line of its own in a calibrated plan, which then takes what the run took', () => {
  const made = calibrated(text(even), recorded(text(planted)));
  expect(made).toMatch(
    /\n +link += 1GB\/s \+ 1000us +\/\/ n = 32, was 1ms\n +link gpu\[1\] -- gpu\[2\] += 1GB\/s \+ 8000us +\/\/ n = 16\n/,
  );
  const { plan, run } = runOf(made);
  expect(plannedLength(plan, run.program)).toBeCloseTo(0.57 + 2 * 0.01, 6);
});

test.each([
  [
    'both directions, with other times',
    even,
    withBack(text(planted), 0.005),
    ': 8 ms, others 1 ms, and back 5 ms. A link',
  ],
  [
    'one direction',
    even,
    withBack(text(planted), 0.001),
    ': 8 ms, others 1 ms, and back 1 ms. A link of the file takes as long',
  ],
  [
    'one direction, and nobody waits for the other',
    even,
    recorded(text(planted, 10)),
    ': 8 ms, others 1 ms, and no message back was waited for. A link',
  ],
  [
    'a cluster with other links',
    `${even}\n  link gpu[0] -- gpu[1] = 1GB/s + 1ms`,
    recorded(text(planted)),
    ': 8 ms, others 1 ms. Write a link with that latency',
  ],
])('is refused with its time: %s', (_, links, recording, problem) => {
  expect(calibrated(text(links), recording)).toContain(
    `pipeline "t" cannot be calibrated: messages from gpu[1] to gpu[2]${problem}`,
  );
});

test('is not spread over the link of an imported run', () => {
  const made = pipeOfRecordings([recorded(text(planted))], 0);
  if ('problem' in made) throw new Error(made.problem);
  expect(made.pipe).toMatch(/link += 100GB\/s \+ 1000us\n/);
  expect(made.remarks.join('\n')).toContain('from rank 1 to rank 2: 8 ms, others 1 ms');
});

test('is said on the command line, as text and as data', async () => {
  const files = { 'plan.pipe': text(even), 'run.json': summaryOf([recorded(text(planted))]).text };
  const comparing = (...more: readonly string[]) =>
    call(['compare', 'plan.pipe', '--with', 'run.json', ...more], { files });
  const { out } = await comparing();
  expect(out).toContain('  Slow link  messages from gpu[1] to gpu[2]: 8 ms, others 1 ms\n');
  expect(out).toContain('  Slow link  messages from gpu[2] to gpu[1]: 8 ms, others 1 ms\n');
  const { runs } = JSON.parse((await comparing('--format', 'json')).out) as { readonly runs: readonly object[] };
  expect(runs[0]).toMatchObject({
    slowLinks: [
      { from: 1, to: 2, count: 8 },
      { from: 2, to: 1 },
    ],
    otherLinks: { count: 32 },
  });
});

test('is said under the timeline', () => {
  const { plan } = runOf(text(even));
  const runs = recordedRun();
  runs.record(summaryOf([recorded(text(planted))]).text);
  const { result } = runs.beside(plan, 0);
  if ('reason' in result) throw new Error(result.reason);
  expect(
    runSentence(
      result,
      plan.devices.map(({ name }) => name),
    ),
  ).toContain('Slow link: messages from gpu[1] to gpu[2]: 8 ms, others 1 ms.');
});
