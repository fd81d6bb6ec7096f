/** A schedule without a pipeline on the command line: `--schedule NAME --devices 4 --microbatches 8`. */
import { describe, expect, test } from 'vitest';
import { findPolicy, policies } from '../../../engine/policies/registry.ts';
import { runUnder } from '../docs/drawings.ts';
import { call } from './harness.ts';

const kfkb = `/// k forwards of a stage, then k backwards.
schedule kfkb {
  param k = 2 in 1..8
  require mod(microbatches, k) == 0
  let forwards = F[0..<microbatches]
  let warm(d)  = k * (devices - d)
  row(d)       = take(warm(d), forwards), each(g in 0..<microbatches/k, B[g*k..<(g+1)*k], take(k, drop(warm(d) + g*k, forwards)))
}
`;
const files = { 'kfkb.pipe': kfkb };
const shape = ['--devices', '4', '--microbatches', '8'];
const under = async (command: string, schedule: string, ...more: readonly string[]) =>
  call([command, 'kfkb.pipe', '--schedule', schedule, ...shape, ...more], { files });

const pipelineOf = async (schedule: string) => {
  const { out, err, status } = await under('simulate', schedule, '--format', 'json');
  expect(err).toBe('');
  expect(status).toBe(0);
  const { pipelines } = JSON.parse(out);
  expect(pipelines).toHaveLength(1);
  return pipelines[0];
};

describe('simulate', () => {
  test('a schedule of a file is simulated in unit times, and the report says so', async () => {
    const found = await pipelineOf('kfkb');
    // (m + p - 1) (F + B), whatever k is.
    expect(found).toMatchObject({ name: 'kfkb', schedule: 'kfkb', iteration: 33, unit_times: true, microbatches: 8 });
    expect(found.devices.map(({ in_flight }: { in_flight: number }) => in_flight)).toEqual([8, 6, 4, 2]);
    const text = await under('simulate', 'kfkb');
    expect(text.out).toContain('Unit times: a forward of a stage takes 1 s, a backward 2 s (I = W = 1 s)');
    expect(text.out).toMatch(/Peak memory +8 activations +on dev 0\n/);
    expect(text.out).toContain('no findings');
    // No layers, and no memory that a bar could be a share of.
    expect(text.out).toMatch(/\nMemory\n +peak +activations +in flight\n {2}dev 0 +8 activations +8 activations +8\n/);
    expect(text.out).toMatch(/\nStages\n {2}s0 +dev 0 +F 1 s {2}I 1 s {2}W 1 s *\n/);
    expect(text.out).not.toMatch(/layer|[█░]|\d B\b/);
  });

  test('arguments of the schedule are given as in a pipeline', async () => {
    const found = await pipelineOf('kfkb(k = 1)');
    expect(found.devices.map(({ in_flight }: { in_flight: number }) => in_flight)).toEqual([4, 3, 2, 1]);
  });

  test.each(
    policies.filter(({ loading, weights }) => loading === undefined && weights === undefined).map(({ name }) => name),
  )('%s takes as long as under the common workload, counted in its stages', async (name) => {
    const found = await pipelineOf(name);
    const { report } = runUnder(name);
    expect(found.iteration / (findPolicy(name)?.chunks({}) ?? 1)).toBeCloseTo(report.iteration / 1e-3, 6);
  });

  test('an asynchronous schedule is simulated until it is in step', async () => {
    const { asynchronous, iteration } = await pipelineOf('pipedream');
    expect(asynchronous).toMatchObject({ steady: true });
    expect(iteration).toBeCloseTo(24, 9);
  });

  test('a figure names the schedule and its units', async () => {
    const { out } = await under('simulate', 'kfkb', '--format', 'svg');
    expect(out).toMatch(
      /<desc>kfkb, 4 devices, 8 microbatches: iteration 33 s.*Unit times: .*Schedule kfkb of kfkb\.pipe/,
    );
    expect(out).toContain('peak memory 8 activations on dev 0');
    expect(out).not.toMatch(/\d B\b|Infinity/);
  });

  test('a mistake that only this shape shows is at its place in the file, with status 1', async () => {
    const text = 'schedule short {\n  row(d) = F[0..<microbatches], B[0..<microbatches - 1]\n}\n';
    const { status, out } = await call(['simulate', '-', '--schedule', 'short', ...shape], { files: { '-': text } });
    expect(status).toBe(1);
    expect(out).toContain('error[schedule/incomplete]');
    expect(out).toContain(':2:3');
  });
});

