/** `from = huggingface("config.json")`: the layers that a Hugging Face configuration describes. */
import type { Call } from '../../../grammar/syntax.ts';
import { readConfiguration } from '../../exchange/huggingFace/read.ts';
import type { FileContext } from '../context.ts';
import type { ModelSource } from './modelFrom.ts';
import { readSourceFile, reportFaults } from './sourceFile.ts';

/**
 * The layers; `undefined` where the file is not there or damaged, which has been reported. The model says its `sequence`
 * itself: a configuration has only the most that the model can take, not what it is trained with.
 */
export function readHuggingFace(context: FileContext, call: Call): ModelSource | undefined {
  const file = readSourceFile(context, call);
  if (file === undefined) return undefined;
  const read = readConfiguration(file.text);
  if ('faults' in read) {
    reportFaults(context, file, read.faults);
    return undefined;
  }
  return {
    precision: read.precision,
    layers: read.layers.map(({ name, count, shape, args }) => ({
      name,
      count,
      cost: { kind: 'shape', shape, args },
      text: count === undefined ? shape : `${shape}, ${count} layers`,
      place: { uri: file.uri, start: 0, end: 0 },
    })),
  };
}
