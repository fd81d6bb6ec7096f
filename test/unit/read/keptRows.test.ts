import { expect, test } from 'vitest';
import type { RowsBody } from '../../../engine/definitions/schedule.ts';
import { createReporter } from '../../../engine/findings/reporter.ts';
import { pack } from '../../../engine/basics/packed.ts';
import { keepingRows, type RowsSource } from '../../../engine/read/keptRows.ts';

type Numbers = Parameters<RowsBody['expand']>[0];

const numbers: Numbers = {
  stages: 4,
  devices: 4,
  microbatches: 256,
  iterations: 1,
  stagesOf: { all: [[0], [1], [2], [3]] },
  before: [[], [0], [1], [2]],
};
const part = { uri: 'file:///a.pipe', start: 7, text: 'schedule kept { }', constants: {} };
const source: RowsSource = { source: part, bases: [], args: { warmup: 2 }, limit: 1_000_000 };
const place = { start: 0, end: 1 };

/** Schedules by a number that is in their text, so that no test finds the rows of another. */
let texts = 0;

/** Expands with what is given last after it has expanded the numbers above; returns how often rows were made. */
function made(
  { given = numbers, from = source }: { readonly given?: Numbers; readonly from?: RowsSource },
  operations = 4,
  warns = false,
): number {
  texts += 1;
  let calls = 0;
  const expand: RowsBody['expand'] = (_, report) => {
    calls += 1;
    if (warns) report.report('type/mismatch', place, { expected: 'more', found: 'less' });
    const row = pack(new Uint8Array(operations));
    return [{ kinds: row, stages: row, microbatches: row, items: row }];
  };
  const own = (of: RowsSource): RowsSource => ({ ...of, args: { ...of.args, texts } });
  const reporter = createReporter('file:///a.pipe', 10);
  const first = keepingRows(expand, own(source))(numbers, reporter);
  const second = keepingRows(expand, own(from))(given, reporter);
  expect(second === first).toBe(calls === 1);
  expect(reporter.findings).toHaveLength(warns ? 1 : 0);
  return calls;
}

test('the same text, arguments and numbers give the same rows again, wherever the text is', () => {
  expect(made({})).toBe(1);
  expect(made({ from: { ...source, source: { ...part, start: 90 } } })).toBe(1);
  expect(made({ given: { ...numbers, stagesOf: { all: [[0], [1], [2], [3]] } } })).toBe(1);
});

const x = { x: { value: 1, dimension: 'number' } } as const;

test.each<[string, { readonly given?: Numbers; readonly from?: RowsSource }]>([
  ['stages', { given: { ...numbers, stages: 8 } }],
  ['devices', { given: { ...numbers, devices: 8 } }],
  ['microbatches', { given: { ...numbers, microbatches: 257 } }],
  ['iterations', { given: { ...numbers, iterations: 2 } }],
  ['the device of a stage', { given: { ...numbers, stagesOf: { all: [[1], [0], [2], [3]] } } }],
  ['what a stage needs', { given: { ...numbers, before: [[], [0], [0], [2]] } }],
  ['copies', { given: { ...numbers, stagesOf: { all: numbers.stagesOf.all, running: () => [0] } } }],
  ['the file', { from: { ...source, source: { ...part, uri: 'file:///b.pipe' } } }],
  ['the text', { from: { ...source, source: { ...part, text: 'schedule kept {  }' } } }],
  ['a number of the file', { from: { ...source, source: { ...part, constants: x } } }],
  ['a base', { from: { ...source, bases: [part] } }],
  ['an argument', { from: { ...source, args: { warmup: 3 } } }],
  ['an argument that JSON writes alike', { from: { ...source, args: { warmup: -0 } } }],
  ['the limit', { from: { ...source, limit: 2_000_000 } }],
])('another number or text gives other rows: %s', (_, change) => {
  expect(made(change)).toBe(2);
});

test('infinite numbers are not alike', () => {
  const expand: RowsBody['expand'] = () => [];
  const rows = [Infinity, -Infinity, NaN, 0, -0].map((warmup) =>
    keepingRows(expand, { ...source, args: { warmup } })(numbers, createReporter('', 0)),
  );
  expect(new Set(rows).size).toBe(5);
});

test('small rows, rows over the limit and rows with a warning are made again', () => {
  expect(made({ given: { ...numbers, microbatches: 256 } }, 300_000)).toBe(1);
  expect(made({}, 300_001)).toBe(2);
  expect(made({}, 4, true)).toBe(2);
  const few = { ...numbers, microbatches: 255 };
  const expand: RowsBody['expand'] = () => [];
  const small = keepingRows(expand, source);
  expect(small(few, createReporter('', 0))).not.toBe(small(few, createReporter('', 0)));
});

test('the rows that were used least lately are forgotten first', () => {
  const row = pack(new Uint8Array(120_000));
  const expand: RowsBody['expand'] = () => [{ kinds: row, stages: row, microbatches: row, items: row }];
  const rowsOf = (warmup: number) =>
    keepingRows(expand, { ...source, args: { warmup } })(numbers, createReporter('', 0));
  const [first, second] = [rowsOf(101), rowsOf(102)];
  expect(rowsOf(101)).toBe(first);
  rowsOf(103);
  expect(rowsOf(101)).toBe(first);
  expect(rowsOf(102)).not.toBe(second);
});
