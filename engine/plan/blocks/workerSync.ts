/** Reads the `sync` key of a job. */
import type { Expression } from '../../../grammar/syntax.ts';
import type { FileContext } from '../context.ts';
import { evaluate, wholeNumber } from '../evaluate.ts';
import type { JobPlan } from '../plan.ts';
import { describe } from '../values.ts';
import { bindArguments } from './arguments.ts';

/** `wsp(distance = 2)`, or `wsp` for a distance of 0; `undefined` where it is wrong, which has been reported. */
export function readWorkerSync(context: FileContext, expression: Expression): JobPlan['sync'] | undefined {
  if (expression.kind === 'group') return readWorkerSync(context, expression.inner);
  const name = expression.kind === 'name' ? expression : expression.kind === 'call' ? expression.callee : undefined;
  if (name === undefined) {
    const value = evaluate(context, expression);
    if (value !== undefined)
      context.report.report('type/mismatch', expression, {
        expected: 'a way to synchronise such as `wsp(distance = 0)`',
        found: describe(value),
      });
    return undefined;
  }
  if (!context.links.has(name)) return undefined;
  if (expression.kind !== 'call') return { kind: 'wsp', distance: 0 };
  const argument = bindArguments(context, expression, name.text, ['distance']);
  if (argument === undefined) return undefined;
  const written = argument.get('distance')?.value;
  const distance = written === undefined ? 0 : wholeNumber(context, written, 'The distance');
  return distance === undefined ? undefined : { kind: 'wsp', distance };
}
