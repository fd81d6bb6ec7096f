/** `--ranks`: one pipeline of a run, whatever recorded it. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesOf, folder } from '../runs/traces.ts';
import { call } from './harness.ts';

const plan = `model m { layer l[4] { forward = 60ms  backward = 140ms } }
device d { memory = 80GiB }
cluster c { gpu[4] = d  link = 100GB/s + 400us }
pipeline t { model = m  devices = c  microbatches = 4  stages = split(1, 1, 1, 1)  schedule = 1f1b }
`;
const timeline = path.join(folder, 'straggler/timeline-ST.json.gz');
const world = { disk: true, files: { 'plan.pipe': plan } } as const;
const under = (command: string, ranks: string, ...runs: readonly string[]) =>
  call([command, 'plan.pipe', '--with', ...runs, '--ranks', ranks], world);

describe('a timeline of two pipelines', () => {
  test('each is calibrated and compared by its ranks', async () => {
    for (const [ranks, measured] of [
      ['0,2,4,6', 'measured 2.005 s'],
      ['7,5,3,1', 'measured 2.014 s'],
    ]) {
      const calibrated = await under('calibrate', ranks, timeline);
      expect(calibrated.status).toBe(0);
      expect(calibrated.err).toContain(measured);
      const { out } = await under('compare', ranks, timeline);
      expect(out).toContain(measured);
      expect(out.match(/next to ranks/g)).toHaveLength(1);
      expect(out).not.toContain('by replica');
    }
    const { out } = await call(['import', timeline, '--ranks', '1,3,5,7'], world);
    expect(out).toContain('4 ranks (1, 3, 5, 7)');
    expect(out.match(/^pipeline /gm)).toHaveLength(1);
  });

  test.each([
    [
      '0,1,2',
      'Rank 0 is in the pipeline of ranks 0, 2, 4 and 6, and ranks 4 and 6 are not named. Name all ranks of a pipeline: 0,2,4,6.',
    ],
    ['1,3,5', 'and rank 7 is not named.'],
    ['0,2,4,9', 'The run has no rank 9. It has ranks 0, 1, 2, 3, 4, 5, 6 and 7.'],
  ])('%s is no pipeline of it', async (ranks, problem) => {
    for (const command of ['calibrate', 'compare']) {
      const { status, out, err } = await under(command, ranks, timeline);
      expect({ status, out }).toEqual({ status: 2, out: '' });
      expect(err).toContain(problem);
    }
  });

  test('its summary has the same ranks', async () => {
    const { files } = await call(['import', timeline, '--summary', 'run.json'], world);
    const summary = { files: { 'plan.pipe': plan, 'run.json': files['run.json'] } };
    const chosen = await call(['calibrate', 'plan.pipe', '--with', 'run.json', '--ranks', '1,3,5,7'], summary);
    expect(chosen.err).toContain('measured 2.014 s');
  });
});

test('a file that names a run chooses by the same rule', async () => {
  const measured = (ranks: string) =>
    plan.replace('schedule = 1f1b', `schedule = 1f1b  measured = trace("${timeline}"${ranks})`);
  const checked = (ranks: string) =>
    call(['check', 'plan.pipe'], { disk: true, files: { 'plan.pipe': measured(ranks) } });
  expect((await checked(', ranks = [0, 2, 4, 6]')).err).not.toContain('pipeline of ranks');
  const { out, err } = await checked(', ranks = [0, 2]');
  expect(out + err).toContain('Rank 0 is in the pipeline of ranks 0, 2, 4 and 6');
});

test('traces without groups: the named ranks form a pipeline', async () => {
  const files = filesOf('sleep_1f1b_p4').map((file) => path.join(folder, file));
  const { out } = await call(['import', ...files, '--ranks', '0,1,2,3'], world);
  expect(out).toContain('4 ranks (0, 1, 2, 3)');
  const { status, err } = await call(['import', ...files, '--ranks', '0,1,3'], world);
  expect(status).toBe(1);
  expect(err).toContain('No trace has stage 2, but stage 3 ran.');
});

describe('timers of Megatron-LM', () => {
  const times = (values: readonly number[]) =>
    values.map((value, rank) => `     rank  ${rank}: ${value}.00`).join('\n');
  const log = (head: string) =>
    `${head}times across ranks (ms):\n  forward-compute:\n${times([40, 80, 120, 160])}\n  backward-compute:\n${times([80, 160, 240, 320])}\n`;
  const imported = (text: string, ranks: string) =>
    call(['import', 'train.log', '--ranks', ranks], { files: { 'train.log': text } });
  const known = log('  pipeline_model_parallel_size .................... 2\n');

  test('ranks of a pipeline are one of each stage', async () => {
    const { out } = await imported(known, '1,3');
    expect(out).toContain('layer stage0 { forward = 80ms / microbatches');
    expect(out).toContain('layer stage1 { forward = 160ms / microbatches');
    expect(out).not.toContain('mean time');
    expect((await imported(known, '0,1')).err).toContain('train.log:1:1: Rank 0 is in the pipeline of ranks 0 and 2');
  });

  test('without the size of the pipeline, the named ranks are its stages', async () => {
    const { out } = await imported(log(''), '0,3');
    expect(out).toContain('layer stage1 { forward = 160ms / microbatches');
    expect(out).not.toContain('stage2');
    expect((await imported(log(''), '9')).err).toContain('The run has no rank 9. It has ranks 0, 1, 2 and 3.');
  });
});

test('timers of DeepSpeed are of rank 0', async () => {
  const timers = '[Rank 0] time (ms) | fwd_microstep: 57.36 | bwd_microstep: 84.89';
  const files = { 'train.log': `${timers}\nsteps: 1 loss: 1.0000 iter time (s): 0.189 samples/sec: 42.253\n` };
  expect((await call(['import', 'train.log', '--ranks', '0'], { files })).out).toContain('forward = 57.36ms');
  expect((await call(['import', 'train.log', '--ranks', '1'], { files })).err).toContain('It has rank 0.');
});

test('tables of Nsight Systems', async () => {
  const table = (stage: number) => `Start (ns),End (ns),Name,PID,TID
1000,9000,":PP:${stage}F0",7,7
20000,29000,":PP:${stage}B0",7,7

API Start (ns),Kernel Start (ns),Kernel Dur (ns),PID,TID,Kernel Name
2000,100000,40000,7,8,"gemm"
21000,200000,5000,7,8,"gemm"
`;
  const files = { 'rank0.csv': table(0), 'rank1.csv': table(1), 'rank2.csv': table(1) };
  const imported = (ranks: string) => call(['import', ...Object.keys(files), '--ranks', ranks], { files });
  expect((await imported('0,2')).out).toContain('2 ranks (0, 2)');
  expect((await imported('0,7')).err).toContain('The run has no rank 7. It has ranks 0, 1 and 2.');
});
