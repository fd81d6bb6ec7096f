/** What a sweep tries: for each key the values as you would write them. A row is one choice of each. */

export interface Axis {
  /** A key of the pipeline, `pipeline`, `chunks`, `micro_batch`, or the name of a `param`. */
  readonly key: string;
  readonly values: readonly string[];
}

/** The values of one row, by key. */
export type Settings = Readonly<Record<string, string>>;

/** Keys that take whole numbers, each of at least 1. */
export const wholeKeys = ['tensor', 'pipeline', 'data', 'context', 'expert', 'micro_batch', 'chunks'] as const;

/** Keys that divide the devices. */
export const rankKeys = ['tensor', 'pipeline', 'data', 'context'] as const;

/** Keys of a pipeline that follow from others in a sweep, and why they are not searched. */
export const followingKeys: Readonly<Record<string, string>> = {
  microbatches: 'the samples of an iteration stay as they are, so microbatches follow from "micro_batch" and "data"',
  global_batch: 'rows with other batches are other trainings and cannot be compared',
  stages: 'stages follow from "pipeline" and "chunks"',
  model: 'rows with other models are other trainings and cannot be compared',
  devices: 'rows on other clusters cannot be compared; make one pipeline for each cluster',
  tokens: 'rows with other samples are other trainings and cannot be compared',
  documents: 'rows with other samples are other trainings and cannot be compared',
  stage: 'stages follow from "pipeline" and "chunks"',
};

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

/** `tensor 8, pipeline 4, recompute full`. */
export const settingsText = (settings: Settings): string =>
  Object.entries(settings)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ');
