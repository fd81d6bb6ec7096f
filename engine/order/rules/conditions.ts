import type { GuardPlan, RuleExpression, RuleRead } from '../../values/plan.ts';
import { type Reading, reading, readsOf } from './guards.ts';

/** A guard of one operation, on its device. */
export interface Condition {
  readonly guard: GuardPlan;
  /** 1 where it holds. */
  readonly holds: Reading;
  /** What it reads, with the values of the moment. */
  readonly reads: readonly { readonly what: RuleRead; readonly value: Reading }[];
  /** Of each comparison in it that reads `next`: the left side minus the right one, and the readings of `next`. */
  readonly timed: readonly { readonly distance: Reading; readonly next: readonly Reading[] }[];
}

/** What `and`, `or`, `not` and `if` join: expressions of two sides. */
const joins: readonly string[] = ['and', 'or', 'not', 'if'];

type Applied = Extract<RuleExpression, { readonly to: readonly RuleExpression[] }>;

function comparisonsIn(condition: RuleExpression): readonly Applied[] {
  if (typeof condition === 'number' || 'read' in condition) return [];
  if (joins.includes(condition.apply)) return condition.to.flatMap(comparisonsIn);
  return condition.to.length === 2 ? [condition] : [];
}

export function conditionOf(guard: GuardPlan, read: (what: RuleRead) => Reading): Condition {
  const { condition } = guard;
  const reads = readsOf(condition).map((what) => ({ what, value: read(what) }));
  const timed = comparisonsIn(condition).flatMap((comparison) => {
    const next = readsOf(comparison).filter((what) => what.read === 'next');
    const [left, right] = comparison.to.map((side) => reading(side, read));
    return next.length === 0 ? [] : [{ distance: () => left() - right(), next: next.map((what) => read(what)) }];
  });
  return {
    guard,
    holds: reading(condition, read),
    reads,
    timed,
  };
}

/** The clock of a rule: `ahead` sets what conditions take for now. */
export interface RuleClock {
  readonly perSecond: number;
  readonly ahead: (time: number) => void;
}

/**
 * The instant after `now` at which the first of these conditions may turn because time passes; infinite if none may. `next` falls
 * evenly until it is 0, so the distance of both sides is a line until the first of them is there. Without `mayTurn`, only that
 * instant is looked at.
 */
export function turnsIn(conditions: readonly Condition[], now: number, clock: RuleClock, mayTurn: boolean): number {
  let first = Infinity;
  for (const { timed, holds } of conditions) {
    if (timed.length === 0 || holds() === 1) continue;
    for (const { next, distance } of timed) {
      let until = Infinity;
      for (const reading of next) {
        const left = reading() * clock.perSecond;
        if (left > 0 && left < until) until = left;
      }
      if (until === Infinity) continue;
      const end = Math.max(1, Math.round(until));
      first = Math.min(first, mayTurn ? turnOf(distance, now, end, clock) : now + end);
    }
  }
  return first;
}

/** The instant at which a line through the distances now and `until` later is 0, at the latest its end. */
function turnOf(distance: Reading, now: number, until: number, { ahead }: RuleClock): number {
  const here = distance();
  ahead(now + until);
  const there = distance();
  ahead(now);
  const turn = Math.round((here / (here - there)) * until);
  return now + (turn >= 0 && turn < until ? Math.max(1, turn) : until);
}
