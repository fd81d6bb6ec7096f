/** Fully connected layers, whose gradient is a product of two factors. */
import type { ModelDefinition } from '../../definitions/model.ts';
import type { FactorShape } from '../../definitions/collective.ts';

/** The matrix of a layer and the samples of a rank in one iteration; `undefined` for other layers. */
export function matrixOf(model: ModelDefinition, element: number, microbatches: number): FactorShape | undefined {
  const { cost } = model.layers[model.layerOf[element]];
  if (cost.kind === 'measured')
    return cost.matrix === undefined ? undefined : { ...cost.matrix, samples: model.microBatch * microbatches };
  if (cost.shape !== 'linear') return undefined;
  const { inputs, outputs, tokens } = cost.args;
  if (typeof inputs !== 'number' || typeof outputs !== 'number') return undefined;
  const ofSample = (cost.tokens ?? model.sequence ?? 1) * (cost.images ?? 1);
  const rows = typeof tokens === 'number' ? tokens : ofSample * model.microBatch;
  return { rows: inputs, columns: outputs, samples: rows * microbatches };
}
