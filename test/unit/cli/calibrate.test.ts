/** `calibrate`: a plan with the times of a run of it. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { filesOf, folder } from '../runs/traces.ts';
import { call } from './harness.ts';

const plan = (first: string) => `model m {
  layer a { forward = ${first}  backward = 12ms }
  layer b { forward = 7ms  backward = 12ms }
}
device d { memory = 16GiB }
cluster c { gpu[2] = d  link = 1GB/s + 200us }
pipeline t { model = m  devices = c  microbatches = 8  stages = split(1, 1)  schedule = 1f1b }
`;
const files = filesOf('mlp_1f1b_p2').map((file) => path.join(folder, file));
const calibrating = (text: string, ...args: readonly string[]) =>
  call(['calibrate', 'plan.pipe', ...args], { disk: true, files: { 'plan.pipe': text } });

test('writes the file with measured times, and says how accurate it is', async () => {
  const { status, out, err } = await calibrating(plan('20ms'), '--with', ...files);
  expect(status).toBe(0);
  expect(out).toMatch(/forward {2}= 7\.\d+ms +\/\/ n = 24, was 20ms/);
  expect(err).toMatch(
    /planned [\d.]+ ms \(drift −27 %\), measured 192\.3 ms, calibrated 18\d\.\d ms \(drift \+\d(\.\d)? %\)/,
  );
  expect(err).toContain('Drift of each step from the times of the others:');
  const again = await call(['simulate', 'run.pipe'], { files: { 'run.pipe': out } });
  expect(again.status).toBe(0);
});

test('refuses what the run does not tell', async () => {
  const elsewhere = plan('7ms').replace('model m {', 'model n {').replace('model = m', 'model = n');
  expect((await calibrating(elsewhere.replace('1f1b', 'gpipe'), '--with', ...files)).status).toBe(0);
  const other = filesOf('sleep_zbv_p4').map((file) => path.join(folder, file));
  const refused = await calibrating(plan('7ms'), '--with', ...other);
  expect(refused).toMatchObject({ status: 1, out: '' });
  expect(refused.err).toContain(
    'cannot be calibrated: the run does not match the pipeline: the plan has 2 devices, and 4 ran.',
  );
  expect((await calibrating(plan('7ms'))).err).toContain('It needs one .pipe file, and the traces of a run of it');
});
