/** The shapes that a schedule is tested on, as a table of devices and microbatches. */
import { table } from '../basics/table.ts';
import type { ScheduleTest } from '../definitions/scheduleTest.ts';
import type { Verdict } from './testSearch.ts';

export type CellVerdict = Verdict | 'untested';

/** Verdicts in short, one letter for each shape. */
export const verdictLetters: Readonly<Record<Verdict, string>> = { passed: 'p', failed: 'f', refused: 'r' };

/** Signs of verdicts, so that no colour is needed. */
export const verdictSigns: Readonly<Record<CellVerdict, string>> = {
  passed: '✓',
  failed: '✕',
  refused: '–',
  untested: '',
};

const verdictOf: Readonly<Record<string, CellVerdict>> = table({ p: 'passed', f: 'failed', r: 'refused' });
/** The most severe of several verdicts decides. */
const severity: readonly CellVerdict[] = ['untested', 'refused', 'passed', 'failed'];

export interface TestedTable {
  readonly devices: readonly number[];
  readonly microbatches: readonly number[];
  /** By row, then column. `args`: only shapes with these parameters where the test has them; otherwise of all. */
  verdict(row: number, column: number, args: Readonly<Record<string, number>>): CellVerdict;
  readonly counts: Readonly<Record<Verdict, number>>;
}

/** `axes`: devices, microbatches, then parameters. `verdicts`: a letter for each shape, the last axis fastest. Undefined without a test. */
export function testedTable({
  axes,
  verdicts,
}: {
  readonly axes: ScheduleTest['axes'];
  readonly verdicts: string;
}): TestedTable | undefined {
  const [devices, microbatches, ...parameters] = axes;
  if (devices === undefined || microbatches === undefined) return undefined;
  const each = parameters.reduce((product, { values }) => product * values.length, 1);
  /** Whether the shape at this place of the last axes has the parameters that are asked for. */
  function matches(place: number, args: Readonly<Record<string, number>>): boolean {
    let rest = place;
    for (const { name, values } of parameters.toReversed()) {
      const value = values[rest % values.length];
      if (args[name] !== undefined && values.includes(args[name]) && args[name] !== value) return false;
      rest = Math.floor(rest / values.length);
    }
    return true;
  }
  const count = (letter: string): number => verdicts.split(letter).length - 1;
  return {
    devices: devices.values,
    microbatches: microbatches.values,
    verdict(row, column, args) {
      const from = (row * microbatches.values.length + column) * each;
      let worst: CellVerdict = 'untested';
      for (let place = 0; place < each; place += 1) {
        const found = verdictOf[verdicts[from + place] ?? ''] ?? 'untested';
        if (matches(place, args) && severity.indexOf(found) > severity.indexOf(worst)) worst = found;
      }
      return worst;
    },
    counts: { passed: count('p'), failed: count('f'), refused: count('r') },
  };
}
