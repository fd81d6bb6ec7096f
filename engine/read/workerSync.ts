/** Reads the `sync` key of a job. */
import type { Expression } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import { wholeNumber } from '../language/expressions.ts';
import type { JobPlan } from '../values/plan.ts';
import { bindArguments } from './arguments.ts';
import { readCallee } from '../language/callee.ts';

/** `wsp(distance = 2)`, `wsp` for a distance of 0, or `free`; `undefined` where it is wrong, which has been reported. */
export function readWorkerSync(context: ReadContext, expression: Expression): JobPlan['sync'] | undefined {
  if (expression.kind === 'group') return readWorkerSync(context, expression.inner);
  const name = readCallee(context, expression, 'a synchronisation rule such as `wsp(distance = 0)`');
  if (name === undefined || !context.links.has(name)) return undefined;
  if (name.text === 'free')
    return expression.kind === 'call' && bindArguments(context, expression, name.text, []) === undefined
      ? undefined
      : { kind: 'free' };
  if (expression.kind !== 'call') return { kind: 'wsp', distance: 0 };
  const argument = bindArguments(context, expression, name.text, ['distance']);
  if (argument === undefined) return undefined;
  const written = argument.get('distance')?.value;
  const distance = written === undefined ? 0 : wholeNumber(context, written, 'The distance');
  return distance === undefined ? undefined : { kind: 'wsp', distance };
}
