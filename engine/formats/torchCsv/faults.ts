import { type CellProblem, completeness } from './completeness.ts';
import { type Entry, entriesOf, groupsOf } from './entries.ts';
import { wantedOf } from './expected.ts';
import { type CellPlaces, type TorchFault, mostFaults } from './fault.ts';
import type { TorchShape } from './lower.ts';
import { order } from './order.ts';
import { type Majority, majorityOf } from './shape.ts';
import { stageActions } from './stageActions.ts';
import { type Dialect, type TorchTable, cellText, dialectOf } from './table.ts';

export interface TorchSchedule {
  readonly shape: TorchShape;
  readonly dialect: Dialect;
}

/**
 * Whether a table is a schedule: every stage on one rank, each operation once, in an order that ends, and transfers that match. A
 * wrong cell is reported by its row and column; what it should be is judged by what the other cells agree on. Linear in the
 * cells.
 */
export function checkTable(
  table: TorchTable,
  places: CellPlaces,
): TorchSchedule | { readonly faults: readonly TorchFault[] } {
  const problems: CellProblem[] = [];
  const report = (problem: CellProblem): void => void (problems.length < mostFaults && problems.push(problem));
  const dialect = dialectOf(table);
  const all = groupsOf(entriesOf(table));
  const shape = majorityOf(table, all);
  if (shape === undefined) {
    report({
      row: 0,
      column: 0,
      message: 'The table has no forward and no backward.',
      expected: 'operations such as `0F0`',
    });
  } else judge(table, shape, dialect, report);
  if (shape !== undefined && problems.length === 0) return { shape, dialect };
  return {
    faults: [...problems]
      .sort((a, b) => a.row - b.row || a.column - b.column)
      .map((problem) => ({ ...problem, ...places.at(problem.row, problem.column) })),
  };
}

function judge(table: TorchTable, shape: Majority, dialect: Dialect, report: (problem: CellProblem) => void): void {
  const reported: CellProblem[] = [];
  const tell = (problem: CellProblem): void => {
    reported.push(problem);
    report(problem);
  };
  const cells = table.rows.reduce((sum, row) => sum + row.length, 0);
  if (shape.stages * shape.microbatches > 2 * cells + 1_000) {
    const message = `The stages do not have equally many microbatches: ${shape.stages} stages of ${shape.microbatches} would be more operations than there are.`;
    return report({ row: 0, column: 0, message, expected: 'each microbatch at each stage' });
  }
  placement(table, shape, dialect, tell);
  const here = [...entriesOf(table)].filter((entry) => shape.placement[entry.stage] === entry.row);
  const groups = groupsOf(here);
  oldLetters(groupsOf(here), tell);
  if (reported.some((cellProblem) => cellProblem.repair === 'old-letters')) return;
  completeness(table, groups, shape, wantedOf(groups, shape, dialect), tell);
  if (reported.length > 0) return;
  stageActions(table, shape, tell);
  if (reported.length === 0) order(table, shape, tell);
}

/** Stages on two ranks, stages and ranks without operations, numbers of stages that are not there, blanks among transfers. */
function placement(table: TorchTable, shape: Majority, dialect: Dialect, report: (problem: CellProblem) => void): void {
  const used = new Set(shape.placement);
  for (const [row, cells] of table.rows.entries()) {
    if (!used.has(row)) {
      report({ row, column: 0, message: `Rank ${row} has no stage.`, expected: 'operations in each row' });
    }
    for (const [column, cell] of cells.entries()) {
      if (cell.kind === 'blank') {
        if (dialect === 'compute_comms')
          report({
            row,
            column,
            message: 'There is an idle step among transfers.',
            expected: 'no empty cells in a table with transfers',
          });
        continue;
      }
      const wrong = (cell.kind === 'fused' ? cell.actions : [cell]).find(({ stage }) => shape.placement[stage] !== row);
      if (wrong === undefined) continue;
      const { stage } = wrong;
      if (stage >= shape.stages) {
        const expected = `stages 0 to ${shape.stages - 1}`;
        report({ row, column, message: `\`${cellText(wrong)}\` names a stage that does not exist.`, expected });
      } else {
        const message = `\`${cellText(wrong)}\` is at rank ${row}, but stage ${stage} is at rank ${shape.placement[stage]}.`;
        report({ row, column, message, expected: `each stage on one rank` });
      }
    }
  }
  for (const [stage, rank] of shape.placement.entries()) {
    if (rank < 0) {
      const expected = `operations of each stage from 0 to ${shape.stages - 1}`;
      report({ row: 0, column: 0, message: `Stage ${stage} has no operations.`, expected });
    }
  }
}

/** B and W without any I: letters from before `I` was there, when B was the input gradient. */
function oldLetters(
  groups: ReadonlyMap<number, ReadonlyMap<Entry['type'], readonly Entry[]>>,
  report: (problem: CellProblem) => void,
): void {
  const all = [...groups.values()];
  if (all.some((group) => group.has('I')) || !all.every((group) => group.has('B') && group.has('W'))) return;
  const [first] = all[0]?.get('B') ?? [];
  if (first === undefined) return;
  report({
    row: first.row,
    column: first.column,
    message: 'The table has B and W but no I: B was the input gradient in letters that PyTorch no longer uses.',
    expected: 'I in place of each B, and B in place of each BW',
    repair: 'old-letters',
  });
}
