/** `measured = trace(…)`: a recorded run next to its plan. */
import { describe, expect, test } from 'vitest';
import type { EngineHost, RunAnswer } from '../../../engine/basics/host.ts';
import type { RunDigest } from '../../../engine/values/recording.ts';
import { B, F, I, W } from '../../../engine/values/program.ts';
import { analyse, codesOf, runOf } from '../../support/analyse.ts';
import { edited } from '../../support/goodFile.ts';
import { hostOf } from '../../support/host.ts';

/** Steps of the file's pipeline, in seconds. */
const run = (steps: RunDigest['steps'], more: Partial<RunDigest> = {}): RunDigest => ({
  ...{ ranks: [0, 1, 2, 3], stages: 4, microbatches: 8, placement: [0, 1, 2, 3], kinds: [F, B], steps },
  ...more,
});

const hostWith = (answer: RunAnswer | undefined, asked: unknown[] = []): EngineHost => ({
  ...hostOf(),
  run(uri, ranks) {
    asked.push([uri, ranks]);
    return answer;
  },
});

const good = edited(
  'expect train { bubble < 30%  15GiB > peak_memory  peak_memory(stage = 0) < 15GiB  in_flight(device = 1) <= 3 }\n',
  '',
);

const file = (measured: string, expected = ''): string =>
  `${edited('schedule = 1f1b', `schedule = 1f1b\n  measured = ${measured}`, good)}${expected}`;

const plain = runOf(good);
const simulated = plain.run.report.iteration;

describe('a run of the pipeline', () => {
  test('gives the drift, and changes no other figure', () => {
    const host = hostWith({
      runs: [
        run([
          [0, 9],
          [10, 10 + simulated * 1.02],
          [20, 20 + simulated * 1.04],
        ]),
      ],
    });
    const { report } = runOf(file('trace("traces/")'), { host }).run;
    expect(report.measured?.simulated).toBeCloseTo(simulated, 12);
    expect(report.measured?.drift).toBeCloseTo(0.03, 12);
    expect(report.measured?.runs).toHaveLength(1);
    expect(report.measured?.runs[0]).toMatchObject({ ranks: [0, 1, 2, 3], steps: 2 });
    const { measured: _, ...others } = JSON.parse(JSON.stringify(report)) as Record<string, unknown>;
    expect(others).toEqual(JSON.parse(JSON.stringify(plain.run.report)));
  });

  test('has as many steps left out as the file says', () => {
    const steps = [1, 2, 3, 4].map((at) => [10 * at, 10 * at + at * simulated] as const);
    const of = (measured: string) =>
      runOf(file(measured), { host: hostWith({ runs: [run(steps)] }) }).run.report.measured?.runs[0];
    expect(of('trace("t")')).toMatchObject({ steps: 3, drift: expect.closeTo(2) as unknown });
    expect(of('trace("t", skip = 0)')).toMatchObject({ steps: 4, drift: expect.closeTo(1.5) as unknown });
    expect(of('trace("t", skip = 3)')).toMatchObject({ steps: 1, drift: expect.closeTo(3) as unknown });
  });

  test('is asked for by its place and ranks', () => {
    const asked: unknown[] = [];
    analyse(file('trace("../runs/", ranks = [0, 2, 4, 6])'), { host: hostWith({ runs: [] }, asked) });
    expect(asked).toEqual([['file:///runs/', [0, 2, 4, 6]]]);
  });

  test('without a barrier between steps counts from step to step', () => {
    const steps = [
      [0, 3],
      [2, 5],
      [4, 7],
      [6, 9],
    ] as const;
    const host = hostWith({ runs: [run(steps)] });
    expect(runOf(file('trace("t")'), { host }).run.report.measured?.runs[0].iteration).toBe(2);
  });

  test('is compared replica by replica, and the farthest counts', () => {
    const of = (factor: number) =>
      run([
        [0, simulated],
        [10, 10 + factor * simulated],
      ]);
    const host = hostWith({ runs: [of(1.02), of(0.9), of(1.05)] });
    const { measured } = runOf(file('trace("t")'), { host }).run.report;
    expect(measured?.drift).toBeCloseTo(-0.1, 12);
    expect(measured?.runs.map(({ drift }) => Number(drift.toFixed(9)))).toEqual([0.02, -0.1, 0.05]);
  });
});

