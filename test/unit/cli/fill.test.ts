import { expect, test } from 'vitest';
import { share } from '../../../engine/basics/quantities.ts';
import { call, good } from './harness.ts';

const filled = good.replace('pipeline train {', 'pipeline train {\n  fill = training(toy)  fill_overhead = 1ms\n');
const reportOf = async (text: string) =>
  JSON.parse((await call(['simulate', 'a.pipe', '--format', 'json'], { files: { 'a.pipe': text } })).out).pipelines[0];

test('the text says what fills the bubble, as the report has it', async () => {
  const { fill } = await reportOf(filled);
  const { out } = await call(['simulate', 'a.pipe'], { files: { 'a.pipe': filled }, columns: 120 });
  expect(fill.tasks).toBeGreaterThan(0);
  expect(out).toContain(`${fill.tasks} tasks`);
  expect(out).toContain(`in ${share(fill.recovered)} of the idle time`);
  for (const device of fill.devices)
    expect(out).toContain(`${device.tasks} tasks in ${device.used} of ${device.intervals} intervals`);
});

test('the drawing shows tasks where the device idles, and only there', async () => {
  const rows = async (text: string) => {
    const { out } = await call(['simulate', 'a.pipe'], { files: { 'a.pipe': text }, columns: 120 });
    expect(out.includes('fill job')).toBe(text === filled);
    return out.split('\n').filter((line) => /^ +gpu\[\d\] +[F·+]/.test(line));
  };
  const [plain, full] = [await rows(good), await rows(filled)];
  expect(full.join('')).toContain('+');
  expect(full.map((row) => row.replaceAll('+', '·'))).toEqual(plain);
});

test('a report without a fill job is as before', async () => {
  expect(await reportOf(good)).not.toHaveProperty('fill');
  const { out } = await call(['simulate', 'a.pipe'], { files: { 'a.pipe': good } });
  expect(out).not.toContain('Fill');
});

test('a task that fits nowhere is named', async () => {
  const huge = `${filled.replace('training(toy)', 'huge')}model huge { layer all { forward = 100s  backward = 0s } }\n`;
  const { out } = await call(['simulate', 'a.pipe'], { files: { 'a.pipe': huge }, columns: 120 });
  expect(out).toContain('stops at all: 100 s, 0 B');
});

test('a model that is loaded while it runs has two lanes, transfers above computing', async () => {
  const text = `device gpu { memory = 16GiB }
cluster host { gpu[1] = gpu }
model net { layer block[4] { forward = 1ms  backward = 0ms  weights = 2MB } }
pipeline serve { model = net  devices = host  microbatches = 1  schedule = pipeswitch(bandwidth = 1GB/s, call = 0us, sync = 0us) }
`;
  const { out, status } = await call(['simulate', 'a.pipe'], { files: { 'a.pipe': text } });
  expect(status).toBe(0);
  const lanes = out.split('\n').filter((line) => /^ +gpu\[0\]( transfer)? +[F·]/.test(line));
  expect(lanes.map((line) => line.trim().split(/ {2}/)[0])).toEqual(['gpu[0] transfer', 'gpu[0]']);
  for (const format of ['torch-csv', 'torch-script']) {
    const refused = await call(['export', 'a.pipe', '--to', format], { files: { 'a.pipe': text } });
    expect([refused.status === 0, refused.err]).toEqual([false, expect.stringMatching(/backward/)]);
    expect(refused.out).toBe('');
  }
});
