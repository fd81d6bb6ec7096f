/**
 * Adam as Megatron-LM keeps it. Its guide (docs/api-guide/dist_optimizer) gives the bytes without further arguments: 18 with bf16
 * weights and fp32 gradients, 20 with fp16 weights, fp16 gradients and an fp32 copy of the gradients. The step makes this copy, and
 * `zero_grad` frees it before the next forward (core/optimizer/optimizer.py, `_copy_model_grads_to_main_grads`). The other arguments
 * belong to its precision-aware optimizer (`--use-precision-aware-optimizer`, `--main-grads-dtype`, `--main-params-dtype`,
 * `--exp-avg-dtype`, `--exp-avg-sq-dtype`).
 */
import { table } from '../../basics/table.ts';
import {
  recipe,
  type OptimizerParameter,
  type OptimizerRecipe,
  type ParameterBytes,
  type RecipeValues,
} from './recipe.ts';

/**
 * Bytes of the main copy of a weight. A `remainder` is the lower half of an fp32 number whose upper half is the bf16 weight
 * (`store_param_remainders` of Megatron-LM and Transformer Engine).
 */
const mainParams: Readonly<Record<string, number>> = table({ fp32: 4, fp16: 2, remainder: 2 });
const mainGrads: Readonly<Record<string, number>> = table({ fp32: 4, bf16: 2 });
/** Bytes of each of the two moments. Scaled formats have one scale for a whole tensor, which is not counted. */
const moments: Readonly<Record<string, number>> = table({ fp32: 4, bf16: 2, fp16: 2, fp8: 1 });

const word = (name: string, words: readonly string[], usual: string, doc: string): OptimizerParameter => ({
  name,
  kind: 'word',
  words,
  default: usual,
  doc,
});

const precision: readonly OptimizerParameter[] = [
  word('main_grads', Object.keys(mainGrads), 'fp32', 'format that gradients are summed in'),
  word(
    'main_params',
    Object.keys(mainParams),
    'fp32',
    'format of the main copy of the weights; a `remainder` is the half of fp32 that the bf16 weight lacks',
  ),
  word('moments', Object.keys(moments), 'fp32', 'format of each of the two moments of Adam'),
  word(
    'gradient_copies',
    ['true', 'false'],
    'false',
    'whether the update copies bf16 gradients to fp32. `--grad-reduce-in-bf16` does so without the precision-aware optimizer',
  ),
];

const text = (values: RecipeValues, name: string, usual: string): string => {
  const value = values.get(name);
  return typeof value === 'string' ? value : usual;
};

/** Gradients, main weights and moments in the formats that are asked for. */
const kept = (
  values: RecipeValues,
  weights: Pick<ParameterBytes, 'weight' | 'moved'>,
  usual: string = 'fp32',
): ParameterBytes => ({
  ...weights,
  gradient: mainGrads[text(values, 'main_grads', 'fp32')],
  state: mainParams[text(values, 'main_params', 'fp32')] + 2 * moments[text(values, 'moments', usual)],
  // The other half of the main copy is the weight.
  ...(text(values, 'main_params', 'fp32') === 'remainder' ? { inPlace: true as const } : {}),
  ...(text(values, 'gradient_copies', 'false') === 'true' ? { copied: mainGrads.fp32 } : {}),
});

/** Why arguments do not fit together. */
function conflictOf(values: RecipeValues): string | undefined {
  if (text(values, 'gradient_copies', 'false') === 'true' && text(values, 'main_grads', 'fp32') === 'fp32')
    return '`gradient_copies = true` needs `main_grads = bf16`: fp32 gradients are not copied';
  const primary = text(values, 'primary', 'bf16');
  if (primary !== 'bf16' && text(values, 'main_params', 'fp32') === 'remainder')
    return `\`main_params = remainder\` needs weights in bf16, and \`primary = ${primary}\` keeps none`;
  return undefined;
}

const engine = 'megatron';

const bf16 = (values: RecipeValues): OptimizerRecipe | string => conflictOf(values) ?? bf16Recipe(values);

const bf16Recipe = (values: RecipeValues): OptimizerRecipe =>
  recipe(
    'megatron_bf16',
    kept(values, { weight: 2 }),
    'Megatron-LM with bf16 weights, fp32 gradients and fp32 state.',
    {
      engine,
      parameters: precision,
      with: bf16,
    },
  );

