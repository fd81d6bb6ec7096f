/** Which operation a device starts, and when it looks again if it may start none. */
import type { GreedyRule } from '../../values/plan.ts';
import { kindOfRow } from '../../values/program.ts';
import { type Condition, type RuleClock, turnsIn } from './conditions.ts';
import { turnOfReady } from './ready.ts';
import { type RuleRun, schedule } from './run.ts';

/** Conditions of each row. */
export type RowConditions = readonly (readonly Condition[])[];

/** After this many looks ahead for one operation, a device looks only when something arrives: a comparison need not be a line. */
const mostLooks = 64;

/** Whether a stage has as many microbatches in flight as it may. */
export const isFull = ({ work, inFlight }: RuleRun, result: number, stage: number): boolean =>
  result === 0 && inFlight[stage] + 1 > work.limits[stage];

/** The limit in bytes that an operation would go over; undefined for none. */
export function limitOver({ work, layout }: RuleRun, result: number, stage: number): number | undefined {
  const limit = work.rule.limit[layout.ownerOf(layout.placement[stage], result)] ?? undefined;
  return limit === undefined || work.memory.fits(result, stage, limit) ? undefined : limit;
}

function isAllowed(run: RuleRun, conditions: RowConditions, row: number): boolean {
  const result = kindOfRow(run.layout.stages, row);
  const stage = row - result * run.layout.stages;
  if (isFull(run, result, stage) || limitOver(run, result, stage) !== undefined) return false;
  const list = conditions[row];
  for (let index = 0; index < list.length; index += 1) if (list[index].holds() !== 1) return false;
  return true;
}

/** The first ready operation of a device that it may start; −1 for none. */
export function choose(run: RuleRun, conditions: RowConditions, device: number): number {
  const { layout, work } = run;
  const { stages, microbatches, ranks, local } = layout;
  const rank = ranks[device];
  let best = -1;
  let least = Infinity;
  for (const row of local[device]) {
    const turn = turnOfReady(run, row);
    if (turn < 0) continue;
    const result = kindOfRow(stages, row);
    const place = layout.placeOf(row - result * stages);
    const microbatch = layout.microbatchAt(row, turn);
    const key = keyOf(work.rule.ties, rank[result], microbatch, place, microbatches, stages);
    if (key < least && isAllowed(run, conditions, row)) [best, least] = [row, key];
  }
  return best;
}

/** The least key runs first: by preference, then as `ties` says; `place` is the stage's among all stages. */
const keyOf = (
  ties: GreedyRule['ties'],
  rank: number,
  microbatch: number,
  place: number,
  microbatches: number,
  stages: number,
): number =>
  ties === 'oldest'
    ? (rank * microbatches + microbatch) * stages + place
    : (rank * stages + place) * microbatches + microbatch;

/** Looks again when the first condition of a ready operation turns. `looks`: the event of the first device. */
export function wake(run: RuleRun, conditions: RowConditions, clock: RuleClock, device: number, looks: number): void {
  let turns = Infinity;
  for (const row of run.layout.local[device]) {
    if (turnOfReady(run, row) >= 0)
      turns = Math.min(turns, turnsIn(conditions[row], run.now, clock, run.looks[device] < mostLooks));
  }
  if (turns >= run.wakeAt[device]) return;
  run.looks[device] += 1;
  run.wakeAt[device] = turns;
  schedule(run, turns, looks + device);
}
