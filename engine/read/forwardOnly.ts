/** Reads `forward_only(s) = s < 2` of a schedule: stages that run no backward. */
import { type Keys, valueOf } from '../language/keys.ts';
import type { TruthCode } from '../sequences/code.ts';
import type { Frame } from '../sequences/frame.ts';
import { compileCondition } from '../sequences/operands.ts';
import { type CompiledSchedule, slotsOf, tooDeep } from '../sequences/schedule.ts';
import type { ReadContext } from './context.ts';

/** Whether a stage runs forwards only. */
export interface ForwardOnly {
  readonly code: TruthCode;
  readonly slot: number;
}

/** `undefined` if the key is not written, `wrong` where it has an error (reported). */
export function readForwardOnly(
  { report }: ReadContext,
  compiled: CompiledSchedule,
  keys: Keys,
): ForwardOnly | 'wrong' | undefined {
  const entry = keys.find('forward_only');
  if (entry === undefined) return undefined;
  const { names } = compiled;
  const [slot, ...more] = slotsOf(names, entry.parameters ?? []);
  const value = valueOf(entry);
  const code = value === undefined ? undefined : compileCondition(names, value);
  if (value === undefined || code === undefined || tooDeep(names, value, code)) return 'wrong';
  if (slot === undefined || more.length > 0 || entry.parameters?.length !== 1) {
    const found = String(entry.parameters?.length ?? 0);
    report.report('type/mismatch', entry.key, { expected: 'a stage, as `forward_only(s) = s < 2`', found });
    return 'wrong';
  }
  const order = keys.find('order') ?? keys.find('slot');
  if (order !== undefined) {
    const found = order.key.text === 'slot' ? 'slots' : 'a rule';
    report.report('type/mismatch', entry.key, {
      expected: 'rows: only they leave out the backwards of a stage',
      found,
    });
    return 'wrong';
  }
  return { code, slot };
}

/** Which of the stages do; `undefined` where the condition is wrong for one (reported). */
export function forwardStages(
  { code, slot }: ForwardOnly,
  frame: Frame,
  count: number,
): readonly boolean[] | undefined {
  const stages = Array.from({ length: count }, (_, stage) => {
    frame.slots[slot] = stage;
    return !frame.failed && code.at(frame);
  });
  return frame.failed ? undefined : stages;
}
