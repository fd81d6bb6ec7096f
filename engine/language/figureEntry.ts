import type { BlockItem, Entry, Quantity } from '../../grammar/syntax.ts';

/** `forward = 4ms`: a key and a quantity, and nothing else. Most lines of a measured model are such entries, so they are read faster. */
export const isFigure = (item: BlockItem): item is Entry & { readonly values: readonly [Quantity] } =>
  item.kind === 'entry' &&
  item.values?.length === 1 &&
  item.values[0].kind === 'quantity' &&
  item.index === undefined &&
  item.parameters === undefined &&
  item.ends === undefined &&
  item.range === undefined &&
  item.step === undefined &&
  item.body === undefined;
