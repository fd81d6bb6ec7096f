import type { ModelConstants } from '../definitions/model.ts';

/** Keys of a model as a file writes them, one a line. */
export const constantsText = ({ rotaryBase, rotaryPercent, ropeScaling, normEpsilon }: ModelConstants): string =>
  [
    ...(rotaryBase === undefined ? [] : [`rotary_base = ${rotaryBase}`]),
    ...(rotaryPercent === undefined ? [] : [`rotary_percent = ${rotaryPercent}`]),
    ...(ropeScaling === undefined ? [] : [`rope_scaling = ${ropeScaling}`]),
    ...(normEpsilon === undefined ? [] : [`norm_epsilon = ${normEpsilon.toExponential()}`]),
  ]
    .map((line) => `  ${line}\n`)
    .join('');
