/** Files of several steps, ranks of several pipelines. */
import { expect, test } from 'vitest';
import { assemble } from '../../../engine/formats/kineto/assemble.ts';
import type { RankTrace } from '../../../engine/formats/kineto/rankTrace.ts';
import { pipeOfRecordings } from '../../../engine/formats/recording/toPipe.ts';
import { readSummary } from '../../../engine/formats/recording/readSummary.ts';
import { summaryOf } from '../../../engine/formats/recording/summary.ts';
import { withoutFirst } from '../../../engine/runs/iteration.ts';
import { measure } from '../../../engine/runs/measure.ts';
import { runOf } from '../../support/analyse.ts';
import { filesOf, orderOf, recordingOf, traceOf } from './traces.ts';

const traces = filesOf('mlp_1f1b_p2').map((file) => traceOf(file));

/** The trace with only one step of the profiler, as torchtitan writes each to its own file. */
const onlyStep = (trace: RankTrace, at: number): RankTrace => {
  const step = trace.steps[at];
  const within = ({ from }: { readonly from: number }): boolean => from >= step.from && from < step.to;
  return {
    ...trace,
    steps: [step],
    computing: trace.computing.filter(within),
    transfers: trace.transfers.filter(within),
  };
};

function stepsOf(files: readonly RankTrace[]) {
  const assembled = assemble(files);
  if ('faults' in assembled) throw new Error(assembled.faults[0].message);
  return assembled.recordings[0];
}

