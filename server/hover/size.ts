/** Parameters and FLOPs of layers and models that no pipeline has yet: they need no device. */
import { type LayerShape, shapeSize, type ShapeSize } from '../../engine/costs/shapeSize.ts';
import type { SymbolInfo } from '../../engine/language/resolution.ts';
import { amount } from '../../engine/basics/quantities.ts';
import type { View } from '../view.ts';

/** Of one layer; empty for a measured one. */
export function layerSizeText({ shapes = [] }: SymbolInfo): string {
  const [shape] = shapes;
  const size = shapes.length === 1 ? shapeSize(shape) : undefined;
  if (size !== undefined) return words(shape.count > 1 ? 'Each layer has' : 'It has', size.parameters, size.flops);
  const sum = shapes.length === 0 ? undefined : sizeOf(shapes);
  return sum === undefined ? '' : words('All its layers have', sum.parameters, sum.flops);
}

/** Of all layers of some arrays; undefined if the size of one is not known. */
function sizeOf(shapes: readonly LayerShape[]): ShapeSize | undefined {
  let [parameters, flops] = [0, 0];
  for (const shape of shapes) {
    const size = shapeSize(shape);
    if (size === undefined) return undefined;
    parameters += shape.count * size.parameters;
    flops += shape.count * size.flops;
  }
  return { parameters, flops };
}

/** Of a whole model; empty if it has measured layers. */
export function modelSizeText(view: View, model: SymbolInfo): string {
  const { symbols } = view.analysis.resolution.symbols;
  const layers = [...symbols.values()].filter(({ kind, container }) => kind === 'layer' && container === model.id);
  if (layers.length === 0 || layers.some(({ shapes }) => shapes === undefined)) return '';
  const sum = sizeOf(layers.flatMap(({ shapes = [] }) => shapes));
  return sum === undefined ? '' : words('It has', sum.parameters, sum.flops);
}

const words = (who: string, parameters: number, flops: number): string =>
  `${who} ${amount(parameters)} parameters. A forward takes ${amount(flops)}FLOP for each token.`;
