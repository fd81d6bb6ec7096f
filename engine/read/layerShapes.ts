import type { LayerSetting } from '../costs/types.ts';
import type { ModelDefinition } from '../definitions/model.ts';
import type { SymbolInfo } from '../language/resolution.ts';
import type { ReadContext } from './context.ts';

/** Notes of each layer with a shape what its parameters and FLOPs follow from, for hovers where no pipeline has the model. */
export function noteShapes(context: ReadContext, model: ModelDefinition): void {
  const { sequence, microBatch, precision } = model;
  if (sequence === undefined) return;
  for (const { cost, count, symbol, run } of model.layers) {
    const info: { -readonly [K in keyof SymbolInfo]: SymbolInfo[K] } | undefined = context.symbols.get(symbol);
    if (info === undefined || cost.kind !== 'shape') continue;
    const { shape, args, tokens = sequence, images = 1 } = cost;
    const setting: LayerSetting = {
      sequence: tokens,
      microBatch: microBatch * images,
      precision,
      tensor: 1,
      sequenceParallel: false,
      context: 1,
      expert: 1,
      expertTensor: 1,
      recompute: 'none',
    };
    const found = { shape, args, setting, count, tokens: sequence * microBatch };
    info.shapes = run === undefined || run.at === 0 ? [found] : [...(info.shapes ?? []), found];
  }
}
