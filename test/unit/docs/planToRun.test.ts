/** The page on a plan and its run: what it writes can be read, and what it calls exists. `test/torch/measured.test.ts` runs its plan with PyTorch. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../cli/harness.ts';
import { blocks, textOf } from './pages.ts';

const page = textOf('docs/do/from-plan-to-run.md');
const [plan] = blocks(page, 'pipe');
const files = { 'plan.pipe': plan };
/** Words of the calls of the page, by command; `compare` and `calibrate` read a folder of traces. */
const calls = new Map(
  [...page.matchAll(/^(?:`|)pipewright (\w+) ([^>`\n]*)|`pipewright (import) ([^`]*)`/gm)].map(
    ([, command, words, inText, more]) => [command ?? inText, (words ?? more).trim().split(' ')] as const,
  ),
);

let traces = '';
beforeAll(async () => {
  traces = mkdtempSync(join(tmpdir(), 'pipewright-traces-'));
  // A trace of the plan itself is read as one of a run.
  const { out } = await call(['export', 'plan.pipe', '--to', 'trace'], { files });
  writeFileSync(join(traces, 'rank0.json'), out);
});
afterAll(() => rmSync(traces, { recursive: true, force: true }));

const run = (command: string) =>
  call([command, ...(calls.get(command) ?? ['a missing call']).map((word) => (word === 'traces' ? traces : word))], {
    disk: true,
    files,
  });

test('each call of the page is one that its reader can make', async () => {
  expect([...calls.keys()]).toEqual(['simulate', 'export', 'compare', 'calibrate', 'import']);
  expect(await run('simulate')).toMatchObject({ status: 0, err: '' });
  const compared = await run('compare');
  expect(compared).toMatchObject({ status: 0, err: '' });
  // Rows that the page explains.
  for (const row of ['times of operations', 'hosts between operations', 'messages', 'variation', 'not explained'])
    expect(compared.out).toContain(row);
  const summary = await run('import');
  expect(summary).toMatchObject({ status: 0 });
  // One step of four microbatches says too little, and which more are needed.
  expect((await run('calibrate')).err).toContain('5 are needed for a mean: record more steps.');
});

test('the program that it exports has the options that it uses', async () => {
  const { status, out } = await run('export');
  expect(status).toBe(0);
  const [started] = page.match(/^torchrun .*$/m) ?? [];
  const options = [...(started ?? '').replace('--nproc-per-node', '').matchAll(/--[\w-]+/g)].map(([option]) => option);
  expect(options).toEqual(['--model', '--steps', '--profile']);
  for (const option of options) expect(out).toContain(`"${option}"`);
  expect(started).toContain(`--nproc-per-node ${/gpu\[(\d+)\]/.exec(plan)?.[1]} `);
});

test('a summary of the run is read in place of its traces', async () => {
  const { files: after } = await run('import');
  const { status, out } = await call(['compare', 'plan.pipe', '--with', 'run.json'], { files: { ...files, ...after } });
  expect({ status, out }).toEqual({ status: 0, out: (await run('compare')).out });
});
