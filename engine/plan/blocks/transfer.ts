/** Reads the `transfer` key of a pipeline. */
import type { Expression } from '../../../grammar/syntax.ts';
import type { FileContext } from '../context.ts';
import type { TransferRule } from '../plan.ts';
import { bindArguments } from './arguments.ts';
import { readCallee } from './callee.ts';

const batches: Readonly<Record<string, TransferRule['batched']>> = { false: 'none', true: 'peer', all: 'all' };

/**
 * `buffered` or `rendezvous(batched = true)`: the rule, or 'buffered' where transfers run beside the work; `undefined` where it is
 * wrong, which has been reported.
 */
export function readTransfer(context: FileContext, expression: Expression): TransferRule | 'buffered' | undefined {
  if (expression.kind === 'group') return readTransfer(context, expression.inner);
  const name = readCallee(context, expression, '`buffered` or `rendezvous`');
  if (name === undefined || !context.links.has(name)) return undefined;
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
    context.report.report('type/mismatch', value, {
      expected: '`false`, `true` or `all`',
      found: 'something else',
    });
  return undefined;
}
