import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/host.ts';
import { analyse } from '../../support/analyse.ts';

const findingsOf = (text: string, findings: number) =>
  analyse(text, { options: { ...defaultOptions, limits: { ...defaultOptions.limits, findings } } }).findings;

it('of 100,000 mistakes the first are shown, and that there are more, with the setting', () => {
  const found = findingsOf('model m {\n  layer a { forward = }\n}\n'.repeat(100_000 / 4), 50);
  expect(found).toHaveLength(50);
  expect(found[0]).toMatchObject({ code: 'limit/too-large', severity: 'information', place: { start: 0, end: 0 } });
  expect(found[0].message).toBe(
    'This file has at least 50 findings; the 49 most severe are shown. Fix these first, or raise the setting "pipewright.limits.findings" in an editor.',
  );
  expect(found.slice(1).every((finding) => finding.severity === 'error')).toBe(true);
});

it('an error is not lost behind hints that stand before it', () => {
  const unused = Array.from({ length: 30 }, (_, index) => `let unused_${index} = ${index}\n`).join('');
  const text = `${unused}device d { memory = 16GiB }\ncluster c { gpu[2] = d  link = 1GB/s }
model m { layer a[2] { forward = 1ms  backward = 2ms } }
pipeline p { model = m  devices = c  microbatches = 2  stages = balance(2)  schedule = 1f1b }
expect p { bubble < 1% }\n`;
  const found = findingsOf(text, 40);
  expect(found.map((finding) => finding.code)).toContain('expect/failed');
  const tight = findingsOf(text, 31);
  expect(tight).toHaveLength(31);
  expect(tight.map((finding) => finding.code)).toContain('expect/failed');
});

it('nothing is left out below the limit', () => {
  expect(findingsOf('let a = 1\nlet a = 2\n', 3).map((finding) => finding.code)).not.toContain('limit/too-large');
});

describe('one mistake of several devices', () => {
  const full = (devices: number, memory: string) =>
    findingsOf(
      `device d { memory = ${memory} }\ncluster c { gpu[${devices}] = d  link = 100GB/s }
model m { layer a[${devices}] { forward = 1ms  backward = 2ms  activation = 1GiB } }
pipeline p { model = m  devices = c  microbatches = ${devices}  stages = balance(${devices})  schedule = gpipe }\n`,
      1000,
    ).filter(({ code }) => code === 'memory/out-of-memory');

  it('is one finding of the first, that names the others where they are few', () => {
    expect(full(1, '512MiB').map(({ message }) => message.includes('this problem'))).toEqual([false]);
    for (const [devices, words] of [
      [2, '(gpu[1] has this problem too.)'],
      [3, '(gpu[1] and gpu[2] have this problem too.)'],
      [4, '(gpu[1], gpu[2] and gpu[3] have this problem too.)'],
      [5, '(gpu[1] and 3 more devices have this problem too.)'],
      [8, '(gpu[1] and 6 more devices have this problem too.)'],
    ] as const) {
      const found = full(devices, '512MiB');
      expect(found).toHaveLength(1);
      expect(found[0].message).toMatch(/of gpu\[0\]: /);
      expect(found[0].message.endsWith(` ${words}`), found[0].message).toBe(true);
    }
  });
});
