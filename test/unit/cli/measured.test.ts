/** `check` and `simulate` of a file that names a recorded run. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { filesOf, folder } from '../runs/traces.ts';
import { call } from './harness.ts';

const plan = (measured: string, expected: string): string =>
  `model m { layer l[2] { forward = 7ms  backward = 12ms } }
device d { memory = 16GiB }
cluster c { gpu[2] = d  link = 1GB/s + 200us }
pipeline t { model = m  devices = c  microbatches = 8  stages = split(1, 1)  schedule = 1f1b  measured = ${measured} }
expect t { ${expected} }
`;
const summary = async (): Promise<string> => {
  const files = filesOf('mlp_1f1b_p2').map((file) => path.join(folder, file));
  return (await call(['import', ...files, '--summary', 'run.json'], { disk: true })).files['run.json'];
};

test('shows the drift, and checks what is expected of it', async () => {
  const run = await summary();
  const calling = (command: string, expected: string, ...more: readonly string[]) =>
    call([command, 'plan.pipe', ...more], {
      files: { 'plan.pipe': plan('trace("run.json")', expected), 'run.json': run },
    });
  const { out } = await calling('simulate', 'drift < 20%', '--format', 'json');
  const { measured } = (
    JSON.parse(out) as {
      pipelines: { measured: { simulated: number; drift: number; runs: { iteration: number }[] } }[];
    }
  ).pipelines[0];
  expect(measured.runs[0].iteration).toBeCloseTo(0.1923, 4);
  expect(measured.drift).toBeCloseTo(measured.runs[0].iteration / measured.simulated - 1, 12);
  expect((await calling('simulate', 'drift < 20%')).out).toMatch(/measured 192\.3 ms, \+[\d.]+ %: mean of 3 steps/);
  expect((await calling('check', 'drift < 20%')).status).toBe(0);
  const failed = await calling('check', 'drift < 1%');
  expect(failed.status).toBe(1);
  expect(failed.out).toMatch(/Expected drift < 1%, but it is [\d.]+ %\./);
  // Fixes of other findings are tried without the run, and the file is checked with it again.
  expect((await calling('check', 'drift < 1%', '--fix')).status).toBe(1);
});

test('a run that is not there is a warning, and so is one outside the project', async () => {
  const of = async (measured: string) => {
    const files = { 'plan.pipe': plan(measured, 'bubble < 90%') };
    const { status, out } = await call(['check', 'plan.pipe'], { files });
    return [status, /so there is no drift: (.*)/.exec(out)?.[1]];
  };
  expect(await of('trace("nothing")')).toEqual([0, expect.stringContaining('there is no such file or folder')]);
  expect(await of('trace("/elsewhere/run.json")')).toEqual([0, expect.stringContaining('it is outside the project')]);
});

test('damage is told with its file, line and column', async () => {
  const files = { 'plan.pipe': plan('trace("run.json")', 'bubble < 90%'), 'run.json': '{"traceEvents": [ 7 ]}' };
  expect((await call(['check', 'plan.pipe'], { files })).out).toContain(
    'so there is no drift: run.json, line 1, column 19: Expected an event, which begins with "{".',
  );
});
