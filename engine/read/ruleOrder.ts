/** What a schedule by rule decides in the numbers of one pipeline: limits, conditions, and the operations that it runs. */
import type { PlacedNumbers, RuleOrder } from '../definitions/scheduleEvaluator.ts';
import type { Entry } from '../../grammar/syntax.ts';
import { type Frame, outside } from '../sequences/frame.ts';
import type { CompiledFunction } from '../sequences/schedule.ts';
import type { RuleOperation } from '../values/plan.ts';
import type { DeclaredOperation } from './operations.ts';
import { operationUses } from './operationUses.ts';
import { type Rule, ruleFor } from './rule.ts';
import { ruleRows } from './ruleRows.ts';

/** A rule as written. */
export interface RuleText {
  readonly kind: 'greedy';
  readonly prefer: readonly RuleOperation[];
  /** `in_flight(s)`; `undefined` where there is no limit. */
  readonly inFlight: { readonly entry: Entry; readonly compiled: CompiledFunction } | undefined;
  readonly rule: Rule | 'none';
}

/** `undefined` where an expression is wrong for these numbers (reported). `frame`: a new one for them. */
export function ruleOrder(
  { prefer, inFlight: limit, rule: written }: RuleText,
  declared: readonly DeclaredOperation[],
  numbers: PlacedNumbers,
  frame: () => Frame,
): RuleOrder | undefined {
  const inFlight =
    limit === undefined ? new Array<null>(numbers.stages).fill(null) : inFlightOf(frame(), limit, numbers.stages);
  const rule = written === 'none' ? written : ruleFor(frame(), written, prefer, numbers);
  if (inFlight === undefined || rule === undefined) return undefined;
  const order = { inFlight, ...(rule === 'none' ? {} : { rule }) };
  const chosen = declared.filter(({ name }) => prefer.includes(name));
  if (chosen.length === 0) return order;
  const shared = frame();
  const rows = ruleRows(shared, chosen, numbers);
  const used = rows && operationUses(shared, declared, rows, numbers, 'rule');
  return rows && used && { ...order, operations: { rows, used } };
}

/** Most microbatches in flight of each stage. */
function inFlightOf(
  frame: Frame,
  { entry, compiled: { code, slots } }: NonNullable<RuleText['inFlight']>,
  stages: number,
): readonly number[] | undefined {
  const found: number[] = [];
  for (let stage = 0; stage < stages; stage += 1) {
    for (const slot of slots) frame.slots[slot] = stage;
    const most = code.at(frame);
    if (!(Number.isSafeInteger(most) && most >= 1))
      outside(
        frame,
        entry.values?.[0] ?? entry.key,
        `"in_flight" of stage ${stage}`,
        String(most),
        'a whole number of at least 1',
      );
    if (frame.failed) return undefined;
    found.push(most);
  }
  return found;
}
