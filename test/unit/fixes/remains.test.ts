/** A finding is gone only if no finding with its code is left of its pipeline, its device or link, and its expectation. */
import { expect, test } from 'vitest';
import { remains } from '../../../engine/fixes/remains.ts';
import { analyse, codesOf } from '../../support/analyse.ts';
import { pipe } from './file.ts';

const keys = (name: string, schedule: string): string =>
  `pipeline ${name} { model = toy  devices = box  microbatches = 8  stages = balance(4)  schedule = ${schedule} }\n`;
const found = (text: string, code: string, at: number) => {
  const analysis = analyse(text);
  const finding = analysis.findings.filter((candidate) => candidate.code === code)[at];
  if (finding === undefined) throw new Error(`${code} ${at} is not among ${codesOf(analysis).join(', ')}`);
  return { analysis, finding };
};
const train = '  microbatches = 8\n  stages = balance(4)\n  schedule = gpipe';

test('another pipeline with the same code does not count', () => {
  // Eight microbatches of gpipe need 9 GiB, four of 1F1B 5 GiB.
  const both = pipe({ memory: '6GiB', pipeline: train, more: keys('other', 'gpipe') });
  const [first, second] = [0, 1].map((at) => found(both, 'memory/out-of-memory', at).finding);
  const fixed = analyse(both.replace('schedule = gpipe\n', 'schedule = 1f1b\n'));
  expect([remains(fixed, first), remains(fixed, second)]).toEqual([false, true]);
});

test('another expectation of the pipeline does not count', () => {
  const text = pipe({ pipeline: train, more: 'expect train { bubble < 5%  iteration < 1ms }\n' });
  const [bubble, iteration] = [0, 1].map((at) => found(text, 'expect/failed', at).finding);
  const fixed = analyse(text.replace('bubble < 5%', 'bubble < 50%'));
  expect([remains(fixed, bubble), remains(fixed, iteration)]).toEqual([false, true]);
});

test('another device and another code are other findings', () => {
  const { analysis, finding } = found(pipe({ memory: '6GiB', pipeline: train }), 'memory/out-of-memory', 0);
  expect(finding.about?.kind).toBe('device');
  expect(remains(analysis, finding)).toBe(true);
  expect(remains(analysis, { ...finding, about: { kind: 'device', name: 'gpu[9]' } })).toBe(false);
  expect(remains(analysis, { ...finding, code: 'memory/headroom' })).toBe(false);
});
