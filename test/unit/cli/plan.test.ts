import { expect, test } from 'vitest';
import { exampleText } from '../../support/example.ts';
import { call } from './harness.ts';

const text = (stages: string): string => `model net {
  layer conv[6] { forward = 1ms  backward = 2ms  weights = 4MB  output = 1KB }
  layer top[2] { forward = 1ms  backward = 2ms  weights = 256MB  output = 1KB }
}
device gpu { memory = 80GiB }
cluster c { gpu[4] = gpu  link = 50GB/s }
pipeline train { model = net  devices = c  microbatches = 1  stages = ${stages}  schedule = pipedream(in_flight = 3) }
`;
const simulated = async (stages: string, ...more: readonly string[]) =>
  (await call(['simulate', 'a.pipe', ...more], { files: { 'a.pipe': text(stages) }, columns: 120 })).out;

test('the text and the JSON say what the planner decided, and what the simulation makes of it', async () => {
  const [report] = JSON.parse(await simulated('plan(pipedream)', '--format', 'json')).pipelines;
  // 18 ms on three devices, 6 ms on one.
  expect(report.plan).toEqual({
    planner: 'pipedream',
    objective: 'paper',
    value: expect.closeTo(6e-3, 12),
    least: report.plan.value,
    exact: true,
    levels: [{ machines: 4, bandwidth: 50e9 }],
    stages: [
      {
        name: 's0',
        layers: ['conv[0]', 'conv[1]', 'conv[2]', 'conv[3]', 'conv[4]', 'conv[5]'],
        replicas: 3,
        devices: ['gpu[0]', 'gpu[1]', 'gpu[2]'],
      },
      { name: 's1', layers: ['top[0]', 'top[1]'], replicas: 1, devices: ['gpu[3]'] },
    ],
  });
  const out = await simulated('plan(pipedream)');
  const lines = out.split('\n').map((line) => line.trim().replace(/ {2,}/g, ' | '));
  const at = lines.indexOf('Plan');
  expect(lines.slice(at + 1, at + 5)).toEqual([
    `pipedream, paper | planned 6 ms, simulated ${Number((report.iteration * 1e3).toPrecision(3))} ms | by its formula no plan takes less`,
    'levels | 4 at 50 GB/s',
    's0 | 6 layers × 3 replicas | gpu[0], gpu[1] and gpu[2]',
    's1 | 2 layers × 1 replica | gpu[3]',
  ]);
});

test('stages that the file says have no plan', async () => {
  expect(JSON.parse(await simulated('balance(4)', '--format', 'json')).pipelines[0]).not.toHaveProperty('plan');
  expect(await simulated('balance(4)')).not.toContain('Plan\n');
});

test('a plan of Alpa says the ranks of each stage, and no schedule is named that it cannot plan for', async () => {
  const text = exampleText('planners.pipe');
  const { out } = await call(['simulate', 'a.pipe', '--pipeline', 'alpa'], { files: { 'a.pipe': text }, columns: 160 });
  const lines = out.split('\n').map((line) => line.trim().replace(/ {2,}/g, ' | '));
  expect(lines).toContain('s1 | 19 layers × tensor 4, data 2 | node[0].gpu[0] … node[0].gpu[7] (8)');
  expect(lines.filter((line) => line.startsWith('levels'))).toEqual([]);
  const checked = await call(['check', 'a.pipe', '--format', 'json'], { files: { 'a.pipe': text } });
  const [{ findings }] = JSON.parse(checked.out).files;
  const line = text
    .split('\n')
    .findIndex((row, at, all) => row.includes('schedule') && all.slice(0, at).includes('pipeline alpa {'));
  const bubble = findings.find(
    (each: { code: string; range: { start: { line: number } } }) =>
      each.code === 'schedule/bubble' && each.range.start.line === line,
  );
  expect(bubble?.message).toContain('Under eager_1f1b');
  expect(bubble?.message).not.toContain('Under zb_h1');
});
