import { expect, it } from 'vitest';
import { check } from '../../../engine/check.ts';
import { defaultOptions, type EngineHost } from '../../../engine/host.ts';

const host: EngineHost = { read: () => ({ problem: 'not-found' }), resolve: (path) => path };
const findingsOf = (text: string, findings: number) =>
  check({
    uri: 'file:///a.pipe',
    text,
    host,
    options: { ...defaultOptions, limits: { ...defaultOptions.limits, findings } },
  }).findings;

it('of 100,000 mistakes the first are shown, and that there are more, with the setting', () => {
  const found = findingsOf('model m {\n  layer a { forward = }\n}\n'.repeat(100_000 / 4), 50);
  expect(found).toHaveLength(50);
  expect(found[0]).toMatchObject({ code: 'limit/too-large', severity: 'information', place: { start: 0, end: 0 } });
  expect(found[0].message).toContain('pipewright.limits.findings');
  expect(found.slice(1).every((one) => one.severity === 'error')).toBe(true);
});

it('an error is not lost behind hints that stand before it', () => {
  const unused = Array.from({ length: 30 }, (_, index) => `let unused_${index} = ${index}\n`).join('');
  const text = `${unused}device d { memory = 16GiB }\ncluster c { gpu[2] = d  link = 1GB/s }
model m { layer a[2] { forward = 1ms  backward = 2ms } }
pipeline p { model = m  devices = c  microbatches = 2  stages = balance(2)  schedule = 1f1b }
expect p { bubble < 1% }\n`;
  const found = findingsOf(text, 40);
  expect(found.map((one) => one.code)).toContain('expect/failed');
  const tight = findingsOf(text, 31);
  expect(tight).toHaveLength(31);
  expect(tight.map((one) => one.code)).toContain('expect/failed');
});

it('nothing is left out below the limit', () => {
  expect(findingsOf('let a = 1\nlet a = 2\n', 3).map((one) => one.code)).not.toContain('limit/too-large');
});