/**
 * Copies of the weights with fp8 products. Hopper reads both operands along rows, so that the backward needs a transposed copy,
 * which stays from one microbatch to the next. Blackwell needs none with one scale for a tensor (Transformer Engine, performance
 * considerations, "Handling transposes" and "Memory usage").
 */
const fp8Weights = (values: RecipeValues): Pick<ParameterBytes, 'weight' | 'moved'> => {
  const copies = text(values, 'transposes', 'true') === 'true' ? 2 : 1;
  return text(values, 'primary', 'bf16') === 'bf16'
    ? { weight: 2 + copies, moved: { gathered: 2 + copies } }
    : { weight: copies, moved: { weight: 1, gathered: copies } };
};

const fp8 = (values: RecipeValues): OptimizerRecipe | string => conflictOf(values) ?? fp8Recipe(values);

const fp8Recipe = (values: RecipeValues): OptimizerRecipe =>
  recipe(
    'megatron_fp8',
    kept(values, fp8Weights(values)),
    'Megatron-LM with fp8 products: bf16 weights with an fp8 copy and its transpose, fp32 gradients and fp32 state.',
    {
      engine,
      parameters: [
        word(
          'primary',
          ['bf16', 'fp8'],
          'bf16',
          'format of the weights that are kept between iterations; `fp8` (`--fp8-param-gather`) keeps no bf16 weights',
        ),
        word(
          'transposes',
          ['true', 'false'],
          'true',
          'a transposed fp8 copy is kept as well: Hopper needs it, Blackwell does not with one scale per tensor',
        ),
        ...precision,
      ],
      with: fp8,
    },
  );

/**
 * Copies of the weights with fp4 products: 4 bits and a scale of 8 bits for 16 elements. Products read both operands along rows, so
 * that a transposed copy stays too (Transformer Engine, NVFP4, "Handling transposes").
 */
const fp4Copy = 1 / 2 + 1 / 16;

const fp4 = (values: RecipeValues): OptimizerRecipe | string => conflictOf(values) ?? fp4Recipe(values);

const fp4Recipe = (values: RecipeValues): OptimizerRecipe =>
  recipe(
    'megatron_fp4',
    kept(
      values,
      text(values, 'primary', 'bf16') === 'bf16'
        ? { weight: 2 + 2 * fp4Copy, moved: { gathered: 2 + 2 * fp4Copy } }
        : { weight: 2 * fp4Copy, moved: { weight: fp4Copy, gathered: 2 * fp4Copy } },
    ),
    'Megatron-LM with fp4 products: bf16 weights with an fp4 copy and its transpose, fp32 gradients and fp32 state.',
    {
      engine,
      parameters: [
        word(
          'primary',
          ['bf16', 'fp4'],
          'bf16',
          'format of the weights that are kept between iterations; `fp4` (`--fp4-param-gather`) keeps no bf16 weights',
        ),
        ...precision,
      ],
      with: fp4,
    },
  );

const none: RecipeValues = new Map();

export const megatron: readonly OptimizerRecipe[] = [
  bf16Recipe(none),
  recipe(
    'megatron_fp16',
    { weight: 2, gradient: 2, state: 12, copied: 4 },
    'Megatron-LM with fp16 weights and gradients, fp32 state, and an fp32 copy of the gradients during the update.',
    { engine },
  ),
  fp8Recipe(none),
  fp4Recipe(none),
  recipe(
    'megatron_sgd',
    { weight: 2, gradient: 4, state: 8 },
    'Megatron-LM with `--optimizer sgd`: bf16 weights, fp32 gradients, main weights and momentum.',
    { engine },
  ),
  // arXiv:2412.19437, section 3.3: fp8 weights for the products; moments in bf16, main weights and gradients in fp32 (3.3.3).
  recipe(
    'deepseek_v3',
    kept(none, fp8Weights(new Map([['primary', 'fp8']])), 'bf16'),
    'AdamW as DeepSeek-V3 keeps it: fp8 weights and their transposes, fp32 gradients and main weights, bf16 moments.',
  ),
];