test('several files of a rank are several steps, in the order of time', () => {
  const files = traces.flatMap((trace) => [3, 1, 2].map((at) => onlyStep(trace, at)));
  const recording = stepsOf(files);
  expect(recording.steps.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect(recording.steps.map(({ rows }) => rows.map(orderOf))).toEqual(
    recordingOf('mlp_1f1b_p2')
      .steps.slice(1)
      .map(({ rows }) => rows.map(orderOf)),
  );
});

test('steps that count anew in a later file are numbered on', () => {
  const again = traces.flatMap((trace) =>
    [1, 2].map((at) => {
      const one = onlyStep(trace, at);
      return { ...one, steps: one.steps.map((step) => ({ ...step, number: 9 - at })) };
    }),
  );
  expect(stepsOf(again).steps.map(({ number }) => number)).toEqual([0, 1]);
});

/** The same trace of another run, so many seconds later. */
const later = (trace: RankTrace, seconds: number): RankTrace => ({
  ...trace,
  file: `late_${trace.file}`,
  base: trace.base + BigInt(seconds) * 1_000_000_000n,
});
const faultsOf = (files: readonly RankTrace[]): readonly string[] => {
  const assembled = assemble(files);
  return 'faults' in assembled ? assembled.faults.map(({ file, message }) => `${file}: ${message}`) : [];
};

test('two files of a rank with one step are two runs', () => {
  const [first] = traces;
  const faults = faultsOf([...traces, ...traces.map((trace) => later(trace, 17))]);
  expect(faults).toHaveLength(2);
  expect(faults[0]).toBe(
    `late_${first.file}: This is a trace of rank 0, as is ${first.file}, and both have step 0: these files are of different runs. Name the files of one run.`,
  );
  // One step that is in both is enough.
  const overlapping = traces.flatMap((trace) => [
    {
      ...trace,
      steps: trace.steps.slice(0, 2),
      computing: trace.computing.filter(({ from }) => from < trace.steps[2].from),
    },
    { ...later(trace, 17), steps: trace.steps.slice(1) },
  ]);
  expect(faultsOf(overlapping)[0]).toContain('both have step 1: these files are of different runs');
});

test('ranks that ran a step long after the others are of another run; clocks differ by seconds', () => {
  const [first, second] = traces;
  expect(faultsOf([first, later(second, 60)])).toEqual([
    `late_${second.file}: In step 3, rank 1 ran 60 s later than rank 0, as in ${first.file}. These files are of different runs. Name the files of one run.`,
  ]);
  expect(faultsOf([later(first, 60), second])[0]).toContain('rank 0 ran 60 s later than rank 1');
  expect(faultsOf([first, later(second, 5)])).toEqual([]);
  // A clock that does not count from 1970 cannot be compared.
  const own = (trace: RankTrace): RankTrace => ({ ...trace, base: 0n });
  expect(faultsOf([own(first), later(own(second), 60)])).toEqual([]);
});

test('the only step is never left out', () => {
  const recording = stepsOf(traces.map((trace) => onlyStep(trace, 0)));
  expect(withoutFirst(recording.steps, 1).map(({ number }) => number)).toEqual([0]);
  expect(withoutFirst(recordingOf('mlp_1f1b_p2').steps, 9).map(({ number }) => number)).toEqual([3]);
});

test('without steps of the profiler, a step begins where an operation runs again', () => {
  const recording = stepsOf(traces.map((trace) => ({ ...trace, steps: [] })));
  const whole = recordingOf('mlp_1f1b_p2');
  expect(recording.steps.map(({ rows }) => rows.map(orderOf))).toEqual(
    whole.steps.map(({ rows }) => rows.map(orderOf)),
  );
  expect(measure(recording, 1).flight).toEqual(measure(whole, 1).flight);
});

test('a process group mesh_pp says which ranks form a pipeline: each replica has its own times', () => {
  const slower = (trace: RankTrace): RankTrace => ({
    ...trace,
    computing: trace.computing.map((slice) => ({ ...slice, to: slice.from + 1.2 * (slice.to - slice.from) })),
  });
  // Data ranks are inner ranks: pipelines are 0, 2 and 1, 3.
  const replica = (first: number, by: (trace: RankTrace) => RankTrace) =>
    traces.map((trace, stage) => ({ ...by(trace), rank: first + 2 * stage, pipelineRanks: [first, first + 2] }));
  const assembled = assemble([...replica(1, slower), ...replica(0, (trace) => trace)]);
  const recordings = 'faults' in assembled ? [] : assembled.recordings;
  expect(recordings.map(({ ranks }) => ranks)).toEqual([
    [0, 2],
    [1, 3],
  ]);
  const [plain, slow] = recordings.map((recording) => measure(recording, 1).times.get(0)?.mean ?? 0);
  expect(slow / plain).toBeCloseTo(1.2, 3);
  const made = pipeOfRecordings(recordings, 1);
  const pipe = 'pipe' in made ? made.pipe : '';
  expect(pipe.match(/^pipeline run_\d/gm)).toEqual(['pipeline run_0', 'pipeline run_1']);
});

test('an import runs the order that ran, with its times', () => {
  const recording = recordingOf('sleep_zbv_p4');
  const made = pipeOfRecordings([recording], 1);
  if ('problem' in made) throw new Error(made.problem);
  const { program, report } = runOf(made.pipe).run;
  const measured = measure(recording, 1);
  const words = measured.steps[0].rows.flatMap(({ kind, stage, microbatch }) =>
    [...kind].map((letter, at) => ((letter * recording.stages + stage[at]) << program.shift) | microbatch[at]),
  );
  expect([...program.order]).toEqual(words);
  // Hosts are in no layer: without them the iteration is 2 to 4 % short.
  const short = 1 - report.iteration / measured.iteration;
  expect(short).toBeGreaterThan(0.015);
  expect(short).toBeLessThan(0.035);
});

test('a summary holds what its traces hold, to 1 ns', () => {
  for (const name of ['skewed_zbv_p4', 'mlp_dualpipe_v_p2']) {
    const recording = recordingOf(name);
    const { text, left } = summaryOf([recording]);
    expect(left).toBe(0);
    expect(text.length).toBeLessThan(40_000);
    expect(text).not.toMatch(/tmp|\.json|python/);
    const read = readSummary(text);
    if ('faults' in read) throw new Error(read.faults[0].message);
    const [again] = read.recordings;
    expect(again).toMatchObject({ ranks: recording.ranks, stages: recording.stages, device: false });
    for (const [at, { rows }] of recording.steps.entries())
      for (const [rank, row] of rows.entries()) {
        const other = again.steps[at].rows[rank];
        expect(orderOf(other)).toBe(orderOf(row));
        for (const column of ['begin', 'start', 'end', 'work', 'posted', 'arrived'] as const)
          for (const [index, value] of row[column].entries())
            expect(
              Number.isNaN(value)
                ? Number.isNaN(other[column][index])
                : Math.abs(other[column][index] - value) < 1.1e-9,
            ).toBe(true);
      }
  }
});

test('a summary that is too large keeps the newest steps', () => {
  const recording = recordingOf('sleep_zbv_p4');
  const long = { ...recording, steps: Array.from({ length: 200 }, (_, number) => ({ ...recording.steps[1], number })) };
  const { text, left } = summaryOf([long]);
  expect(text.length).toBeLessThanOrEqual(1_000_000);
  const read = readSummary(text);
  const numbers = 'faults' in read ? [] : read.recordings[0].steps.map(({ number }) => number);
  expect(numbers.length + left).toBe(200);
  expect(numbers.at(-1)).toBe(199);
});

test.each([
  ['{"pipewright":"run"', 'is not closed'],
  ['{"pipewright":"run","version":2,"pipelines":[]}', 'This reads version 1'],
  ['{"pipewright":"run","version":1,"pipelines":[]}', 'must list at least one run'],
  [
    '{"pipewright":"run","version":1,"pipelines":[{"ranks":[0],"stages":2,"microbatches":1,"placement":[0,4]}]}',
    'must name a rank for each stage',
  ],
])('a damaged summary: %s', (text, message) => {
  const read = readSummary(text);
  expect('faults' in read ? read.faults.map((fault) => fault.message).join(' ') : '').toContain(message);
});
