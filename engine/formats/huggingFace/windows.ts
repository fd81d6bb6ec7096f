/** What each layer of a configuration attends to: all tokens before, a window, or a chunk. */
import type { ShapeArguments } from '../../costs/shapes.ts';
import type { Fields } from '../json/fields.ts';

/**
 * Which layers have a window, or without `sliding_window` a chunk, if `layer_types` does not say. `flag`: those from `max_window_layers` on, if `use_sliding_window` says so.
 * `none`: no layer. `every`: all but each n-th, counted from 1; `field` gives another n.
 */
export type Windows = 'flag' | 'none' | { readonly every: number; readonly field?: string };

/** A kind of layers: how its arrays are called, and what it adds to the arguments of the others. */
export interface LayerKind {
  readonly name: string;
  readonly args: ShapeArguments;
  /** What it has in the place of the attention of the others. */
  readonly mixer?: ShapeArguments;
}

/** Layers with a state in the place of attention: which these are if `layer_types` does not say, and their arguments. */
export interface StateLayers {
  readonly isState: (fields: Fields) => (layer: number) => boolean;
  readonly mixer: (fields: Fields) => ShapeArguments;
}

/** The window of Mistral and its kind; 0 if there is none. */
export const windowOf = (fields: Fields): number => fields.whole('sliding_window', { otherwise: 0, least: 0 });

const whole: LayerKind = { name: 'block', args: {} };

/** The kind of each layer. Layers that are all alike are called `block`. */
export function attentionsOf(
  fields: Fields,
  count: number,
  { windows, states }: { readonly windows?: Windows; readonly states?: StateLayers },
): readonly LayerKind[] {
  const size = windowOf(fields);
  const windowed: LayerKind = size > 0 ? { name: 'windowed', args: { window: size } } : whole;
  const part = fields.whole('attention_chunk_size', { otherwise: 0, least: 0 });
  const chunked: LayerKind = part > 0 ? { name: 'chunked', args: { chunk: part } } : whole;
  const written = fields.texts('layer_types');
  const known = new Map([
    ['full_attention', whole],
    ['sliding_attention', windowed],
    ['chunked_attention', chunked],
  ]);
  const linear: LayerKind = {
    name: 'linear',
    args: {},
    ...(states === undefined ? {} : { mixer: states.mixer(fields) }),
  };
  if (states !== undefined) known.set('linear_attention', linear);
  const strange = written.find((type) => !known.has(type));
  if (strange !== undefined)
    fields.fault('layer_types', `"layer_types" must be a list of ${[...known.keys()].join(', ')}.`);
  if (written.length > 0 && written.length !== count)
    fields.fault('layer_types', '"layer_types" must have an entry for each layer.');
  const isState = written.length === 0 ? states?.isState(fields) : undefined;
  const kinds =
    written.length > 0
      ? written.map((type) => known.get(type) ?? whole)
      : byRule(fields, count, windows).map((isLimited, layer) =>
          isState?.(layer) === true ? linear : isLimited ? (size > 0 ? windowed : chunked) : whole,
        );
  return kinds.every((kind) => kind === kinds[0]) ? kinds.map((kind) => ({ ...kind, name: 'block' })) : kinds;
}

function byRule(fields: Fields, count: number, windows: Windows | undefined): readonly boolean[] {
  const layers = Array.from({ length: count }, (_, layer) => layer);
  if (windows === undefined) return layers.map(() => true);
  if (windows === 'none') return layers.map(() => false);
  if (windows === 'flag') {
    const on = fields.flag('use_sliding_window', false);
    const first = fields.whole('max_window_layers', { otherwise: 0, least: 0 });
    return layers.map((layer) => on && layer >= first);
  }
  // Layers without rotary positions attend to all tokens, in Llama 4.
  const rotary = fields.wholes('no_rope_layers');
  if (rotary.length === count) return rotary.map((flag) => flag === 1);
  const every = fields.whole(windows.field ?? 'sliding_window_pattern', { otherwise: windows.every });
  return layers.map((layer) => (layer + 1) % every !== 0);
}
