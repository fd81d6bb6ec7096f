/** When operations of a rule are ready. */
import { kindOfRow } from '../../values/program.ts';
import { type RuleRun, schedule } from './run.ts';
import { brings, sends } from './work.ts';

/** When the results of others are there that an operation of a row needs; infinite while one of them has not begun. */
export function arrivalOf({ work, layout, begun, end }: RuleRun, row: number, turn: number): number {
  const { stages, microbatches, counts, turns } = layout;
  const { offsets, needs } = work.dependencies;
  if (turn < 0 || turn >= counts[row]) return Infinity;
  let latest = 0;
  for (let index = offsets[row]; index < offsets[row + 1]; index += 1) {
    const producer = needs[index];
    if (producer >= 3 * stages) continue;
    const asked = turns.uneven ? turns.turnOf(producer % stages, row % stages, turn) : turn;
    if (asked < 0) continue;
    if (begun[producer] <= asked) return Infinity;
    latest = Math.max(latest, end[producer * microbatches + asked] + work.ticks.transfer[index]);
  }
  return latest;
}

/** Turn of the operation of a row that its device could start now; −1 for none. */
export function turnOfReady(run: RuleRun, row: number): number {
  if (run.evictions === undefined && run.waits === undefined) return run.ready[row] === 1 ? run.next[row] : -1;
  return run.evictions === undefined ? turnOfOpen(run, row) : turnOfHere(run, row);
}

const isOpen = ({ waits, layout }: RuleRun, row: number, turn: number): boolean =>
  waits?.isOpen(row * layout.microbatches + layout.microbatchAt(row, turn)) !== false;

const turnOfOpen = (run: RuleRun, row: number): number =>
  run.ready[row] === 1 && isOpen(run, row, run.next[row]) ? run.next[row] : -1;

function turnOfHere(run: RuleRun, row: number): number {
  const { evictions, layout, next, ready } = run;
  if (evictions === undefined) return -1;
  const { stages } = layout;
  const result = kindOfRow(stages, row);
  const stage = row - result * stages;
  if (result === sends || result === brings) {
    const turn = result === sends ? evictions.toSend(stage, next[stages + stage]) : evictions.toLoad(stage);
    return turn < 0 || isOpen(run, row, turn) ? turn : -1;
  }
  return result === 1 && ready[row] === 1 && !evictions.isHere(stage, next[row]) ? -1 : turnOfOpen(run, row);
}

/** Looks at what the next operation of a row needs; once all of it has ended, the row becomes ready when it arrives. */
export function announce(run: RuleRun, row: number): void {
  const { layout, work, need, ended, end, readyAt } = run;
  const { stages, microbatches, counts, turns } = layout;
  const { offsets, needs } = work.dependencies;
  const turn = run.next[row];
  if (turn >= counts[row]) return;
  while (need[row] < offsets[row + 1]) {
    const producer = needs[need[row]];
    const asked = turns.uneven ? turns.turnOf(producer % stages, row % stages, turn) : turn;
    if (ended[producer] <= asked) return;
    const arrives = asked < 0 ? 0 : end[producer * microbatches + asked] + work.ticks.transfer[need[row]];
    if (arrives > readyAt[row]) readyAt[row] = arrives;
    need[row] += 1;
  }
  schedule(run, readyAt[row], row);
}
