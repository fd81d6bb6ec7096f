/** Reads `activations = fp8`, `activations = fp8(recipe = blockwise, swiglu = true)` or `activations = fp4` of a model. */
import { fp4Recipes, storedFormat, storedRecipes } from '../costs/stored.ts';
import type { Precision, StoredFormat } from '../costs/types.ts';
import type { Argument } from '../../grammar/syntax.ts';
import { calleeOf, readCallee } from '../language/callee.ts';
import { type Keys, notApplicable, valueOf } from '../language/keys.ts';
import { bindArguments } from './arguments.ts';
import type { ReadContext } from './context.ts';
import { asWritten } from '../language/canonical.ts';

/** `wrong` where it has an error, which has been reported; `undefined` where it is not written or has no effect. */
export function readStored(
  context: ReadContext,
  keys: Keys,
  precision: Precision | undefined,
): StoredFormat | 'wrong' | undefined {
  const entry = keys.find('activations');
  if (entry === undefined) return undefined;
  const value = valueOf(entry);
  const format = value === undefined ? undefined : calleeOf(value)?.text;
  if (value === undefined || (format !== 'fp8' && format !== 'fp4')) {
    // An unknown name has been reported where names get their meaning.
    if (value !== undefined) readCallee(context, value, '`fp8`, `fp8(recipe = blockwise)` or `fp4`');
    return 'wrong';
  }
  const bound =
    value.kind === 'call'
      ? bindArguments(context, value, format, format === 'fp8' ? ['recipe', 'swiglu', 'dispatch'] : ['recipe'])
      : new Map<string, Argument>();
  if (bound === undefined) return 'wrong';
  const recipe =
    format === 'fp8'
      ? wordOf(context, bound.get('recipe'), storedRecipes, 'current')
      : wordOf(context, bound.get('recipe'), fp4Recipes, 'nvfp4');
  const swiglu = wordOf(context, bound.get('swiglu'), ['true', 'false'], 'false');
  const dispatch = wordOf(context, bound.get('dispatch'), ['true', 'false'], 'false');
  if (recipe === undefined || swiglu === undefined || dispatch === undefined) return 'wrong';
  if (precision === format) return storedFormat(recipe, { gate: swiglu === 'true', dispatch: dispatch === 'true' });
  if (precision !== undefined)
    notApplicable(context, entry, `products are in ${precision}; write \`precision = ${format}\``);
  return undefined;
}

/** One of the words; `undefined` for anything else (reported). */
function wordOf<W extends string>(
  context: ReadContext,
  argument: Argument | undefined,
  words: readonly W[],
  usual: W,
): W | undefined {
  if (argument === undefined) return usual;
  const { value } = argument;
  const word = value.kind === 'name' ? words.find((each) => each === value.text) : undefined;
  if (word === undefined && (value.kind !== 'name' || context.links.has(value)))
    context.report.report('type/mismatch', value, {
      expected: words.map((each) => `\`${each}\``).join(' or '),
      found: asWritten(context, value),
    });
  return word;
}
