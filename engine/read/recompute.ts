/** Reads what is recomputed: a word, `modules(core_attention, mlp)`, or `full` with its arguments. */
import type { Call, Expression } from '../../grammar/syntax.ts';
import { table } from '../basics/table.ts';
import {
  budgetMode,
  modulesMode,
  type RecomputeModule,
  recomputeModules,
  type SomeLayers,
  someLayersMode,
} from '../costs/recompute.ts';
import type { RecomputeMode } from '../costs/types.ts';
import { calleeOf } from '../language/callee.ts';
import { evaluate, quantity, wholeNumber } from '../language/expressions.ts';
import { type Keys, type Read, valueOf } from '../language/keys.ts';
import { recomputeWords } from '../language/kinds.ts';
import { otherModuleNames } from '../language/schema/words.ts';
import { describe } from '../language/values.ts';
import { bindArguments } from './arguments.ts';
import type { ReadContext } from './context.ts';
import { asWritten } from '../language/canonical.ts';

const calls = table<(context: ReadContext, call: Call) => RecomputeMode | undefined>({
  modules: readModules,
  full: readLayers,
  budget: readBudget,
});
const modes = recomputeWords.map(({ name }) => name) as readonly RecomputeMode[];
const expected =
  '`none`, `selective`, `full`, `stage`, `operations` or a call such as `modules(mlp)`, `full(layers = 4)` or `budget(50%)`';

export function readRecompute(context: ReadContext, keys: Keys): Read<RecomputeMode> {
  const entry = keys.find('recompute');
  if (entry === undefined) return { is: 'absent' };
  const expression = valueOf(entry);
  return expression === undefined ? { is: 'wrong' } : readRecomputeValue(context, expression);
}

/** The same of one value. */
export function readRecomputeValue(context: ReadContext, expression: Expression): Read<RecomputeMode> {
  if (expression.kind === 'group') return readRecomputeValue(context, expression.inner);
  const name = calleeOf(expression);
  if (expression.kind === 'call') {
    const read = name === undefined ? undefined : calls[name.text];
    // Other functions are reported where names get their meaning.
    const mode = read?.(context, expression);
    return mode === undefined ? { is: 'wrong' } : { is: 'value', value: mode };
  }
  const word = modes.find((mode) => mode === name?.text) ?? (name?.text === 'full' ? 'full' : undefined);
  if (word !== undefined) return { is: 'value', value: word };
  if (name?.text === 'budget')
    context.report.report('key/missing', name, { key: 'share', block: 'call to budget', example: 'budget(50%)' });
  if (name?.text === 'modules')
    context.report.report('key/missing', name, { key: 'module', block: 'call to modules', example: 'modules(mlp)' });
  if (name !== undefined) return { is: 'wrong' };
  const found = evaluate(context, expression);
  if (found !== undefined) context.report.report('type/mismatch', expression, { expected, found: describe(found) });
  return { is: 'wrong' };
}

function readModules(context: ReadContext, call: Call): RecomputeMode | undefined {
  const found: RecomputeModule[] = [];
  let wrong = false;
  for (const argument of call.arguments) {
    const { value, name } = argument;
    const text = value.kind === 'name' && name === undefined ? value.text : undefined;
    const module = recomputeModules.find((each) => each === (otherModuleNames[text ?? ''] ?? text));
    if (module === undefined) {
      wrong = true;
      if (text === undefined || (value.kind === 'name' && context.links.has(value)))
        context.report.report('type/mismatch', name === undefined ? value : argument, {
          expected: `a module: ${recomputeModules.map((each) => `\`${each}\``).join(', ')}`,
          found: asWritten(context, argument),
        });
    } else if (found.includes(module)) {
      wrong = true;
      context.report.report('key/duplicate', argument, { key: module, block: 'call to modules' });
    } else found.push(module);
  }
  if (wrong) return undefined;
  if (found.length > 0) return modulesMode(found);
  context.report.report('key/missing', call, { key: 'module', block: 'call to modules', example: 'modules(mlp)' });
  return undefined;
}

function readBudget(context: ReadContext, call: Call): RecomputeMode | undefined {
  const share = bindArguments(context, call, 'budget', ['share'])?.get('share');
  if (share === undefined) {
    if (call.arguments.length === 0)
      context.report.report('key/missing', call, { key: 'share', block: 'call to budget', example: 'budget(50%)' });
    return undefined;
  }
  const read = quantity(context, share.value, { kind: 'quantity', dimension: 'share', min: 0, max: 1 }, '"share"');
  return read === undefined ? undefined : budgetMode(read);
}

const methods = ['block', 'uniform'] as const;

/** Layers of a stage that are recomputed in full: `full(layers = 5)`, `full(layers = 2, method = uniform)`, `full(every = 2)`. */
function readLayers(context: ReadContext, call: Call): RecomputeMode | undefined {
  const bound = bindArguments(context, call, 'full', ['layers', 'method', 'every']);
  if (bound === undefined) return undefined;
  if (bound.size === 0) return 'full';
  const [layers, method, every] = ['layers', 'method', 'every'].map((name) => bound.get(name));
  const other = layers ?? method;
  if (every !== undefined && other !== undefined) {
    const reason = 'with `every` each k-th layer is recomputed; write either `layers` or `every`';
    const key = layers === undefined ? 'method' : 'layers';
    context.report.report('key/not-applicable', other, { key, reason });
    return undefined;
  }
  const counted = layers ?? every;
  if (counted === undefined) {
    context.report.report('key/missing', call, { key: 'layers', block: 'call to full', example: 'layers = 4' });
    return undefined;
  }
  const way = method === undefined ? 'block' : readMethod(context, method.value);
  const min = layers !== undefined && way === 'block' ? 0 : 1;
  const number = wholeNumber(context, counted.value, layers === undefined ? '"every"' : '"layers"', { min });
  if (number === undefined || way === undefined) return undefined;
  // So that a param of layers can begin at none.
  if (number === 0) return 'none';
  return someLayersMode({ method: layers === undefined ? 'every' : way, layers: Math.min(number, mostLayers) });
}

/** More layers than any model has: more mean the same. */
const mostLayers = 1_000_000;

function readMethod(context: ReadContext, value: Call['arguments'][number]['value']): SomeLayers['method'] | undefined {
  const found = value.kind === 'name' ? methods.find((method) => method === value.text) : undefined;
  if (found === undefined && (value.kind !== 'name' || context.links.has(value)))
    context.report.report('type/mismatch', value, {
      expected: '`block` or `uniform`',
      found: asWritten(context, value),
    });
  return found;
}
