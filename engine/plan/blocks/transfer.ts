/** Reads the `transfer` key of a pipeline. */
import type { Expression } from '../../../grammar/syntax.ts';
import type { FileContext } from '../context.ts';
import { evaluate } from '../evaluate.ts';
import type { TransferRule } from '../plan.ts';
import { describe } from '../values.ts';
import { bindArguments } from './arguments.ts';

const batches: Readonly<Record<string, TransferRule['batched']>> = { false: 'none', true: 'peer', all: 'all' };

/**
 * `buffered` or `rendezvous(batched = true)`: the rule, or 'buffered' where transfers run beside the work; `undefined` where it is
 * wrong, which has been reported.
 */
export function readTransfer(context: FileContext, expression: Expression): TransferRule | 'buffered' | undefined {
  if (expression.kind === 'group') return readTransfer(context, expression.inner);
  const name = expression.kind === 'name' ? expression : expression.kind === 'call' ? expression.callee : undefined;
  if (name === undefined) {
    const value = evaluate(context, expression);
    if (value !== undefined) mismatch(context, expression, '`buffered` or `rendezvous`', describe(value));
    return undefined;
  }
  if (!context.links.has(name)) return undefined;
  const blocks = name.text === 'rendezvous';
  if (expression.kind !== 'call') return blocks ? { kind: 'rendezvous', batched: 'none' } : 'buffered';
  const bound = bindArguments(context, expression, name.text, blocks ? ['batched'] : []);
  if (bound === undefined) return undefined;
  const argument = bound.get('batched');
  if (argument === undefined) return blocks ? { kind: 'rendezvous', batched: 'none' } : 'buffered';
  const { value } = argument;
  const batched = value.kind === 'name' ? batches[value.text] : undefined;
  if (batched !== undefined) return { kind: 'rendezvous', batched };
  // A name that is not known has been reported.
  if (value.kind !== 'name' || context.links.has(value))
    mismatch(context, value, '`false`, `true` or `all`', 'something else');
  return undefined;
}

const mismatch = (context: FileContext, at: Expression, expected: string, found: string): void =>
  context.report.report('type/mismatch', at, { expected, found });
