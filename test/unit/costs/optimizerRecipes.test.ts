import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import {
  findOptimizer,
  optimizers,
  shardRanks,
  shardsGradients,
  shardsWeights,
  withoutState,
  type OptimizerRecipe,
  type OptimizerRequest,
  type Shard,
} from '../../../engine/costs/optimizer.ts';
import { shardWords } from '../../../engine/costs/optimizer/shard.ts';

const request = (ranks: number, more: Partial<OptimizerRequest> = {}): OptimizerRequest => ({
  local: 1000,
  experts: 0,
  ranks,
  expertRanks: ranks,
  precision: 'bf16',
  ...more,
});

const recipeOf = (name: string, values: Readonly<Record<string, string | number>> = {}): OptimizerRecipe => {
  const recipe = findOptimizer(name);
  const built = recipe?.with?.(new Map(Object.entries(values))) ?? recipe;
  if (built === undefined || typeof built === 'string') throw new Error(`${name}: ${built ?? 'unknown'}`);
  return built;
};

/** Bytes a parameter while weights are updated. */
const total = (recipe: OptimizerRecipe, shard: Shard, ranks: number, more: Partial<OptimizerRequest> = {}) => {
  const { weights, gradients, optimizer, gradientCopies = 0 } = recipe.bytes(request(ranks, { shard, ...more }));
  return (weights + gradients + optimizer + gradientCopies) / 1000;
};

describe('published bytes a parameter', () => {
  // ZeRO, arXiv:1910.02054, figure 1 and section 5; the table of Megatron-LM's guide to the distributed optimizer.
  it.each([
    ['megatron_bf16', 'none', () => 18],
    ['megatron_bf16', 'distributed', (d: number) => 6 + 12 / d],
    ['megatron_fp16', 'none', () => 20],
    ['megatron_fp16', 'distributed', (d: number) => 4 + 16 / d],
    ['adam', 'none', () => 16],
    ['adam', 'distributed', (d: number) => 8 + 8 / d],
    ['adam', 'fsdp', (d: number) => 16 / d],
    // AdamW keeps the moments of Adam: arXiv:1711.05101, algorithm 2.
    ['adamw', 'none', () => 16],
    ['adamw', 'zero2', (d: number) => 4 + 12 / d],
    ['adam_mixed', 'none', () => 16],
    ['adam_mixed', 'zero1', (d: number) => 4 + 12 / d],
    ['adam_mixed', 'zero2', (d: number) => 2 + 14 / d],
    ['adam_mixed', 'zero3', (d: number) => 16 / d],
    ['adam_bf16', 'none', () => 8],
    // One momentum: arXiv:2302.06675, algorithm 2, and arXiv:2502.16982, section 2.1.
    ['lion', 'none', () => 12],
    ['lion', 'zero1', (d: number) => 8 + 4 / d],
    ['muon', 'none', () => 12],
    // No momentum, and a row and a column of the second moment: arXiv:1804.04235, algorithm 4.
    ['adafactor', 'none', () => 8],
    // Two moments of a byte: arXiv:2110.02861, section 2.
    ['adam_8bit', 'none', () => 10],
    ['adam_8bit', 'fsdp', (d: number) => 10 / d],
    ['momentum', 'none', () => 12],
    ['sgd', 'none', () => 8],
    ['sgd', 'zero1', () => 8],
    ['sgd', 'zero2', (d: number) => 4 + 4 / d],
    ['momentum_mixed', 'none', () => 12],
    ['megatron_sgd', 'none', () => 14],
    ['sgd_mixed', 'none', () => 8],
    ['deepseek_v3', 'none', () => 14],
    ['none', 'zero3', () => 4],
  ] as const)('%s with %s', (name, shard, bytes) => {
    for (const ranks of [1, 2, 8, 64]) expect(total(recipeOf(name), shard, ranks)).toBeCloseTo(bytes(ranks), 9);
  });

  it('ZeRO of 7.5 B parameters over 64 ranks: 120, 31.4, 16.6 and 1.9 GB (figure 1)', () => {
    const of = (shard: Shard) => total(recipeOf('adam_mixed'), shard, 64) * 7.5;
    expect(of('none')).toBe(120);
    expect(of('zero1')).toBeCloseTo(31.4, 1);
    expect(of('zero2')).toBeCloseTo(16.6, 1);
    expect(of('zero3')).toBeCloseTo(1.9, 1);
  });

  it("none follows the model's precision", () => {
    for (const [precision, element] of [
      ['fp32', 4],
      ['tf32', 4],
      ['fp8', 2],
    ] as const)
      expect(recipeOf('none').bytes(request(8, { precision, shard: 'fsdp', experts: 500 }))).toEqual({
        weights: 1500 * element,
        gradients: 1500 * element,
        optimizer: 0,
      });
  });
});

