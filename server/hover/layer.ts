import { paths } from '../../engine/plan/plan.ts';
import type { SymbolInfo } from '../../engine/plan/resolution.ts';
import type { View } from '../view.ts';

/** What the engine derived for a layer: the same words as its inlay hint. */
export function layerText(view: View, { name, container, extent }: SymbolInfo): string {
  const model = container?.slice(container.indexOf(':') + 1);
  const origin =
    model === undefined ? undefined : (view.analysis.resolution.origins.get(paths.layer(model, name)) ?? extent);
  if (origin === undefined || origin.uri !== view.uri || extent === undefined) return '';
  const derived = view.analysis.resolution.derived.filter(
    (one) => one.offset > extent.start && one.offset <= extent.end + 1,
  );
  return derived
    .map((one) => `${one.text.trim()}${one.tooltip === undefined ? '' : `\n\n${one.tooltip}`}`)
    .join('\n\n');
}
