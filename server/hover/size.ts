/** Parameters and FLOPs of layers and models that no pipeline has yet: they need no device. */
import { shapeSize } from '../../engine/costs/shapeSize.ts';
import type { SymbolInfo } from '../../engine/language/resolution.ts';
import { amount } from '../../engine/basics/quantities.ts';
import type { View } from '../view.ts';

/** Of one layer; empty for a measured one. */
export function layerSizeText({ shape }: SymbolInfo): string {
  const size = shape === undefined ? undefined : shapeSize(shape);
  if (shape === undefined || size === undefined) return '';
  return words(shape.count > 1 ? 'Each layer has' : 'It has', size.parameters, size.flops);
}

/** Of a whole model; empty if it has measured layers. */
export function modelSizeText(view: View, model: SymbolInfo): string {
  const { symbols } = view.analysis.resolution.symbols;
  const layers = [...symbols.values()].filter(({ kind, container }) => kind === 'layer' && container === model.id);
  let parameters = 0;
  let flops = 0;
  for (const { shape } of layers) {
    const size = shape === undefined ? undefined : shapeSize(shape);
    if (shape === undefined || size === undefined) return '';
    parameters += shape.count * size.parameters;
    flops += shape.count * size.flops;
  }
  return layers.length === 0 ? '' : words('It has', parameters, flops);
}

const words = (who: string, parameters: number, flops: number): string =>
  `${who} ${amount(parameters)} parameters. A forward takes ${amount(flops)}FLOP for each token.`;
