/** `from = huggingface("config.json")`: the layers that a Hugging Face configuration describes. */
import type { ModelSource, PatternedCosts } from './modelSource.ts';
import type { Argument, Call } from '../../grammar/syntax.ts';
import {
  type ConfiguredModel,
  type LetterPattern,
  type TowerSizes,
  usualSizes,
  withPrediction,
} from '../formats/huggingFace/model.ts';
import { readConfiguration } from '../formats/huggingFace/read.ts';
import type { ReadContext } from './context.ts';
import { wholeNumber } from '../language/expressions.ts';
import { readSourceFile, reportFaults } from './sourceFile.ts';

const contents = 'Put the config.json of your model there: on Hugging Face it is next to the weights.';

/**
 * The layers; `undefined` where the file is not there or damaged, which has been reported. The model says its `sequence`
 * itself: a configuration has only the most that the model can take, not what it is trained with.
 */
export function readHuggingFace(context: ReadContext, call: Call): ModelSource | undefined {
  const file = readSourceFile(context, call, ['mtp', 'images', 'pixels', 'encoder'], contents);
  if (file === undefined) return undefined;
  const sizes = readSizes(context, file.arguments);
  if (sizes === undefined) return undefined;
  const read = readConfiguration(file.text, sizes);
  if ('faults' in read) {
    reportFaults(context, file, read.faults);
    return undefined;
  }
  const predict = readPredict(context, file.arguments?.get('mtp'), read);
  if (predict === undefined) return undefined;
  const layers = predict ? withPrediction(read) : read.layers;
  const indexOf = (name: string): number => layers.findIndex((layer) => layer.name === name);
  return {
    precision: read.precision,
    constants: read.constants,
    layers: layers.map(({ name, count, shape, args, pattern, tokens, images, after, attends }) => ({
      name,
      count,
      cost: {
        ...{ kind: 'shape', shape, args },
        ...(tokens === undefined ? {} : { tokens }),
        ...(images === undefined ? {} : { images }),
      },
      ...(pattern === undefined ? {} : { pattern: costsOf(shape, pattern) }),
      ...(after === undefined ? {} : { after: after.map(indexOf) }),
      ...(attends === undefined ? {} : { attends: indexOf(attends) }),
      text: count === undefined ? shape : `${shape}, ${count} layers`,
      place: { uri: file.uri, start: 0, end: 0 },
    })),
  };
}

const costsOf = (shape: string, { letters, args }: LetterPattern): PatternedCosts => ({
  letters,
  costs: Object.fromEntries(
    Object.entries(args).map(([letter, each]) => [letter, { kind: 'shape', shape, args: each }] as const),
  ),
});

/** Sizes that the configuration does not say; `undefined` if one is wrong, which has been reported. */
function readSizes(context: ReadContext, given: ReadonlyMap<string, Argument> | undefined): TowerSizes | undefined {
  const sizes: { images: number; pixels?: number; encoder: number } = { ...usualSizes };
  for (const name of ['images', 'pixels', 'encoder'] as const) {
    const value = given?.get(name)?.value;
    if (value === undefined) continue;
    const number = wholeNumber(context, value, `"${name}"`, { min: 1, max: 1_000_000 });
    if (number === undefined) return undefined;
    sizes[name] = number;
  }
  return sizes;
}

/** Whether layers for multi-token prediction are wanted; `undefined` where that is not said as it must be, which is reported. */
function readPredict(
  context: ReadContext,
  argument: Argument | undefined,
  { prediction }: ConfiguredModel,
): boolean | undefined {
  const value = argument?.value;
  if (value === undefined) return false;
  if (value.kind === 'missing') return undefined;
  const word = value.kind === 'name' ? value.text : '';
  if (word === 'false') return false;
  if (word !== 'true') {
    const found = `\`${context.syntax.text.slice(value.start, Math.min(value.end, value.start + 40))}\``;
    context.report.report('type/mismatch', value, { expected: '`true` or `false`', found });
    return undefined;
  }
  if (prediction === undefined)
    context.report.report('key/not-applicable', argument?.name ?? value, {
      key: 'mtp',
      reason: 'the configuration has no num_nextn_predict_layers',
    });
  return true;
}
