/** Reads a Hugging Face `config.json`: the layers that it describes, as shapes. */
import { findShape } from '../../costs/shapes.ts';
import type { Precision } from '../../costs/types.ts';
import type { TextFault } from '../fault.ts';
import { readJson } from '../json/read.ts';
import { describeJson } from '../json/value.ts';
import { type Fields, fieldsOf } from '../json/fields.ts';
import { constantsOf } from './constants.ts';
import { beyond, families } from './families.ts';
import { type ConfiguredModel, type ConfiguredParts, type TowerSizes, usualSizes, withPrediction } from './model.ts';

/** Values of `model_type` that are known. */
export const modelTypes: readonly string[] = [...families.keys()];

/** Whether a text looks like a configuration, damaged or not. */
export const isConfiguration = (text: string): boolean =>
  /^\uFEFF?\s*\{/.test(text) && /"(?:model_type|architectures)"\s*:/.test(text);

const precisions: ReadonlyMap<string, Precision> = new Map<string, Precision>([
  ['float32', 'fp32'],
  ['float16', 'fp16'],
  ['bfloat16', 'bf16'],
]);

/** The model of a configuration, or what is wrong with it, in order of position. Never throws. */
export function readConfiguration(
  text: string,
  sizes: TowerSizes = usualSizes,
): ConfiguredModel | { readonly faults: readonly TextFault[] } {
  const json = readJson(text);
  if ('fault' in json) return { faults: [json.fault] };
  if (json.kind !== 'object')
    return { faults: [{ ...json, message: `A configuration is an object, found ${describeJson(json)}.` }] };
  const fields = fieldsOf(json);
  const type = typeOf(fields);
  const read = type === undefined ? undefined : families.get(type)?.read(fields, sizes);
  const precision = precisionOf(fields);
  const limit = ['max_position_embeddings', 'n_positions'].find((name) => fields.has(name));
  const positions = limit === undefined ? undefined : fields.whole(limit);
  if (read !== undefined && fields.faults.length === 0) checkLayers(fields, read);
  if (type === undefined || read === undefined || fields.faults.length > 0)
    return { faults: fields.faults.toSorted((a, b) => a.start - b.start) };
  const { constants, remarks } = constantsOf(fields);
  return { type, ...read, remarks: [...read.remarks, ...remarks], precision, positions, constants };
}

function typeOf(fields: Fields): string | undefined {
  const type = fields.text('model_type');
  if (type !== undefined && families.has(type)) return type;
  const classes = fields.texts('architectures');
  const byClass = modelTypes.find((modelType) => classes.includes(families.get(modelType)?.architecture ?? ''));
  if (byClass === undefined && fields.faults.length === 0) {
    const known = `Known types: ${modelTypes.join(', ')}`;
    fields.fault(
      'model_type',
      type === undefined
        ? `"model_type" is missing. ${known}.`
        : beyond.has(type)
          ? `Models of the family "${type}" cannot be read: ${beyond.get(type)}. ${known}.`
          : `Unknown "model_type". ${known}.`,
    );
  }
  return byClass;
}

/** `dtype`, or `torch_dtype` as it was called before. */
function precisionOf(fields: Fields): Precision | undefined {
  const name = fields.has('dtype') ? 'dtype' : 'torch_dtype';
  const written = fields.text(name);
  if (written === undefined || written === 'auto') return undefined;
  const precision = precisions.get(written);
  if (precision === undefined) fields.fault(name, `"${name}" must be one of ${[...precisions.keys()].join(', ')}.`);
  return precision;
}

/** What a shape refuses is reported at the field that most of its reasons are about. */
function checkLayers(fields: Fields, parts: ConfiguredParts): void {
  const at = fields.has('num_attention_heads') ? 'num_attention_heads' : 'n_head';
  for (const { shape, args } of withPrediction(parts)) {
    const problem = findShape(shape)?.check?.(args);
    // Its figures are text of the file.
    if (problem !== undefined)
      fields.fault(at, `The configuration describes impossible layers: ${problem.replaceAll(/ \d+/g, '')}.`);
  }
}
