import { expect, test } from 'vitest';
import { keptBytes, optimizers, type Shard, splitBytes } from '../../../engine/costs/optimizer.ts';
import * as fc from '../../support/property.ts';

test('what a recipe keeps of one parameter, split, is what the recipe says of any number', () => {
  const shard = fc.constantFrom<Shard[]>('none', 'zero1', 'zero2', 'zero3', 'distributed', 'fsdp');
  const request = fc.record({
    local: fc.nat(1e9),
    experts: fc.nat(1e9),
    ranks: fc.integer({ min: 1, max: 64 }),
    expertRanks: fc.integer({ min: 1, max: 64 }),
    over: fc.option(fc.integer({ min: 1, max: 64 }), { nil: undefined }),
    shard,
    precision: fc.constantFrom('fp32' as const, 'bf16' as const, 'fp8' as const),
  });
  fc.assert(
    // The first one splits nothing, and memory cuts do not ask it.
    fc.property(fc.constantFrom(...optimizers.slice(1)), request, (recipe, asked) => {
      const given = recipe.with?.(new Map<string, string | number>([['weight', 3]])) ?? recipe;
      for (const each of typeof given === 'string' ? [recipe] : [recipe, given])
        expect(splitBytes(keptBytes(each, asked.precision), asked)).toEqual(each.bytes(asked));
    }),
  );
});
