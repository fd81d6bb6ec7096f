import type { Expression } from '../../../grammar/syntax.ts';
import type { FileContext } from '../context.ts';
import { findOptimizer, type OptimizerRecipe, type Shard } from '../costs/optimizer.ts';
import { quantity } from '../evaluate.ts';
import { bindArguments } from './arguments.ts';
import { readCallee } from './callee.ts';

export interface OptimizerUse {
  readonly recipe: OptimizerRecipe;
  readonly shard: Shard;
  /** Seconds after the last backward. */
  readonly step: number;
}

/** Reads `adam` or `megatron_bf16(shard = distributed, step = 8ms)`. */
export function readOptimizer(context: FileContext, expression: Expression): OptimizerUse | undefined {
  if (expression.kind === 'group') return readOptimizer(context, expression.inner);
  const name = readCallee(context, expression, 'an optimizer such as `adam_mixed`');
  const recipe = name === undefined || !context.links.has(name) ? undefined : findOptimizer(name.text);
  if (recipe === undefined) return undefined;
  if (expression.kind !== 'call') return { recipe, shard: 'none', step: 0 };
  const bound = bindArguments(
    context,
    expression,
    recipe.name,
    recipe.parameters.map((one) => one.name),
  );
  if (bound === undefined) return undefined;
  const shardValue = bound.get('shard')?.value;
  const stepValue = bound.get('step')?.value;
  let shard: Shard = 'none';
  if (shardValue !== undefined) {
    const word = shardValue.kind === 'name' ? shardWord(shardValue.text) : undefined;
    if (word === undefined) {
      if (shardValue.kind !== 'name' || context.links.has(shardValue)) {
        context.report.report('type/mismatch', shardValue, {
          expected: '`none`, `zero1` or `distributed`',
          found: 'something else',
        });
      }
      return undefined;
    }
    shard = word;
  }
  const step =
    stepValue === undefined
      ? 0
      : quantity(context, stepValue, { kind: 'quantity', dimension: 'time', min: 0 }, '"step"');
  return step === undefined ? undefined : { recipe, shard, step };
}

const shardWord = (text: string): Shard | undefined =>
  text === 'none' || text === 'zero1' || text === 'distributed' ? text : undefined;
