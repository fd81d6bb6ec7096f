/** Reads the `sync` key of a pipeline. */
import type { SyncRule } from '../definitions/pipeline.ts';
import type { Expression } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import { quantity } from '../language/expressions.ts';
import { bindArguments } from './arguments.ts';
import { readCallee } from '../language/callee.ts';

/**
 * `end`, `overlap` or `overlap(bucket = 25MB)`: the rule, or 'end' where gradients are exchanged after the last operation; `undefined`
 * where it is wrong, which has been reported.
 */
export function readSync(context: ReadContext, expression: Expression): SyncRule | 'end' | undefined {
  if (expression.kind === 'group') return readSync(context, expression.inner);
  const name = readCallee(context, expression, '`end` or `overlap`');
  if (name === undefined || !context.links.has(name)) return undefined;
  const overlaps = name.text === 'overlap';
  if (expression.kind !== 'call') return overlaps ? { bucket: 0 } : 'end';
  const bound = bindArguments(context, expression, name.text, overlaps ? ['bucket'] : []);
  if (bound === undefined) return undefined;
  if (!overlaps) return 'end';
  const written = bound.get('bucket')?.value;
  const bytes =
    written === undefined
      ? 0
      : quantity(context, written, { kind: 'quantity', dimension: 'bytes', min: 0 }, 'The bucket');
  return bytes === undefined ? undefined : { bucket: bytes };
}