describe('an expectation of the drift', () => {
  const failed = (factor: number, expected: string, answer?: RunAnswer) =>
    analyse(file('trace("t")', `expect train { ${expected} }`), {
      host: hostWith(
        answer ?? {
          runs: [
            run([
              [0, 1],
              [10, 10 + factor * simulated],
            ]),
          ],
        },
      ),
    }).findings.flatMap(({ code, message }) => (code === 'expect/failed' ? [message] : []));

  test('holds whether the run was slower or faster', () => {
    expect(failed(1.03, 'drift <= 3.1%')).toEqual([]);
    expect(failed(0.97, 'drift <= 3.1%')).toEqual([]);
    expect(failed(1.04, 'drift <= 3%')).toEqual(['Expected drift <= 3%, but it is 4 %.']);
    expect(failed(0.96, 'drift <= 3%')).toEqual(['Expected drift <= 3%, but it is 4 %.']);
  });

  test('is not judged while the run is read, and fails if it cannot be', () => {
    expect(failed(1, 'drift < 3%', 'reading')).toEqual([]);
    expect(failed(1, 'drift < 3%', { problem: 'it is damaged' })).toEqual([
      'Expected drift < 3%, but it is unknown, because no run of the pipeline is known: name one with `measured`.',
    ]);
    const without = analyse(`${good}expect train { drift < 3% }`, { host: hostWith(undefined) });
    expect(codesOf(without)).toContain('expect/failed');
  });

  test('is not judged where nobody reads runs', () => {
    expect(codesOf(analyse(file('trace("t")', 'expect train { drift < 3% }')))).not.toContain('expect/failed');
  });
});

describe('what is wrong with a run is a warning at its path, and the figures stay', () => {
  const told = (answer: RunAnswer | undefined, measured = 'trace("t")') => {
    const analysis = analyse(file(measured), { host: hostWith(answer) });
    expect(analysis.pipelines[0].run?.report.iteration).toBe(simulated);
    expect(analysis.pipelines[0].run?.report.measured).toBeUndefined();
    return analysis.findings
      .filter(({ code }) => code.startsWith('measured/'))
      .map(({ code, severity, message, place }) => {
        expect(analysis.syntax.text.slice(place.start, place.end)).toContain('"t"');
        return `${code} ${severity} ${message}`;
      });
  };

  test.each<[string, RunAnswer | undefined, readonly string[]]>([
    ['nobody reads runs', undefined, []],
    [
      'it is being read',
      'reading',
      ['measured/reading information The run "t" is being read. Its drift follows; no other figure depends on it.'],
    ],
    [
      'it is damaged',
      { problem: 'rank0.json, line 3, column 1: The file ends in the middle of the trace' },
      [
        'measured/unread warning The run "t" is not read, so there is no drift: rank0.json, line 3, column 1: The file ends in the middle of the trace.',
      ],
    ],
    [
      'it has other ranks',
      { runs: [run([[0, 1]], { ranks: [0, 1], placement: [0, 0, 1, 1] })] },
      [
        'measured/other-run warning The run does not match the pipeline, so there is no drift: the plan has 4 devices, and 2 ran. Name a run of this plan, or change the plan to what ran.',
      ],
    ],
    [
      'it has other stages on a device',
      { runs: [run([[0, 1]], { placement: [0, 2, 1, 3] })] },
      [
        'measured/other-run warning The run does not match the pipeline, so there is no drift: stage 1 is on device 1 in the plan, and ran on device 2. Name a run of this plan, or change the plan to what ran.',
      ],
    ],
    [
      'it splits backwards',
      { runs: [run([[0, 1]], { kinds: [F, I, W] })] },
      [
        'measured/other-run warning The run does not match the pipeline, so there is no drift: the run splits backwards into I and W, and the plan does not. Name a run of this plan, or change the plan to what ran.',
      ],
    ],
  ])('%s', (_, answer, expected) => expect(told(answer)).toEqual(expected));

  test('all of its steps are left out', () => {
    expect(
      told(
        {
          runs: [
            run([
              [0, 1],
              [2, 3],
            ]),
          ],
        },
        'trace("t", skip = 2)',
      ),
    ).toEqual([
      'measured/unread warning The run "t" is not read, so there is no drift: `skip = 2` leaves no step, because the run has 2 steps.',
    ]);
  });
});

test.each([
  ['"t"', 'Expected a recorded run such as `trace("traces/")`, found text in quotes.'],
  ['trace(t)', undefined],
  ['trace(5)', 'Expected a path in quotes, found `5`.'],
  ['trace()', 'This call to trace needs the argument "file", for example `trace("traces/")`.'],
  ['trace', 'This call to trace needs the argument "file", for example `trace("traces/")`.'],
  ['trace("t", skip = -1)', '"skip" is −1; it must be a whole number of at least 0.'],
  ['trace("t", skipp = 1)', 'A call to trace has no argument "skipp". Did you mean "skip"?'],
  ['trace("t", ranks = 3)', 'Expected a list of ranks such as `[0, 2]`, found a plain number.'],
  ['trace("t", ranks = [0, 1.5])', 'A rank is 1.5; it must be a whole number of at least 0.'],
  ['tracce("t")', undefined],
])('%s is refused', (measured, message) => {
  const analysis = analyse(file(measured), { host: hostWith({ runs: [] }) });
  const errors = analysis.findings.filter(({ severity }) => severity === 'error');
  expect(errors).toHaveLength(1);
  if (message !== undefined) expect(errors[0].message).toBe(message);
});
