/** Reads the `transfer` key of a pipeline. */
import { table } from '../basics/table.ts';
import type { TransferUse } from '../definitions/pipeline.ts';
import type { Argument, Expression } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import { checked, evaluate } from '../language/expressions.ts';
import type { TransferRule, Resharding } from '../values/plan.ts';
import { bindArguments } from './arguments.ts';
import { readCallee } from '../language/callee.ts';
import { asWritten } from '../language/canonical.ts';

const batches: Readonly<Record<string, TransferRule['batched']>> = table({ false: 'none', true: 'peer', all: 'all' });

/** Methods to exchange data between different meshes, without arguments. */
const reshardings: Readonly<Record<string, Resharding>> = table({
  send_recv: { strategy: 'send_recv' },
  all_gather: { strategy: 'all_gather', scope: 'node' },
  broadcast: { strategy: 'broadcast' },
  scatter_gather: { strategy: 'scatter_gather' },
});

/** What a stage has room to receive: one message at a time, or all of an iteration. */
const rooms: Readonly<Record<string, 'next' | 'all'>> = table({ next: 'next', all: 'all' });

const parameters: Readonly<Record<string, readonly string[]>> = table({
  buffered: ['receive'],
  rendezvous: ['batched', 'reshard'],
  all_gather: ['scope'],
  broadcast: ['chunks'],
});

/** `buffered`, `buffered(receive = all)`, `broadcast(chunks = 64)` or `rendezvous(batched = true)`; `undefined` where it is wrong, which has been reported. */
export function readTransfer(context: ReadContext, expression: Expression): TransferUse | undefined {
  if (expression.kind === 'group') return readTransfer(context, expression.inner);
  const name = readCallee(context, expression, '`buffered`, `rendezvous` or a reshard method such as `broadcast`');
  if (name === undefined || !context.links.has(name)) return undefined;
  const bound =
    expression.kind === 'call'
      ? bindArguments(context, expression, name.text, parameters[name.text] ?? [])
      : new Map<string, Argument>();
  if (bound === undefined) return undefined;
  if (name.text === 'rendezvous') return readRendezvous(context, bound);
  const receive = bound.get('receive');
  if (receive !== undefined) {
    const read = readWord(context, receive, rooms);
    return read === undefined ? undefined : read === 'all' ? { receive: 'all' } : {};
  }
  const reshard = reshardings[name.text];
  if (reshard === undefined) return {};
  const scope = bound.get('scope');
  if (scope !== undefined) {
    const read = readWord<'node' | 'cluster'>(context, scope, { node: 'node', cluster: 'cluster' });
    return read === undefined ? undefined : { reshard: { strategy: 'all_gather', scope: read } };
  }
  const argument = bound.get('chunks');
  if (argument === undefined) return { reshard };
  const found = evaluate(context, argument.value);
  if (found === undefined) return undefined;
  const schema = { kind: 'quantity', dimension: 'number', integer: true, min: 1 } as const;
  const chunks = checked(context, argument.value, found, schema, '"chunks"');
  return chunks === undefined ? undefined : { reshard: { strategy: 'broadcast', chunks } };
}

function readRendezvous(context: ReadContext, bound: ReadonlyMap<string, Argument>): TransferUse | undefined {
  const [batched, reshard] = [bound.get('batched'), bound.get('reshard')];
  const batching = batched === undefined ? 'none' : readWord(context, batched, batches);
  const resharding = reshard === undefined ? 'fastest' : readWord(context, reshard, reshardings);
  if (batching === undefined || resharding === undefined) return undefined;
  return {
    rule: { kind: 'rendezvous', batched: batching },
    ...(resharding === 'fastest' ? {} : { reshard: resharding }),
  };
}

/** What the word of an argument stands for. */
function readWord<T>(context: ReadContext, { value }: Argument, words: Readonly<Record<string, T>>): T | undefined {
  const found = value.kind === 'name' && Object.hasOwn(words, value.text) ? words[value.text] : undefined;
  if (found !== undefined) return found;
  // A name that is not known has been reported.
  if (value.kind !== 'name' || context.links.has(value)) {
    const names = Object.keys(words).map((name) => `\`${name}\``);
    const expected = `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
    context.report.report('type/mismatch', value, { expected, found: asWritten(context, value) });
  }
  return undefined;
}
