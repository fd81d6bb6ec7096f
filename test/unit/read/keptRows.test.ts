import { expect, test } from 'vitest';
import type { Answer, PlacedNumbers } from '../../../engine/definitions/scheduleEvaluator.ts';
import { finding } from '../../../engine/findings/finding.ts';
import { pack } from '../../../engine/basics/packed.ts';
import type { RowPlan } from '../../../engine/values/plan.ts';
import { keptRows, type RowsSource } from '../../../engine/read/keptRows.ts';

const numbers: PlacedNumbers = {
  stages: 4,
  devices: 4,
  microbatches: 256,
  iterations: 1,
  stagesOf: { all: [[0], [1], [2], [3]] },
  before: [[], [0], [1], [2]],
};
const part = { uri: 'file:///a.pipe', start: 7, text: 'schedule kept { }', constants: {} };
const source: RowsSource = { source: part, bases: [], args: { warmup: 2 }, limit: 1_000_000 };
const warning = finding('type/mismatch', { uri: part.uri, start: 0, end: 1 }, { expected: 'more', found: 'less' });

const rowsOf = (operations: number): readonly RowPlan[] => {
  const row = pack(new Uint8Array(operations));
  return [{ kinds: row, stages: row, microbatches: row, items: row }];
};

/** Schedules by a number that is in their text, so that no test finds the rows of another. */
let texts = 0;

/** Expands with what is given last after it has expanded the numbers above; returns how often rows were made. */
function made(
  { given = numbers, from = source }: { readonly given?: PlacedNumbers; readonly from?: RowsSource },
  operations = 4,
  warns = false,
): number {
  texts += 1;
  let calls = 0;
  const findings = warns ? [warning] : [];
  const expand = (): Answer<readonly RowPlan[]> => {
    calls += 1;
    return { value: rowsOf(operations), findings };
  };
  const own = (of: RowsSource): RowsSource => ({ ...of, args: { ...of.args, texts } });
  const first = keptRows(own(source), numbers, expand);
  const second = keptRows(own(from), given, expand);
  expect(second.value === first.value).toBe(calls === 1);
  expect(second.findings).toEqual(findings);
  return calls;
}

test('the same text, arguments and numbers give the same rows again, wherever the text is', () => {
  expect(made({})).toBe(1);
  expect(made({ from: { ...source, source: { ...part, start: 90 } } })).toBe(1);
  expect(made({ given: { ...numbers, stagesOf: { all: [[0], [1], [2], [3]] } } })).toBe(1);
});

const x = { x: { value: 1, dimension: 'number' } } as const;

test.each<[string, { readonly given?: PlacedNumbers; readonly from?: RowsSource }]>([
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

const none = (): Answer<readonly RowPlan[]> => ({ value: [], findings: [] });

test('infinite numbers are not alike', () => {
  const rows = [Infinity, -Infinity, NaN, 0, -0].map(
    (warmup) => keptRows({ ...source, args: { warmup } }, numbers, none).value,
  );
  expect(new Set(rows).size).toBe(5);
});

test('small rows, rows over the limit and rows with a warning are made again', () => {
  expect(made({ given: { ...numbers, microbatches: 256 } }, 300_000)).toBe(1);
  expect(made({}, 300_001)).toBe(2);
  expect(made({}, 4, true)).toBe(2);
  const few = { ...numbers, microbatches: 255 };
  expect(keptRows(source, few, none).value).not.toBe(keptRows(source, few, none).value);
});

test('the rows that were used least lately are forgotten first', () => {
  const of = (warmup: number) =>
    keptRows({ ...source, args: { warmup } }, numbers, () => ({ value: rowsOf(120_000), findings: [] })).value;
  const [first, second] = [of(101), of(102)];
  expect(of(101)).toBe(first);
  of(103);
  expect(of(101)).toBe(first);
  expect(of(102)).not.toBe(second);
});
