import { type DriftedBlock, driftedBlocks, type PairedColumns } from '../picture/drift.ts';
import type { RowPair } from '../picture/rowPairs.ts';
import type { RunFigures } from '../picture/runFigures.ts';
import type { Paired, racing } from '../session/racing.ts';
import { withDrifts } from './besideRun.ts';

/** The same operations of the two timelines that are drawn, and where they differ. Each answer is kept: what is drawn goes by it. */
export function besidePairs(race: Pick<ReturnType<typeof racing>, 'pair'>) {
  /** Which timelines were to be paired, and their operations; `undefined` in it: they are too many. */
  let asked = '';
  let found: { readonly pair: PairedColumns | undefined } | undefined;
  let drifted:
    { readonly of: PairedColumns; readonly tolerance: number; readonly blocks: readonly DriftedBlock[] } | undefined;
  let outlined: { readonly of: PairedColumns; readonly figures: RunFigures; readonly pair: PairedColumns } | undefined;

  function ask(key: string): void {
    asked = key;
    found = undefined;
    drifted = undefined;
  }

  return {
    /** Asks for the operations of two timelines; −1: there is none. */
    pairUp(upper: number, lower: number, rows: readonly RowPair[]): void {
      const key = upper < 0 || lower < 0 ? '' : `${upper} ${lower}`;
      if (key === asked) return;
      ask(key);
      if (key !== '') race.pair(upper, lower, rows);
    },
    /** False for the answer to an older question. */
    receive({ upper, lower, paired }: Paired): boolean {
      if (`${upper} ${lower}` !== asked) return false;
      found = { pair: paired };
      return true;
    },
    pair: (): PairedColumns | undefined => found?.pair,
    areTooMany: (): boolean => found !== undefined && found.pair === undefined,
    drifts(pair: PairedColumns, tolerance: number): readonly DriftedBlock[] {
      if (drifted?.of !== pair || drifted.tolerance !== tolerance)
        drifted = { of: pair, tolerance, blocks: driftedBlocks(pair, tolerance) };
      return drifted.blocks;
    },
    /** With the operations of a run that took another time than planned. */
    outlined(pair: PairedColumns, figures: RunFigures): PairedColumns {
      if (outlined?.of !== pair || outlined.figures !== figures)
        outlined = { of: pair, figures, pair: withDrifts(pair, figures) };
      return outlined.pair;
    },
    forget(): void {
      ask('');
      outlined = undefined;
    },
  };
}
