/** Reads the `optimizer` key of a pipeline. */
import type { Argument, Expression, Span } from '../../grammar/syntax.ts';
import type { FileContext } from '../language/context.ts';
import {
  findOptimizer,
  isShard,
  shardsGradients,
  shardsWeights,
  type OptimizerParameter,
  type OptimizerRecipe,
  type Shard,
} from '../costs/optimizer.ts';
import type { Precision } from '../costs/types.ts';
import { quantity, wholeNumber } from '../language/expressions.ts';
import type { SitedRanks } from '../planning/place/sites.ts';
import { bindArguments } from './arguments.ts';
import { readCallee } from './callee.ts';

export interface OptimizerUse {
  /** With its own arguments in it. */
  readonly recipe: OptimizerRecipe;
  readonly shard: Shard;
  /** Ranks of one shard group; absent: all. */
  readonly over?: number;
  /** Gathered weights are dropped after each forward and backward; else they and the gradients stay whole. Counts where weights are split. */
  readonly reshard: boolean;
  /** Seconds after the last backward. */
  readonly step: number;
  /** Where the arguments that were written stand. */
  readonly at: ReadonlyMap<string, Span>;
}

/** Reads `adam`, `megatron_bf16(shard = distributed, step = 8ms)`, `custom(weight = 2, gradient = 4, state = 12)`. */
export function readOptimizer(context: FileContext, expression: Expression): OptimizerUse | undefined {
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
          parameters.map((one) => one.name),
        )
      : new Map<string, Argument>();
  if (bound === undefined) return undefined;
  const values = new Map<string, string | number>();
  let wrong = false;
  for (const parameter of parameters) {
    const argument = bound.get(parameter.name);
    if (argument === undefined) {
      if (parameter.required !== true) continue;
      context.report.report('key/missing', name, {
        key: parameter.name,
        block: `call of ${found.name}`,
        example: 'custom(weight = 2, gradient = 4, state = 12)',
      });
      wrong = true;
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
  return {
    recipe,
    shard: typeof shard === 'string' && isShard(shard) ? shard : 'none',
    ...(typeof over === 'number' ? { over } : {}),
    reshard: values.get('reshard') !== 'false',
    step: typeof step === 'number' ? step : 0,
    at: new Map([...bound].map(([key, argument]) => [key, argument.name ?? argument])),
  };
}

function argumentValue(
  context: FileContext,
  { value }: Argument,
  { name, kind, words = [] }: OptimizerParameter,
): string | number | undefined {
  if (kind === 'time') return quantity(context, value, { kind: 'quantity', dimension: 'time', min: 0 }, `"${name}"`);
  if (kind === 'bytes')
    return quantity(context, value, { kind: 'quantity', dimension: 'number', min: 0, max: 1024 }, `"${name}"`);
  if (kind === 'count') return wholeNumber(context, value, `"${name}"`, { min: 1 });
  const text = value.kind === 'name' ? value.text : undefined;
  if (text !== undefined && words.includes(text)) return text;
  // A name that is not known has been reported.
  if (value.kind !== 'name' || context.links.has(value)) {
    const quoted = words.map((one) => `\`${one}\``);
    context.report.report('type/mismatch', value, {
      expected: `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`,
      found: 'something else',
    });
  }
  return undefined;
}

/**
 * Checks the shard against the ranks that hold the same parameters: `over` must divide them (`value/range`), and what has no
 * effect is a `key/not-applicable`.
 */
export function checkShard(context: FileContext, use: OptimizerUse, sited: SitedRanks): void {
  const { recipe, shard, over, at } = use;
  // Of stages with unlike meshes, or with replicas, the one with the most; `over` must divide all.
  const counts = [...new Set(sited.ranks.map(({ kind }) => kind.ranks))];
  const ranks = counts.find((one) => over !== undefined && one > 1 && one % over !== 0) ?? Math.max(...counts);
  const idle = (argument: string, reason: string) => {
    const place = at.get(argument);
    if (place !== undefined) context.report.report('key/not-applicable', place, { key: argument, reason });
  };
  if (shard === 'none') {
    idle('over', 'nothing is split: `shard` is `none`');
    idle('reshard', 'weights are not split: `shard` is `none`');
    return;
  }
  if (ranks === 1) {
    idle('shard', 'there is one data rank to split over');
    return;
  }
  const place = at.get('over');
  if (over !== undefined && place !== undefined && ranks % over !== 0)
    context.report.report('value/range', place, {
      what: '"over"',
      value: String(over),
      allowed: `a divisor of the ${ranks} ranks that hold the same weights, such as ${nearestDivisors(ranks, over).join(' or ')}`,
    });
  else if (over === 1) idle('shard', 'a shard group is one rank: `over` is 1');
  else if (splitsNothing(use))
    idle('shard', `\`${recipe.name}\` keeps no state to split; \`zero2\` splits its gradients`);
  if (!shardsWeights(shard)) idle('reshard', `\`${shard}\` does not split weights`);
}

/** The greatest divisor up to `over` and the least one above it. */
function nearestDivisors(ranks: number, over: number): readonly number[] {
  let [below, above] = [Math.min(over, ranks), over + 1];
  while (ranks % below !== 0) below -= 1;
  while (above < ranks && ranks % above !== 0) above += 1;
  return above > ranks ? [below] : [below, above];
}

const splitsNothing = ({ recipe, shard }: OptimizerUse): boolean => {
  const request = { local: 1, experts: 0, ranks: 2, expertRanks: 2, precision: 'bf16', shard } as const;
  const { weights, gradients, optimizer } = recipe.bytes(request);
  const whole = recipe.bytes({ ...request, shard: 'none' });
  return weights === whole.weights && gradients === whole.gradients && optimizer === whole.optimizer;
};

/** Bytes of a parameter behind the optimizer, and what its shard splits. */
export function hintOptimizer(
  context: FileContext,
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
    text: ` ${weights + gradients + optimizer} bytes a parameter`,
    tooltip: `Weights ${weights}, gradients ${gradients}, optimizer state ${optimizer} bytes a parameter${shard === 'none' ? '' : `, ${split} split over ${group}`}.`,
  });
}
