/**
 * The list scheduler of `listSchedule.ts` for rules that say more than a preference: conditions, limits in bytes, recomputation
 * as a separate operation, a preference for each device. A free device looks at its ready operations when its operation ends
 * or a result arrives. With `next` it also looks when an operation begins whose result it needs, and when a comparison turns.
 */
import { pop } from '../heap.ts';
import { choose, type RowConditions, wake } from './choice.ts';
import { blockedOperations, programOfRun } from './outcome.ts';
import { arrive, endCopy, finish, start } from './progress.ts';
import { readingsOf } from './readings.ts';
import { announce } from './ready.ts';
import { eventRanges, type EventRanges, newRun, type RuleRun, touch } from './run.ts';
import type { RuleOrder, RuleWork } from './work.ts';

/** O(n · k) for n operations and k stages of a device. */
export function ruleSchedule(work: RuleWork): RuleOrder {
  const run = newRun(work);
  const conditions = work.conditions(readingsOf(run));
  const ranges = eventRanges(run);
  for (let row = 0; row < run.layout.rows; row += 1) announce(run, row);
  while (run.events.size > 0) {
    run.now = run.events.keys[0];
    run.seen = run.now;
    // All that happens at one instant, before any device chooses.
    while (run.events.size > 0 && run.events.keys[0] === run.now) happen(run, ranges, pop(run.events));
    startTouched(run, ranges, conditions);
  }
  const { counts } = run.layout;
  const left = counts.reduce((sum, total, row) => (total === 0 ? sum : sum + total - run.ended[row]), 0);
  const program = programOfRun(run);
  if (left === 0) return { program };
  const blocked = blockedOperations(run, conditions);
  return { blocked, program, seconds: run.now / work.ticks.perSecond, left };
}

function happen(run: RuleRun, ranges: EventRanges, event: number): void {
  if (event < ranges.ends) {
    run.ready[event] = 1;
    touch(run, run.layout.placement[event % run.layout.stages]);
  } else if (event < ranges.looks) finish(run, ranges, event - ranges.ends);
  else if (event >= ranges.waits) arrive(run, event - ranges.waits);
  else if (event >= ranges.copies) endCopy(run, ranges, event - ranges.copies);
  else {
    const device = event - ranges.looks;
    if (run.wakeAt[device] <= run.now) run.wakeAt[device] = Infinity;
    touch(run, device);
  }
}

/** Each device that something has changed for starts what it may. */
function startTouched(run: RuleRun, ranges: EventRanges, conditions: RowConditions): void {
  const clock = {
    perSecond: run.work.ticks.perSecond,
    ahead(time: number) {
      run.seen = time;
    },
  };
  while (run.touchedCount > 0) {
    run.touchedCount -= 1;
    const device = run.touched[run.touchedCount];
    run.isTouched[device] = 0;
    if (run.running[device] >= 0) continue;
    const row = choose(run, conditions, device);
    if (row >= 0) start(run, ranges, device, row);
    else if (run.work.watches) wake(run, conditions, clock, device, ranges.looks);
  }
}
