/** Rows of a sweep: a row is one value of each key. */
import type { Axis } from '../definitions/search.ts';

/** The values of one row, by key. */
export type Settings = Readonly<Record<string, string>>;

/** Keys that take whole numbers, each of at least 1. */
export const wholeKeys = ['tensor', 'pipeline', 'data', 'context', 'expert', 'micro_batch', 'chunks'] as const;

/** Keys that divide the devices. */
export const rankKeys = ['tensor', 'pipeline', 'data', 'context'] as const;

/** Axes of a file, of which others replace those with the same key, in their place. Further ones come last. */
export const overriddenAxes = (written: readonly Axis[], others: readonly Axis[]): readonly Axis[] => [
  ...written.map((axis) => others.find(({ key }) => key === axis.key) ?? axis),
  ...others.filter(({ key }) => written.every((axis) => axis.key !== key)),
];

/** Rows of the product, which may be far more than there is room for. */
export const rowCount = (axes: readonly Axis[]): number => axes.reduce((rows, { values }) => rows * values.length, 1);

/** The values of row `row`: the last key changes fastest. */
export function settingsOf(axes: readonly Axis[], row: number): Settings {
  const chosen: Record<string, string> = {};
  let rest = row;
  for (const { key, values } of axes.toReversed()) {
    chosen[key] = values[rest % values.length];
    rest = Math.floor(rest / values.length);
  }
  return Object.fromEntries(axes.map(({ key }) => [key, chosen[key]]));
}

/** The row with these values: the first one, if a key has a value twice. */
export const rowOf = (axes: readonly Axis[], settings: Settings): number =>
  axes.reduce((row, { key, values }) => row * values.length + values.indexOf(settings[key]), 0);

/** `tensor 8, pipeline 4, recompute full`. */
export const settingsText = (settings: Settings): string =>
  Object.entries(settings)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ');
