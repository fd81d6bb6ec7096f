import { type ComputeType, type TorchTable, type TransferType, computing } from './table.ts';

/** One action that names a microbatch. */
export interface Entry {
  readonly row: number;
  readonly column: number;
  readonly stage: number;
  readonly type: ComputeType | TransferType;
  readonly microbatch: number;
}

export const entryName = ({ stage, type, microbatch }: Pick<Entry, 'stage' | 'type' | 'microbatch'>): string =>
  `${stage}${type}${microbatch}`;

/** The entries of a table in reading order: actions of microbatches, with both of a fused slot. */
export function* entriesOf(table: TorchTable): Generator<Entry> {
  for (const [row, cells] of table.rows.entries()) {
    for (const [column, cell] of cells.entries()) {
      if (cell.kind === 'transfer') {
        yield { row, column, stage: cell.stage, type: cell.type, microbatch: cell.microbatch };
      } else {
        for (const { stage, type, microbatch } of computing(cell)) yield { row, column, stage, type, microbatch };
      }
    }
  }
}

/** Entries by stage and type, each list in reading order. */
export type Groups = ReadonlyMap<number, ReadonlyMap<Entry['type'], readonly Entry[]>>;

export function groupsOf(entries: Iterable<Entry>): Groups {
  const groups = new Map<number, Map<Entry['type'], Entry[]>>();
  for (const entry of entries) {
    const group = groups.get(entry.stage) ?? new Map<Entry['type'], Entry[]>();
    groups.set(entry.stage, group);
    const list = group.get(entry.type);
    if (list === undefined) group.set(entry.type, [entry]);
    else list.push(entry);
  }
  return groups;
}
