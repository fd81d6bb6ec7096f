/** `from = profile("graph.txt")`: measured layers of another file. */
import type { ModelSource } from './modelSource.ts';
import type { Call } from '../../grammar/syntax.ts';
import { followsOn, matrixIn } from '../formats/measured.ts';
import { readProfile as readText } from '../formats/profile.ts';
import { count, time } from '../basics/quantities.ts';
import type { ReadContext } from './context.ts';
import { readSourceFile, reportFaults } from './sourceFile.ts';

/** The layers; `undefined` where the file is not there or damaged, which has been reported. */
export function readProfile(context: ReadContext, call: Call): ModelSource | undefined {
  const file = readSourceFile(context, call);
  if (file === undefined) return undefined;
  const read = readText(file.text);
  if ('faults' in read) {
    reportFaults(context, file, read.faults);
    return undefined;
  }
  // What the file does not say stands behind its name, so that no figure without it looks whole.
  const { remarks, layers } = read;
  context.derived.push({
    offset: call.end,
    text: ` ${count(layers.length, 'layer', 'layers')}${remarks.length > 0 ? ', not all figures' : ''}`,
    tooltip: [`A ${read.format}.`, ...remarks].join(' '),
  });
  return {
    precision: 'fp32',
    layers: read.layers.map((layer, index) => {
      const { forward, backward, backwardInput, backwardWeight, weights, activation, output } = layer;
      const total = backward ?? (backwardInput ?? 0) + (backwardWeight ?? 0);
      return {
        name: layer.name,
        cost: {
          kind: 'measured',
          ...{ forward, backward, backwardInput, backwardWeight, weights, activation, output },
          ...matrixIn(layer.description),
        },
        text: `${layer.description === '' ? '' : `${layer.description}, `}forward ${time(forward)}, backward ${time(total)}`,
        place: { uri: file.uri, start: layer.start, end: layer.end },
        after: followsOn(layer, index) ? undefined : layer.after,
      };
    }),
  };
}
