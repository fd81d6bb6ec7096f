import { recipe, type OptimizerParameter, type OptimizerRecipe, type RecipeValues } from './recipe.ts';

const needed = (name: string, doc: string): OptimizerParameter => ({ name, kind: 'bytes', required: true, doc });

const number = (values: RecipeValues, name: string): number => {
  const value = values.get(name);
  return typeof value === 'number' ? value : 0;
};

const build = (values: RecipeValues): OptimizerRecipe => ({
  ...recipe(
    'custom',
    { weight: number(values, 'weight'), gradient: number(values, 'gradient'), state: number(values, 'state') },
    'An optimizer given by its bytes.',
  ),
  doc: 'An optimizer given by its bytes for each parameter: weights, gradients, and state (the main copy and the moments).',
  parameters: [
    needed('weight', 'bytes of a weight, with its copies'),
    needed('gradient', 'bytes of a gradient, with its copies'),
    needed('state', 'bytes of main weights and moments'),
    ...recipe('custom', { weight: 0, gradient: 0, state: 0 }, '').parameters,
  ],
  with: build,
});

/** For what no other recipe keeps: `custom(weight = 2, gradient = 4, state = 12)`. */
export const custom: OptimizerRecipe = build(new Map());
