/** A measured layer of another file, ready for a model: seconds and bytes of one microbatch. */
export interface MeasuredLayer {
  /** A valid name, once in its list. */
  readonly name: string;
  readonly description: string;
  readonly forward: number;
  /** Of the whole backward, where its two halves are not measured apart. */
  readonly backward?: number;
  readonly backwardInput?: number;
  readonly backwardWeight?: number;
  readonly weights: number;
  readonly activation: number;
  readonly output: number;
  /** Layers that it needs, as numbers in the list, each before it. */
  readonly after: readonly number[];
  /** Its place in the text. */
  readonly start: number;
  readonly end: number;
}

/** Whether a layer needs the one above it and no other: what a layer needs that does not say. */
export const followsOn = ({ after }: Pick<MeasuredLayer, 'after'>, index: number): boolean =>
  index === 0 ? after.length === 0 : after.length === 1 && after[0] === index - 1;

/** PyTorch describes a fully connected layer by `Linear(in_features=25088, out_features=4096, bias=True)`. */
export function matrixIn(description: string): {
  readonly matrix?: { readonly rows: number; readonly columns: number };
} {
  const [, rows, columns] = /^Linear\(in_features=(\d{1,9}), out_features=(\d{1,9})\b/.exec(description) ?? [];
  return rows === undefined || Number(rows) < 1 || Number(columns) < 1
    ? {}
    : { matrix: { rows: Number(rows), columns: Number(columns) } };
}
