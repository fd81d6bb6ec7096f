/** Reads the `optimizer` key of a pipeline. */
import type { OptimizerUse } from '../definitions/optimizer.ts';
import type { Argument, Expression } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import {
  findOptimizer,
  isGradientSync,
  isShard,
  shardsGradients,
  shardsWeights,
  type OptimizerParameter,
  withoutState,
} from '../costs/optimizer.ts';
import type { Precision } from '../costs/types.ts';
import { quantity, wholeNumber } from '../language/expressions.ts';
import { bindArguments, isHalfWritten } from './arguments.ts';
import { readCallee } from '../language/callee.ts';
import { asWritten } from '../language/canonical.ts';

/** Reads `adam`, `megatron_bf16(shard = distributed, step = 8ms)`, `custom(weight = 2, gradient = 4, state = 12)`. */
export function readOptimizer(context: ReadContext, expression: Expression): OptimizerUse | undefined {
  if (expression.kind === 'group') return readOptimizer(context, expression.inner);
  const name = readCallee(context, expression, 'an optimizer such as `adam_mixed`');
  const found = name === undefined || !context.links.has(name) ? undefined : findOptimizer(name.text);
  if (name === undefined || found === undefined) return undefined;
  const { parameters } = found;
  const bound =
    expression.kind === 'call'
      ? bindArguments(
          context,
          expression,
          found.name,
          parameters.map((parameter) => parameter.name),
        )
      : new Map<string, Argument>();
  if (bound === undefined) return undefined;
  const values = new Map<string, string | number>();
  let wrong = false;
  for (const parameter of parameters) {
    const argument = bound.get(parameter.name);
    if (argument === undefined) {
      if (parameter.required !== true) continue;
      wrong = true;
      if (expression.kind === 'call' && isHalfWritten(context, expression)) continue;
      context.report.report('key/missing', name, {
        key: parameter.name,
        block: `call to ${found.name}`,
        example: 'custom(weight = 2, gradient = 4, state = 12)',
      });
      continue;
    }
    const value = argumentValue(context, argument, parameter);
    if (value === undefined) wrong = true;
    else values.set(parameter.name, value);
  }
  if (wrong) return undefined;
  const recipe = found.with?.(values) ?? found;
  if (typeof recipe === 'string') {
    context.report.report('type/mismatch', expression, {
      expected: 'arguments that fit together',
      found: `that ${recipe}`,
    });
    return undefined;
  }
  const [shard, over, step] = [values.get('shard'), values.get('over'), values.get('step')];
  const [offload, reshard, prefetch, gradientSync] = ['offload', 'reshard', 'prefetch', 'gradient_sync'].map((name) =>
    values.get(name),
  );
  const share = typeof offload === 'number' ? offload : 0;
  return {
    recipe: share > 0 ? withoutState(recipe, share) : recipe,
    ...(share > 0 ? { offload: { share, recipe } } : {}),
    shard: typeof shard === 'string' && isShard(shard) ? shard : 'none',
    ...(typeof over === 'number' ? { over } : {}),
    reshard: reshard !== 'false',
    ...(typeof reshard === 'number' ? { reshardTo: reshard } : {}),
    ...(typeof prefetch === 'number' ? { prefetch } : {}),
    ...(typeof gradientSync === 'string' && isGradientSync(gradientSync) ? { gradientSync } : {}),
    clip: values.get('clip') === 'true',
    ...(typeof step === 'number' ? { step } : {}),
    written: values,
    at: new Map([...bound].map(([key, argument]) => [key, argument.name ?? argument])),
  };
}

function argumentValue(
  context: ReadContext,
  { value }: Argument,
  { name, kind, least = 1, words = [], orCount }: OptimizerParameter,
): string | number | undefined {
  if (orCount === true && value.kind !== 'name') return wholeNumber(context, value, `"${name}"`, { min: 2 });
  if (kind === 'time') return quantity(context, value, { kind: 'quantity', dimension: 'time', min: 0 }, `"${name}"`);
  if (kind === 'bytes')
    return quantity(context, value, { kind: 'quantity', dimension: 'number', min: 0, max: 1024 }, `"${name}"`);
  if (kind === 'share')
    return quantity(context, value, { kind: 'quantity', dimension: 'share', min: 0, max: 1 }, `"${name}"`);
  if (kind === 'count') return wholeNumber(context, value, `"${name}"`, { min: least });
  const text = value.kind === 'name' ? value.text : undefined;
  if (text !== undefined && words.includes(text)) return text;
  // A name that is not known has been reported.
  if (value.kind !== 'name' || context.links.has(value)) {
    const quoted = words.map((word) => `\`${word}\``);
    context.report.report('type/mismatch', value, {
      expected: `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`,
      found: asWritten(context, value),
    });
  }
  return undefined;
}

/** Bytes of a parameter behind the optimizer, and what its shard splits. */
export function hintOptimizer(
  context: ReadContext,
  { recipe, shard, over }: OptimizerUse,
  at: Expression,
  precision: Precision,
): void {
  const { weights, gradients, optimizer } = recipe.bytes({
    local: 1,
    experts: 0,
    ranks: 1,
    expertRanks: 1,
    precision,
  });
  const group = over === undefined ? 'data ranks' : `${over} data ranks`;
  const split = shardsWeights(shard) ? 'all of it' : shardsGradients(shard) ? 'gradients and state' : 'the state';
  context.derived.push({
    offset: at.end,
    text: ` ${weights + gradients + optimizer} bytes/parameter`,
    tooltip: `Weights ${weights}, gradients ${gradients}, optimizer state ${optimizer} bytes per parameter${shard === 'none' ? '' : `, ${split} split over ${group}`}.`,
  });
}
