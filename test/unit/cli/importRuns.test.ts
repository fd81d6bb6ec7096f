/** `import` of the traces of a run, from real files. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { folder as recorded, filesOf } from '../runs/traces.ts';
import { call } from './harness.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'runs-'));
afterAll(() => rmSync(folder, { recursive: true }));
const files = (name: string) => filesOf(name).map((file) => path.join(recorded, file));
const importing = (...args: readonly string[]) => call(['import', ...args], { disk: true });

test('compressed traces become a file whose pipeline runs', async () => {
  const { status, out, err } = await importing(...files('mlp_1f1b_p2'));
  expect({ status, err }).toEqual({
    status: 0,
    err: 'The operations ran on CPUs: the trace has no work of a GPU.\n',
  });
  const simulated = await call(['simulate', 'run.pipe'], { files: { 'run.pipe': out } });
  expect(simulated.status).toBe(0);
  expect(simulated.out).toContain('order_that_ran · 2 devices · 8 microbatches · 32 operations');
});

test('a folder holds the traces of a run, in folders of its own', async () => {
  for (const [rank, file] of files('mlp_1f1b_p2').entries()) {
    const inner = path.join(folder, 'traces', `iteration_${rank}`);
    mkdirSync(inner, { recursive: true });
    writeFileSync(path.join(inner, `rank${rank}_trace.json`), gunzipSync(readFileSync(file)));
  }
  writeFileSync(path.join(folder, 'traces', 'plan.pipe'), '');
  const { status, out } = await importing(path.join(folder, 'traces'));
  expect(status).toBe(0);
  expect(out).toBe((await importing(...files('mlp_1f1b_p2'))).out);
});

test('a summary is read where traces are', async () => {
  const { files: written } = await importing(...files('mlp_1f1b_p2'), '--summary', 'run.json');
  const { status, out } = await call(['import', 'run.json'], { files: { 'run.json': written['run.json'] } });
  expect(status).toBe(0);
  expect(out).toContain('mean of 3 steps');
});

test('damage is told at its place, and nothing is written', async () => {
  const cut = path.join(folder, 'rank0.json.gz');
  writeFileSync(cut, readFileSync(files('mlp_1f1b_p2')[0]).subarray(0, 4000));
  const { status, out, err } = await importing(cut, files('mlp_1f1b_p2')[1]);
  expect({ status, out, err }).toEqual({
    status: 1,
    out: '',
    err: expect.stringMatching(/rank0\.json\.gz:\d+:1: The file is compressed, and cut off\.\n$/),
  });
  const text = gunzipSync(readFileSync(files('mlp_1f1b_p2')[0])).toString();
  const half = path.join(folder, 'rank0.json');
  writeFileSync(half, text.slice(0, -2000));
  const whole = await importing(half, files('mlp_1f1b_p2')[1]);
  expect(whole.status).toBe(1);
  expect(whole.err).toMatch(
    /rank0\.json:\d+:1: The file ends in the middle of the trace\. --partial reads it as far as it is whole\.\n/,
  );
  const partial = await importing(half, files('mlp_1f1b_p2')[1], '--partial');
  expect(partial.status).toBe(0);
  expect(partial.out).toContain('pipeline run {');
  expect(partial.err).not.toContain('--partial');
  const other = path.join(folder, 'other.json.gz');
  writeFileSync(other, gzipSync('hi'));
  expect((await importing(other)).err).toContain(`${other}:1:1: This is no trace of a run`);
});

test('a compressed trace that is cut off is read as far as it is whole', async () => {
  const [first, second] = files('mlp_1f1b_p2');
  const bytes = readFileSync(first);
  const cut = path.join(folder, 'cut_rank0.json.gz');
  let most = 0;
  for (const share of [0.6, 0.8, 0.98]) {
    writeFileSync(cut, bytes.subarray(0, Math.trunc(share * bytes.length)));
    const refused = await importing(cut, second);
    expect(refused.status).toBe(1);
    expect(refused.err).toMatch(
      /: The file is compressed, and cut off\. --partial reads it as far as it is whole\.\n$/,
    );
    const partial = await importing(cut, second, '--partial', '--summary', 'run.json');
    expect(partial.err).toContain('cut_rank0.json.gz:');
    if (partial.status !== 0) continue;
    const { pipelines } = JSON.parse(partial.files['run.json']) as { pipelines: [{ steps: readonly object[] }] };
    expect(pipelines[0].steps.length).toBeGreaterThanOrEqual(most);
    most = pipelines[0].steps.length;
  }
  // All steps but the last are whole.
  expect(most).toBe(3);
  // Damage in the middle is no end.
  writeFileSync(
    cut,
    bytes.map((byte, at) => (at === 3000 ? byte ^ 0xff : byte)),
  );
  expect((await importing(cut, second, '--partial')).err).toContain('it is compressed, and damaged');
});

test('one trace under two names is named as such', async () => {
  const [zero, one] = files('mlp_1f1b_p2');
  const copy = path.join(folder, 'copy_rank0.json.gz');
  writeFileSync(copy, readFileSync(zero));
  const { status, out, err } = await importing(zero, copy, one);
  expect({ status, out }).toEqual({ status: 1, out: '' });
  expect(err).toContain(`${copy}:1:1: This is a trace of rank 0, as is ${zero}, and both ran at the same time`);
});

test('--ranks takes those of one pipeline, and wrong options are told', async () => {
  const [zero, one] = files('mlp_1f1b_p2');
  const text = gunzipSync(readFileSync(one)).toString().replace('"rank": 1', '"rank": 3');
  const twin = path.join(folder, 'twin.json');
  writeFileSync(twin, text);
  expect((await importing(zero, one, twin)).err).toContain('Stage 1 ran on rank 1 and on rank 3.');
  expect((await importing(zero, one, twin, '--ranks', '0,3')).out).toContain('2 ranks (0, 3)');
  expect((await importing(zero, one, '--ranks', '0;1')).err).toContain(
    '--ranks takes numbers separated by commas, such as 0,2,4',
  );
  expect((await importing(zero, one, '--skip', 'all')).err).toContain('--skip takes a number of steps');
  expect((await importing(zero, one, '--ranks', '8')).err).toContain('The run has no rank 8. It has ranks 0 and 1.');
  expect((await importing(zero, one, '--skip', '99')).err).toMatch(/--skip 99 leaves no step: the run has \d+ steps\./);
});
