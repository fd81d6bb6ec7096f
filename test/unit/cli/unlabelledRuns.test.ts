/** Traces that name no operation, as those of Megatron-LM and FSDP: whole iterations, and what to add. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { readDigest } from '../../../platform/node/runs/digest.ts';
import { byteStream } from '../../../platform/node/runs/byteStream.ts';
import { filesIn } from '../../../platform/node/runs/filesIn.ts';
import { readRunSummary } from '../../../platform/node/runs/runSummary.ts';
import { filesOf, folder } from '../runs/traces.ts';
import { call } from './harness.ts';

const plan = `model m { layer l[2] { forward = 8ms  backward = 16ms } }
device d { memory = 16GiB }
cluster c { gpu[2] = d  link = 1GB/s + 200us }
pipeline t { model = m  devices = c  microbatches = 8  stages = split(1, 1)  schedule = 1f1b }
`;

interface Step {
  readonly number: number;
  readonly from: number;
  readonly length: number;
}

/** A rank whose kernels send and receive, without a label: microseconds. */
const traceOf = (rank: number, steps: readonly Step[]): string =>
  JSON.stringify({
    distributedInfo: { rank },
    traceEvents: steps.flatMap(({ number, from, length }) => [
      { ph: 'X', pid: 1, tid: 1, cat: 'user_annotation', name: `ProfilerStep#${number}`, ts: from, dur: length },
      {
        ph: 'X',
        pid: 1,
        tid: 1,
        cat: 'cuda_runtime',
        name: 'cudaLaunchKernel',
        ts: from + 1,
        dur: 1,
        args: { correlation: number },
      },
      {
        ph: 'X',
        pid: 0,
        tid: 7,
        cat: 'kernel',
        name: 'ncclDevKernel_SendRecv',
        ts: from + 9,
        dur: 40,
        args: { correlation: number },
      },
      { ph: 'X', pid: 1, tid: 1, cat: 'cpu_op', name: 'Optimizer.step#AdamW.step', ts: from + 100, dur: 2000 },
    ]),
  });
/** The host ends its last step early: it only launches. */
const steps = (...starts: readonly number[]): readonly Step[] =>
  starts.map((from, at) => ({ number: at + 3, from, length: at === starts.length - 1 ? 500 : 90_000 }));
const files = {
  'plan.pipe': plan,
  'rank0.json': traceOf(0, steps(0, 300_000, 500_000, 710_000)),
  'rank1.json': traceOf(1, steps(1000, 301_000, 499_000, 711_000)),
};
const runs = ['rank0.json', 'rank1.json'];

test('compare has whole iterations from start to start, and says what to add', async () => {
  const { status, out, err } = await call(['compare', 'plan.pipe', '--with', ...runs], { files });
  expect({ status, err }).toEqual({ status: 0, err: '' });
  // Steps of 200 and 210, and of 198 and 212 ms; the first one is left out, and the last has no end.
  expect(out).toContain('next to the traces of 2 ranks, mean of 2 steps, with the optimizer’s step');
  expect(out).toContain('measured 205 ms');
  expect(out).toContain('optimizer 2 ms');
  expect(out).toContain('`with torch.profiler.record_function(f"PP:{stage}F{microbatch}"):` around each forward');
  expect(out).not.toContain('The logs have');
});

test('compare says that a run has fewer ranks than the plan', async () => {
  const { status, err } = await call(['compare', 'plan.pipe', '--with', 'rank0.json'], { files });
  expect(status).toBe(0);
  expect(err).toBe('plan.pipe: "t" has 2 devices, and the run has 1 rank: name the files of all ranks.\n');
});

test.each(['import', 'calibrate'])('%s makes up no operation', async (command) => {
  const args = command === 'import' ? ['import', ...runs] : ['calibrate', 'plan.pipe', '--with', ...runs];
  const { status, out, err } = await call(args, { files });
  expect({ status, out }).toEqual({ status: 1, out: '' });
  expect(err).toMatch(
    /^rank0\.json:1:1: The trace names no operation of a pipeline: no slice is called "PP:0F0"\. [^\n]*\n$/,
  );
});

test('ranks with labels do not make up for a rank without', async () => {
  const labelled = filesOf('mlp_1f1b_p2').map((file) => path.join(folder, file));
  const native = filesOf('native_schedule1f1b_p2').map((file) => path.join(folder, file));
  const { status, err } = await call(['import', labelled[0], native[1]], { disk: true });
  expect(status).toBe(1);
  expect(err).toContain(`${native[1]}:1:1: The trace names no operation`);
  // A single rank of a pipeline is chosen as usual.
  expect((await call(['import', labelled[0], native[1], '--ranks', '0'], { disk: true })).err).not.toContain(native[1]);
});

test('a trace with a single step has no whole iteration', async () => {
  const one = { ...files, 'rank0.json': traceOf(0, steps(0)) };
  const { status, out, err } = await call(['compare', 'plan.pipe', '--with', 'rank0.json'], { files: one });
  expect({ status, out }).toEqual({ status: 1, out: '' });
  expect(err).toContain('rank0.json:1:1: The trace names no operation');
});

test('the editor and a file that names such a run', async () => {
  const [file] = filesOf('native_schedule1f1b_p2').map((name) => path.join(folder, name));
  const read = await readRunSummary({ paths: [file], skip: 1, partial: false }, () => {});
  expect(read).toMatchObject({ problem: expect.stringContaining('names no operation') });
  const digest = await readDigest(file, [], { openBytes: byteStream, filesIn }, () => ({ tick() {}, end() {} }));
  expect(digest).toMatchObject({ runs: [{ ranks: [0], iterations: [expect.any(Number)] }] });
});
