import { format, parse } from '../../grammar/index.ts';
import { count } from '../basics/quantities.ts';
import { followsOn, matrixIn, type MeasuredLayer } from './measured.ts';
import type { ProfileRead } from './profile.ts';

/** A text of our own as the formatter lays it out or, should the printer refuse it, as it is: it still runs. */
export function laidOut(text: string): string {
  const result = format(parse(text, { size: text.length + 1 }));
  return result.ok ? result.text : text;
}

/** A `.pipe` file with the layers of a profile as its model: times and sizes as measured, to the last digit. */
export function pipeOfProfile({ layers, format: name, remarks }: ProfileRead): string {
  const lines = layers.map((layer, index) => layerText(layers, layer, index));
  const text = `/// ${count(layers.length, 'layer', 'layers')} of a ${name}; each has the times and sizes of one microbatch.
${remarks.map((remark) => `/// ${remark}\n`).join('')}model imported {
  precision = fp32
${lines.join('\n')}
}
`;
  return laidOut(text);
}

function layerText(layers: readonly MeasuredLayer[], layer: MeasuredLayer, index: number): string {
  const { name, description, forward, backward, backwardInput, backwardWeight, weights, activation, output } = layer;
  const { matrix } = matrixIn(description);
  const entries = [
    `forward = ${milliseconds(forward)}`,
    ...(backward === undefined ? [] : [`backward = ${milliseconds(backward)}`]),
    ...(backwardInput === undefined ? [] : [`backward_input = ${milliseconds(backwardInput)}`]),
    ...(backwardWeight === undefined ? [] : [`backward_weight = ${milliseconds(backwardWeight)}`]),
    ...sizes({ weights, activation, output }),
    ...(matrix === undefined ? [] : [`matrix = [${matrix.rows}, ${matrix.columns}]`]),
    ...(followsOn(layer, index) ? [] : [`after = [${layer.after.map((at) => layers[at].name).join(', ')}]`]),
  ];
  // A line of documentation must stay one line.
  const doc = description.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return `${doc === '' ? '' : `  /// ${doc}\n`}  layer ${name} { ${entries.join('  ')} }`;
}

const sizes = (values: Readonly<Record<string, number>>): readonly string[] =>
  Object.entries(values).flatMap(([key, value]) => (value === 0 ? [] : [`${key} = ${plain(value)}B`]));

/** To the picosecond, which is finer than any profile. */
const milliseconds = (seconds: number): string => `${plain(Number((seconds * 1000).toFixed(9)))}ms`;

/** A number without an exponent where JavaScript would write one. */
export const plain = (value: number): string =>
  /e/.test(String(value))
    ? value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 })
    : String(value);
