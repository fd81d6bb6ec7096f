/** What conditions of a rule read of it. */
import type { RuleOperation } from '../../values/plan.ts';
import { kindOfRow } from '../../values/program.ts';
import { arrivalOf, turnOfReady } from './ready.ts';
import { lengthOf, type RuleRun } from './run.ts';
import { brings, type ReadRule, sends } from './work.ts';

export function readingsOf(run: RuleRun): ReadRule {
  const { work, layout, evictions, inFlight, next, ended } = run;
  const { stages, rows, counts, local, placement } = layout;
  const { memory, ticks, copies } = work;
  const rowsOf = (kind: RuleOperation | undefined, device: number): readonly number[] =>
    local[device].filter((row) => kindOfRow(stages, row) === layout.resultOfName(kind));
  const stageOn = (stage: number | undefined, device: number): number => {
    for (let copy = 0; copy < stages; copy += 1)
      if (placement[copy] === device && (copies?.stage[copy] ?? copy) === stage) return copy;
    return -1;
  };
  const after = (ticksUntil: number): number => Math.max(0, ticksUntil - run.seen) / ticks.perSecond;
  return ({ read: what, kind, stage }, of) => {
    const device = placement[of % stages];
    const here = stageOn(stage, device);
    const result = layout.resultOfName(kind);
    const row = result * stages + here;
    switch (what) {
      case 'held':
        return () => inFlight[here];
      case 'away':
        return () => evictions?.away(here) ?? 0;
      case 'loaded':
        return () => evictions?.loaded(here) ?? 0;
      case 'bytes':
        return () => memory.bytes(device);
      case 'activation': {
        const size = memory.activation(here);
        return () => size;
      }
      case 'time': {
        if (row >= rows) return () => 0;
        return () => lengthOf(run, row, Math.max(0, Math.min(next[row], counts[row] - 1))) / ticks.perSecond;
      }
      case 'next':
        if (result === sends) return () => (turnOfReady(run, row) < 0 ? Infinity : 0);
        if (result === brings && evictions !== undefined) return () => after(evictions.awayAt(here));
        // A load asks when its own backward may begin.
        if (evictions !== undefined && of === brings * stages + here && result === 1)
          return () => after(arrivalOf(run, row, evictions.oldest(here)));
        return () => (row < rows ? after(arrivalOf(run, row, next[row])) : Infinity);
      case 'done': {
        const counted = rowsOf(kind, device);
        return () => counted.reduce((sum, each) => sum + ended[each], 0);
      }
      case 'pending': {
        const counted = rowsOf(kind, device);
        return () => counted.reduce((sum, each) => sum + (turnOfReady(run, each) < 0 ? 0 : 1), 0);
      }
      // Conditions do not read what operations of a schedule hold or send.
      case 'weights':
      case 'gradients':
        return () => 0;
    }
  };
}
