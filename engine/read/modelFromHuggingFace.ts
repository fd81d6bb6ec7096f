/** `from = huggingface("config.json")`: the layers that a Hugging Face configuration describes. */
import type { ModelSource } from './modelSource.ts';
import type { Argument, Call } from '../../grammar/syntax.ts';
import { type ConfiguredModel, withPrediction } from '../formats/huggingFace/model.ts';
import { readConfiguration } from '../formats/huggingFace/read.ts';
import type { ReadContext } from './context.ts';
import { readSourceFile, reportFaults } from './sourceFile.ts';

/**
 * The layers; `undefined` where the file is not there or damaged, which has been reported. The model says its `sequence`
 * itself: a configuration has only the most that the model can take, not what it is trained with.
 */
export function readHuggingFace(context: ReadContext, call: Call): ModelSource | undefined {
  const file = readSourceFile(context, call, ['mtp']);
  if (file === undefined) return undefined;
  const read = readConfiguration(file.text);
  if ('faults' in read) {
    reportFaults(context, file, read.faults);
    return undefined;
  }
  const predict = readPredict(context, file.arguments?.get('mtp'), read);
  if (predict === undefined) return undefined;
  const layers = predict ? withPrediction(read) : read.layers;
  return {
    precision: read.precision,
    layers: layers.map(({ name, count, shape, args }) => ({
      name,
      count,
      cost: { kind: 'shape', shape, args },
      text: count === undefined ? shape : `${shape}, ${count} layers`,
      place: { uri: file.uri, start: 0, end: 0 },
    })),
  };
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
