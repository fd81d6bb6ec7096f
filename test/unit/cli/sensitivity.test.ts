import { expect, test } from 'vitest';
import { call } from './harness.ts';

const file = `
model m { layer l[4] { forward = 1ms  backward = 2ms } }
device d { memory = 1GiB }
cluster c { gpu[2] = d  link = 1GB/s }
pipeline train { model = m  devices = c  microbatches = 8  stages = balance(2)  schedule = 1f1b  slow(device = 1) = 1.5 }
`;
const run = (...args: readonly string[]) =>
  call(['simulate', 'a.pipe', '--sensitivity', ...args], { files: { 'a.pipe': file } });

test('simulate --sensitivity adds the effect of each part to the report', async () => {
  const { out } = await run('--format', 'json');
  const { pipelines } = JSON.parse(out) as {
    pipelines: { iteration: number; sensitivity: { stages: object[]; slowdown: { slowdown: number } } }[];
  };
  const [{ iteration, sensitivity }] = pipelines;
  // F + B = 6 ms, and 9 ms on the slow device: 6 + 8 · 9.
  expect(iteration).toBeCloseTo(0.078, 12);
  expect(sensitivity).toMatchObject({ change: 0.1, devices: [{ name: 'gpu[0]' }, { name: 'gpu[1]' }] });
  // The ideal iteration has 7.5 ms in both stages: 9 · 7.5.
  expect(sensitivity.slowdown.slowdown).toBeCloseTo(78 / 67.5, 9);
});

test('without it the report has no such field', async () => {
  const { out } = await call(['simulate', 'a.pipe', '--format', 'json'], { files: { 'a.pipe': file } });
  expect(out).not.toContain('"sensitivity"');
});

test('its tables say what is longer and shorter, and by which factor', async () => {
  const { out } = await run();
  expect(out).toMatch(/s1 +−\S+ ms +█+ +█+ +\+7\.2 ms/);
  expect(out).toMatch(/S +1\.156 +over 67\.5 ms/);
  // With 7.5 ms in the last stage: 6 + 8 · 7.5 = 66 ms.
  expect(out).toMatch(/M_S +114(\.3)? % +of the slowdown is due to the last stage: it would go if/);
});

test.each([['csv'], ['svg'], ['trace']])('is refused for %s', async (format) => {
  const { err } = await run('--format', format);
  expect(err).toContain('--sensitivity is for --format text and json');
});

test('small effects are counted, and a stage has its slack', async () => {
  const { out } = await run();
  // Nothing is sent, so the link has no effect.
  expect(out).toContain('  1 other: under 0.1 % of the iteration\n');
  // 6 ms in the first stage, 9 ms in the second one.
  expect(out).toMatch(/s0 .*slack 3 ms per microbatch/);
  expect(out).not.toMatch(/s1 .*slack/);
  // A device with one stage has the row of the stage.
  expect(out).not.toMatch(/gpu\[0\] +−/);
});