describe('formats', () => {
  it('of the precision-aware optimizer', () => {
    // 2 of the weight; gradient, main weight and two moments as asked.
    for (const [values, bytes] of [
      [{ moments: 'bf16' }, 2 + 4 + 4 + 4],
      [{ moments: 'fp8' }, 2 + 4 + 4 + 2],
      [{ main_grads: 'bf16', moments: 'bf16', main_params: 'remainder' }, 2 + 2 + 2 + 4],
      [{ main_params: 'fp16', moments: 'fp16' }, 2 + 4 + 2 + 4],
    ] as const)
      expect(total(recipeOf('megatron_bf16', values), 'none', 1), JSON.stringify(values)).toBe(bytes);
  });

  it('of copies of gradients that the update makes: of the part that each rank updates, and less with a part on the host', () => {
    const fp16 = recipeOf('megatron_fp16');
    const reduced = recipeOf('megatron_bf16', { main_grads: 'bf16', gradient_copies: 'true' });
    // Megatron-LM, core/optimizer: the step makes `main_param.grad`, or the grad of the shard, with `.float()`.
    for (const recipe of [fp16, reduced]) {
      expect(recipe.bytes(request(1))).toEqual({
        weights: 2000,
        gradients: 2000,
        optimizer: 12000,
        gradientCopies: 4000,
      });
      expect(recipe.bytes(request(8, { shard: 'zero1' })).gradientCopies).toBe(500);
      expect(withoutState(recipe, 0.25).bytes(request(1))).toMatchObject({ optimizer: 9000, gradientCopies: 3000 });
      const { withCopies } = recipe;
      expect(withCopies?.bytes(request(1))).toEqual({ weights: 2000, gradients: 2000, optimizer: 16000 });
      expect(withCopies?.updated?.('fp16', true)).toBe(recipe.updated?.('fp16', true));
      expect(withCopies?.moved('fp16')).toMatchObject(recipe.moved('fp16'));
      expect(withoutState(recipe, 0.25).withCopies?.bytes(request(1))).toMatchObject({ optimizer: 12000 });
    }
    expect(recipeOf('megatron_bf16', { main_grads: 'bf16' }).bytes(request(1)).gradientCopies).toBeUndefined();
    for (const name of ['megatron_bf16', 'megatron_fp8'])
      expect(findOptimizer(name)?.with?.(new Map([['gradient_copies', 'true']]))).toContain('main_grads = bf16');
  });

  it('of weights with fp8 products', () => {
    for (const [values, weight, gathered] of [
      [{}, 4, 2],
      [{ transposes: 'false' }, 3, 2],
      [{ primary: 'fp8' }, 2, 1],
      [{ primary: 'fp8', transposes: 'false' }, 1, 1],
    ] as const) {
      const recipe = recipeOf('megatron_fp8', values);
      expect(recipe.bytes(request(1))).toEqual({ weights: 1000 * weight, gradients: 4000, optimizer: 12000 });
      expect(recipe.moved('fp8')).toMatchObject({ weight: gathered, gradient: 4, gathered: weight });
    }
    // 4 bits and 8 bits for 16 elements, twice: Transformer Engine stores the transposed copy too.
    const fp4 = recipeOf('megatron_fp4');
    expect(fp4.bytes(request(1))).toEqual({ weights: 3125, gradients: 4000, optimizer: 12000 });
    expect(fp4.moved('fp4')).toMatchObject({ weight: 2, gradient: 4, gathered: 3.125 });
    const primary = recipeOf('megatron_fp4', { primary: 'fp4' });
    expect(primary.bytes(request(1))).toEqual({ weights: 1125, gradients: 4000, optimizer: 12000 });
    expect(primary.moved('fp4')).toMatchObject({ weight: 0.5625, gradient: 4, gathered: 1.125 });
    expect(
      findOptimizer('megatron_fp4')?.with?.(
        new Map([
          ['primary', 'fp4'],
          ['main_params', 'remainder'],
        ]),
      ),
    ).toContain('`primary = fp4` keeps none');
    expect(
      findOptimizer('megatron_fp8')?.with?.(
        new Map([
          ['primary', 'fp8'],
          ['main_params', 'remainder'],
        ]),
      ),
    ).toContain('bf16');
    expect(recipeOf('deepseek_v3').bytes(request(1))).toEqual(
      recipeOf('megatron_fp8', { primary: 'fp8', moments: 'bf16' }).bytes(request(1)),
    );
  });

  it('of custom, as given', () => {
    const recipe = recipeOf('custom', { weight: 2, gradient: 4, state: 6.5 });
    expect(recipe.bytes(request(4, { shard: 'zero1' }))).toEqual({ weights: 2000, gradients: 4000, optimizer: 1625 });
  });

  it('on the way: weights no wider than the model computes in, gradients as they are summed', () => {
    expect(recipeOf('adam').moved('bf16')).toMatchObject({ weight: 2, gradient: 4, gathered: 2 });
    expect(recipeOf('adam').moved('fp32')).toMatchObject({ weight: 4, gradient: 4, gathered: 4 });
    expect(recipeOf('megatron_bf16').moved('bf16')).toMatchObject({ weight: 2, gradient: 4, gathered: 2 });
    expect(recipeOf('deepspeed_bf16').moved('bf16')).toMatchObject({ weight: 2, gradient: 4, gathered: 2 });
    expect(recipeOf('none').moved('bf16')).toMatchObject({ weight: 2, gradient: 2, gathered: 2 });
    // As in PyTorch: `reduce_dtype` of FSDP2. DeepSpeed keeps those of a backward beside their sum.
    expect(recipeOf('adamw', { reduce: 'bf16' }).moved('bf16')).toMatchObject({ weight: 2, gradient: 2, whole: 2 });
    expect(recipeOf('adamw').moved('bf16').whole).toBe(4);
    expect(recipeOf('deepspeed_bf16').moved('bf16').whole).toBe(6);
    // What is updated, and with what, stays in fp32.
    for (const name of ['adamw', 'muon', 'lion']) {
      const [wide, narrow] = [recipeOf(name), recipeOf(name, { reduce: 'bf16' })];
      expect(narrow.bytes(request(2))).toEqual(wide.bytes(request(2)));
      expect(narrow.updated?.('bf16', true)).toBe(wide.updated?.('bf16', true));
    }
  });
});

