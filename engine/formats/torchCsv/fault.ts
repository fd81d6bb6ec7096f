/** Something wrong in a table, at a cell. */
export interface TorchFault {
  /** From 0: the rank, and the cell within its row. */
  readonly row: number;
  readonly column: number;
  /** Characters of the text from its start; the end is exclusive. */
  readonly start: number;
  readonly end: number;
  readonly message: string;
  /** What to write instead. */
  readonly expected: string;
  /** Other cells that have to do with it. */
  readonly related?: readonly { readonly row: number; readonly column: number; readonly message: string }[];
  /** Fixes the text by a name of `repairs.ts`. */
  readonly repair?: RepairName;
}

export type RepairName = 'old-letters' | 'shifted-forwards';

/** Most faults reported for one file. */
export const mostFaults = 20;

/** The places of the cells of a text. */
export interface CellPlaces {
  at(row: number, column: number): { readonly start: number; readonly end: number };
}
