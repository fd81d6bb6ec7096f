/** Optimizers of PyTorch that keep weights, gradients and state in fp32. */
import {
  recipe,
  type OptimizerParameter,
  type OptimizerRecipe,
  type ParameterBytes,
  type RecipeValues,
} from './recipe.ts';

/**
 * `MixedPrecisionPolicy(reduce_dtype)` of FSDP2, whose gradients are also summed in this format while they are whole
 * (torch/distributed/fsdp/_fully_shard/_fsdp_param.py: to_accumulated_grad_if_needed), and `bf16_compress_hook` and `fp16_compress_hook` of DDP.
 */
const reduce: OptimizerParameter = {
  name: 'reduce',
  kind: 'word',
  words: ['fp32', 'bf16', 'fp16'],
  default: 'fp32',
  doc: 'format that gradients travel in; under `zero3` and `fsdp` also the format of whole gradients. Updates read fp32',
};

type More = Pick<OptimizerRecipe, 'newtonSchulz'> & {
  readonly parameters?: readonly OptimizerParameter[];
  /** The same with other values. */
  readonly again?: (values: RecipeValues) => OptimizerRecipe;
};

/** 4 bytes of a weight and of a gradient, which the update works on. `values`: the arguments of a file. */
export function inFp32(
  name: string,
  kept: Pick<ParameterBytes, 'state' | 'reads'>,
  doc: string,
  { parameters = [], again, ...more }: More = {},
  values: RecipeValues = new Map(),
): OptimizerRecipe {
  return recipe(
    name,
    {
      ...{ weight: 4, gradient: 4, inPlace: true },
      ...kept,
      ...(['bf16', 'fp16'].includes(String(values.get('reduce'))) ? { moved: { gradient: 2, whole: 2 } } : {}),
    },
    doc,
    {
      ...more,
      parameters: [...parameters, reduce],
      with: again ?? ((written) => inFp32(name, kept, doc, { parameters, ...more }, written)),
    },
  );
}
