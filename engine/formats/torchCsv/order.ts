import type { CellProblem } from './completeness.ts';
import { entryName } from './entries.ts';
import { lower, transferOf } from './lower.ts';
import type { Majority } from './shape.ts';
import { type ComputeAction, type TorchTable, type TransferAction, blank, computing } from './table.ts';

type Report = (problem: CellProblem) => void;

/** Operations before what they need in their own row, and rows that wait for each other. The table is complete. */
export function order(table: TorchTable, shape: Majority, report: Report): void {
  let wrong = false;
  const tell: Report = (problem) => {
    wrong = true;
    report(problem);
  };
  for (const row of table.rows.keys()) rowOrder(table, row, shape, tell);
  if (wrong) return;
  const computed = table.rows.map((row) => row.map((cell) => (computing(cell).length > 0 ? cell : blank)));
  const lowered = lower({ ...table, rows: computed }, shape);
  if ('stuck' in lowered) {
    const [first, ...others] = lowered.stuck;
    report({
      ...first,
      message: 'The operation waits for itself through other ranks: the order never ends.',
      expected: 'rows that do not wait for each other in a circle',
      related: others.slice(0, 8).map((place) => ({ ...place, message: 'this rank waits here' })),
    });
  } else channels(table, shape, report);
}

/** Within a row: F before its backward, I before W, a receive before and a send after the operation that it serves. */
function rowOrder(table: TorchTable, row: number, { stages, microbatches, placement }: Majority, report: Report): void {
  const key = (name: number, stage: number, microbatch: number): number =>
    (name * stages + stage) * microbatches + microbatch;
  const before = new Set<number>();
  const comms = table.rows.some((cells) => cells.some((cell) => cell.kind === 'transfer'));
  const need = (
    column: number,
    what: Pick<ComputeAction | TransferAction, 'stage' | 'type' | 'microbatch'>,
    name: number,
    first: string,
  ): void => {
    if (before.has(key(name, what.stage, what.microbatch))) return;
    const needed = `\`${what.stage}${first}${what.microbatch}\``;
    report({
      row,
      column,
      message: `\`${entryName(what)}\` comes before ${needed}, which it needs.`,
      expected: `${needed} first`,
    });
  };
  const apart = (stage: number, other: number): boolean =>
    comms && other >= 0 && other < stages && placement[stage] !== placement[other];
  for (const [column, cell] of table.rows[row].entries()) {
    const after: number[] = [];
    if (cell.kind === 'transfer') {
      if (cell.type === 'SEND_F') need(column, cell, 0, 'F');
      if (cell.type === 'SEND_B') need(column, cell, 1, before.has(key(4, cell.stage, cell.microbatch)) ? 'I' : 'B');
      if (cell.type === 'RECV_F') after.push(key(2, cell.stage, cell.microbatch));
      if (cell.type === 'RECV_B') after.push(key(3, cell.stage, cell.microbatch));
    }
    for (const computeAction of computing(cell)) {
      const { stage, type, microbatch } = computeAction;
      if (type === 'F') {
        if (apart(stage, stage - 1)) need(column, computeAction, 2, 'RECV_F');
        after.push(key(0, stage, microbatch));
      } else if (type === 'W') need(column, computeAction, 1, 'I');
      else {
        need(column, computeAction, 0, 'F');
        if (apart(stage, stage + 1)) need(column, computeAction, 3, 'RECV_B');
        after.push(key(1, stage, microbatch));
      }
    }
    for (const value of after) before.add(value);
  }
}

/** Between two ranks messages arrive in the order in which they are sent, so receives must be in that order, too. */
function channels(table: TorchTable, shape: Majority, report: Report): void {
  const ranks = table.rows.length;
  const sent = new Map<number, string[]>();
  for (const [rank, row] of table.rows.entries()) {
    for (const cell of row) {
      if (cell.kind !== 'transfer' || !cell.type.startsWith('SEND')) continue;
      const pair = transferOf({ ...cell, kind: 'compute', type: cell.type === 'SEND_F' ? 'F' : 'B' }, shape);
      if (pair === undefined) continue;
      const channel = rank * ranks + pair.to;
      const list = sent.get(channel) ?? [];
      sent.set(channel, list);
      list.push(entryName(pair.receive));
    }
  }
  const taken = new Map<number, number>();
  for (const [rank, row] of table.rows.entries()) {
    for (const [column, cell] of row.entries()) {
      if (cell.kind !== 'transfer' || !cell.type.startsWith('RECV')) continue;
      const from = shape.placement[cell.type === 'RECV_F' ? cell.stage - 1 : cell.stage + 1];
      const channel = from * ranks + rank;
      const at = taken.get(channel) ?? 0;
      taken.set(channel, at + 1);
      const due = sent.get(channel)?.[at];
      if (due === undefined || due === entryName(cell)) continue;
      report({
        row: rank,
        column,
        message: `\`${entryName(cell)}\` takes what rank ${from} sends for \`${due}\`: messages between two ranks arrive in the order of their sends.`,
        expected: `\`${due}\``,
      });
      return;
    }
  }
}
