import { describe, expect, test } from 'vitest';
import { checkTable } from '../../../engine/formats/torchCsv/faults.ts';
import {
  type TorchCell,
  type TorchTable,
  blank,
  cellText,
  computing,
  dialectOf,
} from '../../../engine/formats/torchCsv/table.ts';
import { runMultiplier } from '../../support/runMultiplier.ts';
import { golden, sound, tableFrom } from './torch.ts';

const replaced = (table: TorchTable, row: number, column: number, cells: readonly TorchCell[]): TorchTable => ({
  ...table,
  rows: table.rows.map((one, at) => (at === row ? one.toSpliced(column, 1, ...cells) : one)),
});

/** Row and column of every fault, and of the cells that it names beside them. */
function told(table: TorchTable): string[] | undefined {
  const result = checkTable(table, { at: () => ({ start: 0, end: 0 }) });
  if (!('faults' in result)) return undefined;
  return result.faults.flatMap((fault) =>
    [fault, ...(fault.related ?? [])].map(({ row, column }) => `${row}:${column}`),
  );
}

/** About as many cells as are visited of a table. */
const mostCells = 40 * runMultiplier();

/** All cells of a small table; of a large one, cells of every row and of every kind. */
const each = (table: TorchTable, visit: (cell: TorchCell, row: number, column: number) => void): void => {
  const every = Math.ceil(table.rows.flat().length / mostCells);
  const seen = new Set<string>();
  for (const [row, cells] of table.rows.entries())
    for (const [column, cell] of cells.entries()) {
      if (cell.kind === 'blank') continue;
      const isNew = seen.size < seen.add(`${cell.kind} ${'type' in cell ? cell.type : ''}`).size;
      if (isNew || (row + column) % every === 0) visit(cell, row, column);
    }
};

describe.each(sound)('%s', (name) => {
  const { table } = tableFrom(golden(name));
  const ranks = table.rows.length;

  test('each operation changed into another is refused at its row and column', () => {
    each(table, (cell, row, column) => {
      const own = table.rows[row].flatMap(computing)[0];
      const others: TorchCell[] = [
        { kind: 'compute', stage: 99, type: 'F', microbatch: 1 },
        { kind: 'compute', stage: own.stage, type: 'F', microbatch: 99 },
        { kind: 'compute', stage: own.stage, type: 'F', microbatch: 3 },
        { kind: 'compute', stage: own.stage, type: 'W', microbatch: 3 },
        { kind: 'compute', stage: (row + 1) % ranks, type: 'B', microbatch: 1 },
      ];
      for (const other of others) {
        // One half of a fused cell in its place is an operation left out, not changed.
        if ([cell, ...computing(cell)].some((torchCell) => cellText(torchCell) === cellText(other))) continue;
        expect(told(replaced(table, row, column, [other])), `${cellText(cell)} → ${cellText(other)}`).toContain(
          `${row}:${column}`,
        );
      }
    });
  });

  test('each operation left out, or left blank, is missed in its row, between its neighbours', () => {
    each(table, (cell, row, column) => {
      if (cell.kind !== 'compute') return;
      for (const cells of [[], [blank]]) {
        const result = checkTable(replaced(table, row, column, cells), { at: () => ({ start: 0, end: 0 }) });
        const faults = 'faults' in result ? result.faults : [];
        const missed = faults.find((fault) => fault.message === `\`${cellText(cell)}\` is missing.`);
        const places = faults.filter((fault) => fault.row === row).map((fault) => fault.column);
        expect(missed?.row, cellText(cell)).toBe(row);
        if (cells.length === 1 && dialectOf(table) === 'compute_comms') expect(places).toContain(column);
        const same = table.rows[row].flatMap((torchCell, at) =>
          computing(torchCell).some(({ stage, type }) => stage === cell.stage && type === cell.type) ? [at] : [],
        );
        const [before, after] = [same.findLast((at) => at < column) ?? -1, same.find((at) => at > column) ?? Infinity];
        if (before >= 0) expect(missed?.column).toBeGreaterThan(before);
        expect(missed?.column).toBeLessThanOrEqual(after);
      }
    });
  });

  test('each fused slot, transfer or reduction left out is missed in its row; a release may be left to PyTorch', () => {
    each(table, (cell, row, column) => {
      if (cell.kind === 'compute') return;
      const places = told(replaced(table, row, column, []));
      const release = cell.kind === 'stage' && cell.type === 'RESHARD';
      if (release) expect(places?.every((place) => place.startsWith(`${row}:`)) ?? true).toBe(true);
      else
        expect(
          places?.some((place) => place.startsWith(`${row}:`)),
          cellText(cell),
        ).toBe(true);
    });
  });

  test('each pair of neighbours swapped runs as well, or is refused with a rank', () => {
    each(table, (cell, row, column) => {
      const next = table.rows[row][column + 1];
      if (next === undefined || next.kind === 'blank') return;
      const swapped = replaced(replaced(table, row, column, [next]), row, column + 1, [cell]);
      const [one] = computing(cell);
      const [two] = computing(next);
      const needs = one?.stage === two?.stage && one?.microbatch === two?.microbatch;
      if (one !== undefined && two !== undefined && needs) expect(told(swapped)).toContain(`${row}:${column}`);
    });
  });
});
