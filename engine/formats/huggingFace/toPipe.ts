import { format } from '../../../grammar/index.ts';
import { parse } from '../../../grammar/parse.ts';
import { constantsText } from '../constantsText.ts';
import type { ConfiguredLayer, ConfiguredModel } from './model.ts';

/** Arguments as a file writes them: `transformer(hidden = 4096, heads = 32)`. */
export const shapeText = ({ shape, args }: Pick<ConfiguredLayer, 'shape' | 'args'>): string =>
  `${shape}(${Object.entries(args)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')})`;

/** A shape, or `pattern("wwwb", w = transformer(…), b = transformer(…))`. */
export const shapesText = ({ shape, args, pattern }: ConfiguredLayer): string =>
  pattern === undefined
    ? shapeText({ shape, args })
    : `pattern("${pattern.letters}", ${Object.entries(pattern.args)
        .map(([letter, each]) => `${letter} = ${shapeText({ shape, args: each })}`)
        .join(', ')})`;

/** Layers as a file writes them, one a line. */
export const layersText = (layers: readonly ConfiguredLayer[]): string => layers.map(layerText).join('');

function layerText(layer: ConfiguredLayer): string {
  const { name, count, tokens, images, after, attends } = layer;
  const head = `layer ${name}${count === undefined ? '' : `[${count}]`}`;
  const keys = [
    ...(tokens === undefined ? [] : [`tokens = ${tokens}`]),
    ...(images === undefined || images === 1 ? [] : [`images = ${images}`]),
    ...(after === undefined ? [] : [`after = [${after.join(', ')}]`]),
    ...(attends === undefined ? [] : [`attends = ${attends}`]),
  ];
  return keys.length === 0
    ? `${head} = ${shapesText(layer)}\n`
    : `${head} {\n  shape = ${shapesText(layer)}\n  ${keys.join('\n  ')}\n}\n`;
}

/** Tokens of a sample that an imported model starts with; a configuration only has their limit. */
const usualSequence = 4096;

/** Layers for multi-token prediction, as a comment: few runs train with them. */
const predictionText = (prediction: ConfiguredLayer | undefined): string =>
  prediction === undefined ? '' : `// Multi-token prediction would go here:\n// ${layersText([prediction])}`;

/** A model in the language: its layers, and a sequence to begin with. */
export function pipeOfConfiguration({
  type,
  layers,
  prediction,
  precision,
  positions,
  constants,
}: ConfiguredModel): string {
  const sequence = Math.min(usualSequence, positions ?? usualSequence);
  const limit = positions === undefined ? '' : `, at most ${positions} (the model's positions)`;
  const text = `/// A ${type} model, from its config.json.
model imported {
  // Tokens of a sample in training${limit}.
  sequence = ${sequence}
  micro_batch = 1
  precision = ${precision ?? 'bf16'}
${constantsText(constants)}
${layersText(layers.slice(0, -1))}${predictionText(prediction)}${layersText(layers.slice(-1))}}
`;
  const laidOut = format(parse(text, { size: text.length + 1 }));
  // A text of our own is laid out or, should the printer refuse it, still a text that reads.
  return laidOut.ok ? laidOut.text : text;
}
