import { expect, test } from 'vitest';
import { call } from './harness.ts';

const text = `model toy { layer block[2] { forward = 1ms  backward = 2ms  weights = 1MiB } }
device card { memory = 1GiB }
cluster box { gpu[2] = card  link = 10GB/s }
cluster crate { gpu[2] = card  link = 10GB/s }
pipeline first { model = toy  devices = box  microbatches = 1  stages = balance(2)  schedule = pipedream }
pipeline second { model = toy  devices = crate  microbatches = 1  stages = balance(2)  schedule = pipedream }
job all { workers = [first, second]  sync = wsp(distance = 1)  servers = 2  link = 1GB/s }
`;
const files = { 'a.pipe': text };

test('the text has the figures of the job after those of its pipelines', async () => {
  const { out, status } = await call(['simulate', 'a.pipe'], { files });
  expect(status).toBe(0);
  expect(out).toContain('wsp, distance 1 · 2 workers · waves of 2 minibatches · 32 waves');
  // N = 2: (1 + 1) · 2 + 2 − 2, and N − 1.
  expect(out).toContain('of 4 allowed; 1 of its worker');
  expect(out.indexOf('all  wsp')).toBeGreaterThan(out.indexOf('second  pipedream'));
});

test('under free the text and the JSON have the staleness that happens, and no bound', async () => {
  const free = { 'a.pipe': text.replace('wsp(distance = 1)', 'free').replace('  link = 1GB/s }', ' }') };
  const { out } = await call(['simulate', 'a.pipe'], { files: free });
  expect(out).toContain('free · 2 workers · waves of 2 minibatches · 32 waves');
  expect(out).toContain('updates of all other workers missed on average');
  expect(out).not.toContain('allowed');
  const [job] = JSON.parse((await call(['simulate', 'a.pipe', '--format', 'json'], { files: free })).out).jobs;
  // A minibatch each 3 ms for each of two workers.
  expect(job.throughput).toBeCloseTo(2 / 0.003, 6);
  expect(Object.keys(job.staleness)).toEqual(['local', 'mean', 'largest']);
  expect(job.distance).toBeUndefined();
});

test('under free an update that never reaches the servers is unknown staleness, with advice', async () => {
  const slow = { 'a.pipe': text.replace('wsp(distance = 1)', 'free').replace('1GB/s }', '1KB/s }') };
  const { out } = await call(['simulate', 'a.pipe'], { files: slow });
  expect(out).toMatch(/Staleness +unknown +no update reaches the servers in the last half; raise `waves`/);
});

test('the JSON report lists jobs, and not for one pipeline alone', async () => {
  const { out } = await call(['simulate', 'a.pipe', '--format', 'json'], { files });
  const [job] = JSON.parse(out).jobs;
  expect(job).toMatchObject({ name: 'all', distance: 1, wave: 2, staleness: { local: 1, bound: 4 } });
  // A wave of two minibatches of 3 ms; one wave ahead hides the 2 · 2 MiB over two links of 1 GB/s.
  expect(job.workers.map((worker: { period: number }) => Number(worker.period.toPrecision(6)))).toEqual([0.006, 0.006]);
  const alone = await call(['simulate', 'a.pipe', '--format', 'json', '--pipeline', 'first'], { files });
  expect(JSON.parse(alone.out).jobs).toEqual([]);
});