describe('refusals', () => {
  test.each([
    [['--schedule', 'kfbk', ...shape], 'Unknown policy "kfbk". Did you mean "kfkb"?'],
    [['--schedule', 'kfkb', '--devices', '4'], '--schedule needs --microbatches too: a number such as 8.'],
    [['--schedule', 'kfkb'], 'kfkb.pipe declares no pipeline, so there is nothing to simulate. It has the schedule'],
    [shape, '--devices and --microbatches are for --schedule: name the schedule too.'],
    [
      ['--schedule', 'kfkb', '--devices', '0', '--microbatches', '8'],
      '--devices takes a whole number from 1 to 1,000,000, not "0".',
    ],
    [
      ['--schedule', 'kfkb', '--devices', '4', '--microbatches', '1e3'],
      '--microbatches takes a whole number from 1 to 1,000,000, not "1e3".',
    ],
    [['--schedule', 'kfkb }', ...shape], '--schedule takes one schedule, such as kfkb or kfkb(k = 2), not "kfkb }".'],
    [['--schedule', 'kfkb', '--pipeline', 'p', ...shape], '--pipeline is for a pipeline of the file'],
    [['--schedule', 'kfkb(k = 9)', ...shape], '"k" is 9; it must be from 1 to 8.'],
    [['--schedule', 'kfkb(k = 3)', ...shape], 'nearest microbatches: 9 or 6.'],
    [['--schedule', 'dualpipe', '--devices', '3', '--microbatches', '8'], 'dualpipe cannot run: '],
    [['--schedule', 'pipeswitch', ...shape], 'pipeswitch cannot run: it loads a model, so it needs a pipeline.'],
    [
      ['--schedule', '1f1b', '--devices', '1000000', '--microbatches', '1000000'],
      'Devices of schedule "1f1b": 1,000,000',
    ],
    [['--schedule', 'pipedream', '--devices', '1000', '--microbatches', '1000'], 'Operations of schedule "pipedream"'],
    [
      ['--schedule', 'kfkb', '--devices', '1000000', '--microbatches', '1000000'],
      'Devices of schedule "kfkb": 1,000,000',
    ],
  ])('%j', async (more, problem) => {
    const { status, out, err } = await call(['simulate', 'kfkb.pipe', ...more], { files });
    expect(err).toContain(problem);
    expect(out).toBe('');
    expect(status).toBe(2);
  });

  test('a file with a schedule and no pipeline says how to simulate it', async () => {
    const said =
      'It has the schedule kfkb: simulate one on equal stages with --schedule kfkb --devices 4 --microbatches 8.';
    for (const command of ['simulate', 'search'])
      expect((await call([command, 'kfkb.pipe'], { files })).err).toContain(said);
    expect((await call(['export', 'kfkb.pipe', '--to', 'svg'], { files })).err).toContain(said);
    expect((await call(['compare', 'kfkb.pipe'], { files })).err).toContain(said.replace('--schedule', '--schedules'));
  });

  test('a file without a schedule takes built-in ones only', async () => {
    const given = { files: { '-': '// nothing\n' } };
    const { err, status } = await call(['simulate', '-', '--schedule', 'kfkb', ...shape], given);
    expect(err).toContain('Unknown policy "kfkb".');
    expect(status).toBe(2);
    expect((await call(['simulate', '-', '--schedule', '1f1b', ...shape], given)).out).toContain('33 s');
    expect((await call(['simulate', '-'], given)).err).not.toContain('--schedule');
  });

  test('a file with an error in the schedule reports that', async () => {
    const broken = { files: { '-': kfkb.replace('take(k,', 'tak(k,') } };
    const { status, out } = await call(['simulate', '-', '--schedule', 'kfkb', ...shape], broken);
    expect(out).toContain('Did you mean "take"?');
    expect(status).toBe(1);
  });
});

describe('compare', () => {
  test('rows of several schedules on one shape, with their units', async () => {
    const { out, status } = await call(
      ['compare', 'kfkb.pipe', '--schedules', 'kfkb, 1f1b, interleaved_1f1b', ...shape, '--format', 'json'],
      { files },
    );
    expect(status).toBe(0);
    const figures = JSON.parse(out).rows.map((row: { schedule: string; report: { iteration: number } }) => [
      row.schedule,
      row.report.iteration,
    ]);
    expect(figures).toEqual([
      ['kfkb', 33],
      ['1f1b', 33],
      ['interleaved_1f1b', 57],
    ]);
    const text = await call(['compare', 'kfkb.pipe', '--schedules', 'kfkb, interleaved_1f1b', ...shape], { files });
    expect(text.out).toContain('Unit times: ');
    expect(text.out).toContain('Rows have different numbers of stages');
    expect(text.out).toMatch(/8 activations/);
    expect(text.out).not.toMatch(/\d B\b/);
    const alike = await call(['compare', 'kfkb.pipe', '--schedule', 'kfkb', ...shape], { files });
    expect(alike.out).not.toContain('Rows have different numbers of stages');
  });

  test('a row that cannot run says why, and the others run', async () => {
    const { out, status } = await call(['compare', 'kfkb.pipe', '--schedules', 'kfkb, kfkb(k = 3), none', ...shape], {
      files,
    });
    expect(status).toBe(1);
    expect(out).toContain('kfkb(k = 3): schedule/shape: kfkb cannot run: it requires mod(microbatches, k) == 0');
    expect(out).toContain('none: schedule/shape: Unknown policy "none".');
    expect(out).toMatch(/^ {2}kfkb +33 s/m);
  });

  test('rules of exchange have nothing to exchange', async () => {
    const { err, status } = await call(['compare', 'kfkb.pipe', '--schedules', '1f1b', '--sync', 'ddp', ...shape], {
      files,
    });
    expect(err).toContain('which exchange no gradients');
    expect(status).toBe(2);
  });
});

test('export writes the order as a table of PyTorch', async () => {
  const { out, status } = await under('export', 'kfkb', '--to', 'torch-csv');
  expect(status).toBe(0);
  expect(out.split('\n')[3].trimEnd()).toBe(',,,3F0,3F1,3B0,3B1,3F2,3F3,3B2,3B3,3F4,3F5,3B4,3B5,3F6,3F7,3B6,3B7');
});

test('search finds the shortest order of a shape', async () => {
  const { out, status } = await under('search', 'kfkb');
  expect(status).toBe(0);
  // With a split backward, as ZB-H2: m (F + I + W) + (p - 1) F.
  expect(out).toContain('The order takes 27 s, 18.2 % shorter than kfkb (33 s).');
});
