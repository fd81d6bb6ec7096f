import { inFp32 } from './fp32.ts';
import type { OptimizerRecipe, RecipeValues } from './recipe.ts';

const build = (values: RecipeValues): OptimizerRecipe => {
  const steps = values.get('newton_schulz');
  const whole = inFp32(
    'muon',
    { state: 4 },
    'Muon in fp32: one momentum, whose matrices are orthogonalised in bf16.',
    {
      newtonSchulz: typeof steps === 'number' ? steps : 5,
      parameters: [
        {
          name: 'newton_schulz',
          kind: 'count',
          default: '5',
          doc: 'steps in which an update orthogonalises each matrix, by three products of matrices',
        },
      ],
      again: build,
    },
    values,
  );
  // No engine runs these products on the host.
  return { ...whole, parameters: whole.parameters.filter(({ name }) => name !== 'offload') };
};

/** Muon (Jordan et al. 2024; Liu et al., arXiv:2502.16982, section 2.1). */
export const muon: OptimizerRecipe = build(new Map());
