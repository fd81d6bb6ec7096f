/** The base of rotary positions, the share of a head that rotates, Llama's scaling of them, and the epsilon of norms. */
import type { ModelConstants } from '../../definitions/model.ts';
import type { Fields } from '../json/fields.ts';

const epsilons = ['rms_norm_eps', 'layer_norm_epsilon', 'layer_norm_eps', 'norm_epsilon', 'norm_eps'];

/** Values that are no number a model can have are passed over: no layer needs them. */
export function constantsOf(fields: Fields): {
  readonly constants: ModelConstants;
  readonly remarks: readonly string[];
} {
  // Transformers 5 has the base inside the object too.
  const name = ['rope_parameters', 'rope_scaling'].find((each) => fields.value(each)?.kind === 'object');
  const rope = name === undefined ? undefined : fields.inner(name);
  const scaled = rope !== undefined && !['default', undefined].includes(typeOf(rope));
  const ropeScaling = scaled ? llamaScaling(rope) : undefined;
  // With a second base, for windows, no model has one base.
  const base = fields.has('rope_local_base_freq')
    ? undefined
    : (numberAt(fields, 'rope_theta') ?? numberAt(rope, 'rope_theta') ?? numberAt(fields, 'rotary_emb_base'));
  const rotaryPercent =
    numberAt(fields, 'partial_rotary_factor') ??
    numberAt(rope, 'partial_rotary_factor') ??
    numberAt(fields, 'rotary_pct');
  const normEpsilon = epsilons.map((each) => numberAt(fields, each)).find((value) => value !== undefined && value <= 1);
  return {
    constants: {
      ...(Number.isInteger(base) ? { rotaryBase: base } : {}),
      ...(rotaryPercent === undefined || rotaryPercent >= 1 ? {} : { rotaryPercent }),
      ...(ropeScaling === undefined ? {} : { ropeScaling }),
      ...(normEpsilon === undefined ? {} : { normEpsilon }),
    },
    remarks:
      scaled && ropeScaling === undefined
        ? [
            'Rotary positions are scaled by another method than in Llama 3.1: no key says that, and no export writes it.',
          ]
        : [],
  };
}

const numberAt = (fields: Fields | undefined, name: string): number | undefined => {
  const value = fields?.value(name);
  return value?.kind === 'number' && value.value > 0 ? value.value : undefined;
};

/** `rope_type`, or `type` as it was called before. */
function typeOf(rope: Fields): string | undefined {
  const value = rope.value('rope_type') ?? rope.value('type');
  return value?.kind === 'string' ? value.value : undefined;
}

/** The factor, where all else is as Llama 3.1 has it: engines have an argument for the factor alone. */
function llamaScaling(rope: Fields): number | undefined {
  const factor = numberAt(rope, 'factor');
  return typeOf(rope) === 'llama3' &&
    numberAt(rope, 'low_freq_factor') === 1 &&
    numberAt(rope, 'high_freq_factor') === 4 &&
    numberAt(rope, 'original_max_position_embeddings') === 8192 &&
    factor !== undefined &&
    factor >= 1
    ? factor
    : undefined;
}
