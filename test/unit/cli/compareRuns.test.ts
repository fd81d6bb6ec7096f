/** `compare --with`: a plan next to a run of it. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { filesOf, folder } from '../runs/traces.ts';
import { call } from './harness.ts';

const plan = `model m { layer l[2] { forward = 7ms  backward = 12ms } }
device d { memory = 16GiB }
cluster c { gpu[2] = d  link = 1GB/s + 200us }
pipeline t { model = m  devices = c  microbatches = 8  stages = split(1, 1)  schedule = 1f1b }
`;
const files = filesOf('mlp_1f1b_p2').map((file) => path.join(folder, file));
const comparing = (...args: readonly string[]) =>
  call(['compare', 'plan.pipe', ...args], { disk: true, files: { 'plan.pipe': plan } });

test('says what differs, and why', async () => {
  const { status, out, err } = await comparing('--with', ...files);
  expect({ status, err }).toEqual({ status: 0, err: '' });
  expect(out).toMatch(/Iteration {2}planned [\d.]+ ms, measured 192\.3 ms, [+−][\d.]+ %/);
  expect(out).toContain('Order  as planned');
  expect(out).toMatch(/B of stage 1 +12 ms +13 ms/);
  expect(out).toContain('by rank  gpu[0]');
});

test('gives the same as data', async () => {
  const { out } = await comparing('--with', ...files, '--format', 'json');
  const { runs, stragglers } = JSON.parse(out) as {
    readonly runs: readonly [
      { readonly planned: number; readonly measured: number; readonly shares: Record<string, number> },
    ];
    readonly stragglers: { readonly slowdown: number };
  };
  const [{ planned, measured, shares }] = runs;
  expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(measured - planned, 9);
  expect(stragglers.slowdown).toBeGreaterThan(0.9);
});

test('says that the run has other replicas than the plan', async () => {
  const twice = plan.replace('gpu[2]', 'gpu[4]').replace('microbatches = 8', 'microbatches = 8  data = 2');
  const args = ['compare', 'plan.pipe', '--with', ...files];
  const { status, err } = await call(args, { disk: true, files: { 'plan.pipe': twice } });
  expect(status).toBe(0);
  expect(err).toContain('"t" has 2 replicas, and the traces are of 1 pipeline.');
});

test('refuses what is no plan, and no run of it', async () => {
  const other = filesOf('sleep_zbv_p4').map((file) => path.join(folder, file));
  expect((await comparing('--with', ...other)).err).toBe(
    'plan.pipe: the run does not match pipeline "t": the plan has 2 devices, and 4 ran.\n',
  );
  expect((await call(['compare', files[0], '--with', files[1]], { disk: true })).err).toContain('one .pipe file');
  expect((await comparing('--with', 'nothing.json')).err).toContain('nothing.json cannot be read');
});
