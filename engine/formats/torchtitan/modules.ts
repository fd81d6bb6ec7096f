/** The modules of each stage by the names that a decoder of torchtitan has. */
import { elementName, type LayerDefinition, type ModelDefinition } from '../../definitions/model.ts';
import { flagOf } from '../../costs/shape.ts';
import type { StagePlan } from '../../values/plan.ts';
import type { Unwritable } from '../launch.ts';

export interface Modules {
  readonly stages: readonly (readonly string[])[];
  /** Transformer layers of the model. */
  readonly layers: number;
  readonly notes: readonly string[];
}

type Kind = 'embedding' | 'layer' | 'head';

const shapes: ReadonlyMap<string, Kind> = new Map([
  ['embedding', 'embedding'],
  ['transformer', 'layer'],
  ['lm_head', 'head'],
]);

/** `tok_embeddings`, `layers.0`, …, `norm` and `lm_head`: one after the other, none left out. */
export function modulesOf(model: ModelDefinition, stages: readonly Pick<StagePlan, 'layers'>[]): Modules | Unwritable {
  const written = stages.flatMap(({ layers }) => layers);
  const kinds: Kind[] = [];
  for (let element = 0; element < model.elements; element += 1) {
    const layer = model.layers[model.layerOf[element]];
    const kind = kindOf(model, layer);
    if (kind === undefined)
      return {
        problem: `torchtitan has an embedding, transformer layers and a head, and \`${elementName(model, element)}\` is none of these`,
      };
    if (stages.length > 1 && kind === 'head' && layer.cost.kind === 'shape' && flagOf(layer.cost.args, 'tied', false))
      return { problem: 'pipelines of torchtitan have no tied weights of embedding and head (`tied = true`)' };
    if (written[element] !== elementName(model, element))
      return {
        problem: 'torchtitan runs the layers of a model one after the other, and stages here have another order',
      };
    kinds.push(kind);
  }
  const inner = kinds.slice(1, -1);
  if (kinds[0] !== 'embedding' || kinds.at(-1) !== 'head' || inner.some((kind) => kind !== 'layer'))
    return { problem: 'a decoder of torchtitan begins with one embedding and ends with one head' };
  if (stages.some(({ layers }) => layers.length === 0))
    return { problem: 'a stage of torchtitan has at least one layer' };
  let layer = 0;
  let element = 0;
  const isTied = model.layers.some(({ cost }) => cost.kind === 'shape' && flagOf(cost.args, 'tied', false));
  const measured = model.layers.some(({ cost }) => cost.kind === 'measured');
  return {
    stages: stages.map((stage) =>
      stage.layers.flatMap(() => {
        const kind = kinds[element++];
        return kind === 'embedding'
          ? ['tok_embeddings']
          : kind === 'head'
            ? ['norm', 'lm_head']
            : [`layers.${layer++}`];
      }),
    ),
    layers: inner.length,
    notes: isTied
      ? ['Embedding and head share weights (`tied = true`): the base needs `enable_weight_tying`.']
      : measured
        ? [
            `Layers with measured times have no shapes: \`${written[0]}\` is written as the embedding, \`${written.at(-1)}\` as the head, and what is between them as transformer layers.`,
          ]
        : [],
  };
}

/** Of measured layers, a single one comes first and another one last. */
function kindOf({ layers }: ModelDefinition, layer: LayerDefinition): Kind | undefined {
  if (layer.attends !== undefined) return undefined;
  if (layer.cost.kind === 'shape') return shapes.get(layer.cost.shape);
  return layer.array ? 'layer' : layer === layers[0] ? 'embedding' : layer === layers.at(-1) ? 'head' : undefined;
}
