/** Reads `rotary_base`, `rotary_percent`, `rope_scaling` and `norm_epsilon` of a model. */
import type { ModelConstants, ModelDefinition } from '../definitions/model.ts';
import { type Keys, or, readQuantity } from '../language/keys.ts';
import type { ReadContext } from './context.ts';

/** `from`: of the model or the file that the layers come from. */
export function readConstants(
  context: ReadContext,
  keys: Keys,
  from: ModelConstants = {},
): Pick<ModelDefinition, 'constants'> {
  const constants: ModelConstants = {
    rotaryBase: or(readQuantity(context, keys, 'rotary_base'), from.rotaryBase),
    rotaryPercent: or(readQuantity(context, keys, 'rotary_percent'), from.rotaryPercent),
    ropeScaling: or(readQuantity(context, keys, 'rope_scaling'), from.ropeScaling),
    normEpsilon: or(readQuantity(context, keys, 'norm_epsilon'), from.normEpsilon),
  };
  return Object.values(constants).every((value) => value === undefined) ? {} : { constants };
}
