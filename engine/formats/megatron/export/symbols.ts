/** The layers of each stage as symbols of a layout. */
import { elementName, type LayerDefinition, type ModelDefinition } from '../../../definitions/model.ts';
import type { StagePlan } from '../../../values/plan.ts';
import { checkLayout } from '../checkLayout.ts';
import type { LayerSymbol } from '../layout.ts';
import type { Unwritable } from '../../launch.ts';

export interface Symbols {
  readonly stages: readonly (readonly LayerSymbol[])[];
  readonly notes: readonly string[];
}

const shapes: ReadonlyMap<string, LayerSymbol> = new Map([
  ['embedding', 'E'],
  ['transformer', 't'],
  ['mtp', 'm'],
  ['lm_head', 'L'],
]);

/** `ranks`: pipeline ranks. */
export function symbolsOf(
  model: ModelDefinition,
  stages: readonly Pick<StagePlan, 'layers'>[],
  ranks: number,
): Symbols | Unwritable {
  const measured = model.layers.some(({ cost }) => cost.kind === 'measured');
  const symbol = new Map<string, LayerSymbol>();
  for (let element = 0; element < model.elements; element += 1) {
    const layer = model.layers[model.layerOf[element]];
    const found = isPass(layer) ? undefined : measured ? measuredSymbol(model, layer) : shapeSymbol(layer);
    if (found === undefined && !isPass(layer))
      return {
        problem: `Megatron-LM has an embedding, transformer layers, prediction layers and a head, and \`${elementName(model, element)}\` is none of these`,
      };
    if (found !== undefined) symbol.set(elementName(model, element), found);
  }
  const ends = new Set(symbol.values());
  if (measured && !(ends.has('E') && ends.has('L')))
    return {
      problem:
        'layers with measured times do not say which of them are the embedding and the head. Write layers with shapes, or a single layer before the arrays and one behind them',
    };
  const found = stages.map(({ layers }) => layers.flatMap((name) => symbol.get(name) ?? []));
  const number = (wanted: LayerSymbol): number => found.flat().filter((each) => each === wanted).length;
  const everywhere = { start: 0, end: 0 };
  const [fault] = checkLayout(
    found.map((each) => each.map((one) => ({ symbol: one, ...everywhere }))),
    { pipelineSize: ranks, layers: number('t'), mtpLayers: number('m') },
    everywhere,
  );
  if (fault !== undefined) return { problem: withoutStop(fault.message) };
  const names = [0, model.elements - 1].map((element) => `\`${elementName(model, element)}\``);
  return {
    stages: found,
    notes: measured
      ? [
          `Layers with measured times have no shapes: ${names[0]} is written as the embedding, ${names[1]} as the head, and what is between them as transformer layers.`,
        ]
      : [],
  };
}

/** A layer that only passes data on: a stage without layers has one. */
const isPass = ({ cost }: LayerDefinition): boolean =>
  cost.kind === 'measured' && cost.forward === 0 && (cost.activation ?? 0) === 0;

const shapeSymbol = ({ cost }: LayerDefinition): LayerSymbol | undefined =>
  cost.kind === 'shape' ? shapes.get(cost.shape) : undefined;

/** As the import of a layout names them: a single layer first, arrays, a single layer last. */
function measuredSymbol({ layers }: ModelDefinition, layer: LayerDefinition): LayerSymbol | undefined {
  if (layer.array) return layer.name.startsWith('prediction') ? 'm' : 't';
  return layer === layers[0] ? 'E' : layer === layers.at(-1) ? 'L' : undefined;
}

const withoutStop = (sentence: string): string => {
  const text = sentence.replace(/\.$/, '');
  return text.charAt(0).toLowerCase() + text.slice(1);
};