describe('shards', () => {
  it('add up to the whole over the ranks of a group, whatever the recipe', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...optimizers.filter(({ name }) => name !== 'none')),
        fc.constantFrom(...shardWords),
        fc.integer({ min: 1, max: 96 }),
        fc.integer({ min: 1, max: 96 }),
        (recipe, shard, ranks, over) => {
          const whole = recipe.bytes(request(ranks));
          const part = recipe.bytes(request(ranks, { shard, over }));
          const group = shardRanks(ranks, over);
          expect(ranks % group).toBe(0);
          expect(part.weights * (shardsWeights(shard) ? group : 1)).toBeCloseTo(whole.weights, 6);
          expect(part.gradients * (shardsGradients(shard) ? group : 1)).toBeCloseTo(whole.gradients, 6);
          expect(part.optimizer * (shard === 'none' ? 1 : group)).toBeCloseTo(whole.optimizer, 6);
        },
      ),
    );
  });

  it('split experts over their own ranks', () => {
    // Megatron-LM: 8 data ranks, but experts of 4 expert ranks have 2.
    const { weights, gradients, optimizer } = recipeOf('megatron_bf16').bytes(
      request(8, { shard: 'distributed', experts: 3000, expertRanks: 2 }),
    );
    expect(weights + gradients).toBe(6 * 4000);
    expect(optimizer).toBe((12 * 1000) / 8 + (12 * 3000) / 2);
  });

  it('stay within groups of `over` ranks', () => {
    expect(total(recipeOf('adam_mixed'), 'zero3', 64, { over: 8 })).toBe(2);
    expect(total(recipeOf('adam_mixed'), 'zero3', 4, { over: 8 })).toBe(4);
    // Six ranks of experts make groups of 3 where the others make groups of 4.
    const kept = recipeOf('adam_mixed').bytes(
      request(8, { local: 0, experts: 6, expertRanks: 6, over: 4, shard: 'fsdp' }),
    );
    expect(kept.weights).toBe(4);
    for (const [ranks, over, group] of [
      [6, 4, 3],
      [7, 4, 1],
      [1, 4, 1],
      [2.5, 2, 1],
    ])
      expect(shardRanks(ranks, over)).toBe(group);
  });
});

it('every recipe is documented and findable, and its doc says its bytes', () => {
  expect(findOptimizer('nothing')).toBeUndefined();
  expect(new Set(optimizers.map(({ name }) => name)).size).toBe(optimizers.length);
  for (const recipe of optimizers) {
    expect(findOptimizer(recipe.name)).toBe(recipe);
    if (recipe.name === 'none' || recipe.name === 'custom') continue;
    const { gradientCopies = 0 } = recipe.bytes(request(1));
    expect(recipe.doc).toContain(`${total(recipe, 'none', 1) - gradientCopies / 1000} bytes per parameter`);
    if (gradientCopies > 0) expect(recipe.doc).toContain(`The update holds ${gradientCopies / 1000} bytes more.`);
  }
});
