import { expect, test } from 'vitest';
import { slowdownWords } from '../../../engine/analyze/slowdownWords.ts';

const report = {
  ideal: 0.0675,
  slowdown: 78 / 67.5,
  kinds: [
    { name: 'forward', slowdown: 1.05 },
    { name: 'backward_input', slowdown: 1 },
  ],
  devices: [
    { name: 'gpu[0]', slowdown: 0.98 },
    { name: 'gpu[1]', slowdown: 1.1556 },
  ],
  last_stage: 1.143,
};

test('each figure has its symbol, its value, and what it means', () => {
  expect(slowdownWords(report).map(({ symbol, value }) => [symbol, value])).toEqual([
    ['S', '1.156'],
    ['S_t', 'forward 1.050, backward input 1.000'],
    ['S_w', 'gpu[1] 1.156'],
    ['M_S', '114 %'],
  ]);
  expect(slowdownWords(report)[0]?.meaning).toContain('over 67.5 ms');
});

test('a slowdown that grows with an average last stage does not "go"', () => {
  const [last] = slowdownWords({ ...report, last_stage: -0.375 }).slice(-1);
  expect(last?.value).toBe('−37.5 %');
  expect(last?.meaning).toContain('grows');
});

test('what is not known is left out', () => {
  const unknown = {
    ...report,
    slowdown: NaN,
    kinds: [{ name: 'forward', slowdown: NaN }],
    devices: [],
    last_stage: NaN,
  };
  expect(slowdownWords(unknown)).toEqual([]);
  const { last_stage: _, ...even } = report;
  expect(slowdownWords(even).map(({ symbol }) => symbol)).toEqual(['S', 'S_t', 'S_w']);
});
