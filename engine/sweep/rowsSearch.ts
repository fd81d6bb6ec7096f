/** Some rows of a sweep as work for a thread: the problem has the texts of all files, so the thread reads none. */
import type { EngineOptions } from '../basics/host.ts';
import { knownHost, type KnownFiles } from '../basics/knownFiles.ts';
import type { Search } from '../basics/searches.ts';
import type { Axis } from '../definitions/search.ts';
import { settingsOf } from './axes.ts';
import { sweepBase, type SweepBase, type SweepFile } from './base.ts';
import { asWritten } from './answer.ts';
import { evaluateRow, type Outcome, type RowFigures } from './evaluateRow.ts';
import type { Figures } from './front.ts';
import { placeRow } from './placeRow.ts';

/** A sweep as plain data. */
export interface SweepSource extends KnownFiles {
  readonly uri: string;
  readonly text: string;
  readonly options: EngineOptions;
  readonly overrides?: Readonly<Record<string, number>>;
  readonly asked?: number;
  readonly pipeline: string;
  readonly limits: readonly string[];
  readonly axes: readonly Axis[];
}

export interface RowsProblem {
  readonly source: SweepSource;
  readonly rows: readonly number[];
  readonly front: readonly Figures[];
}

/** The base of the sweep that was looked at last: a thread works on one sweep at a time. */
let last: { readonly key: string; readonly base: SweepBase | undefined } | undefined;

function baseOf(source: SweepSource): SweepBase | undefined {
  const key = JSON.stringify(source);
  if (last?.key === key) return last.base;
  const { uri, text, options, overrides, asked, pipeline, limits } = source;
  const file: SweepFile = {
    ...{ uri, text, host: knownHost(source), options, overrides },
    ...(asked === undefined ? {} : { asked }),
  };
  const found = sweepBase(file, pipeline, limits);
  last = { key, base: 'problem' in found ? undefined : found };
  return last.base;
}

const unplanned: Outcome = { kind: 'refused', code: 'search/refused', message: 'The pipeline cannot be planned.' };

/** What becomes of a row. */
export function outcomeOf(base: SweepBase, axes: readonly Axis[], row: number, front: readonly Figures[]): Outcome {
  const placed = placeRow(base, axes, settingsOf(axes, row));
  return 'refused' in placed
    ? { kind: 'refused', code: 'search/refused', message: placed.refused }
    : evaluateRow(base, placed, front);
}

/** The pipeline as the file has it; null if it does not run. */
export const writtenSearch: Search<SweepSource, RowFigures | null> = {
  name: 'sweep as written',
  size: () => 500_000,
  large: true,
  *steps(source) {
    yield;
    const base = baseOf(source);
    return base === undefined ? null : (asWritten(base) ?? null);
  },
};

/** What became of each row. */
export const rowsSearch: Search<RowsProblem, readonly Outcome[]> = {
  name: 'sweep rows',
  size: ({ rows }) => rows.length * 500_000,
  large: true,
  *steps({ source, rows, front }) {
    const base = baseOf(source);
    const outcomes: Outcome[] = [];
    for (const row of rows) {
      yield;
      outcomes.push(base === undefined ? unplanned : outcomeOf(base, source.axes, row, front));
    }
    return outcomes;
  },
};
