/** Matrices of weights, whole: what optimizers such as Muon work on. */

/** A matrix that multiplies tokens, before tensor ranks split it. Its transpose is the same to an optimizer. */
export interface WeightMatrix {
  readonly rows: number;
  readonly columns: number;
  /** Equal ones in the layer. */
  readonly count: number;
  /** One of each expert, and so on its expert rank alone. */
  readonly ofExperts?: true;
  /** Every tensor rank holds all of it. */
  readonly unsplit?: true;
}

/** A matrix of `rows` × `columns`; none where a side is 0. */
export const matrix = (
  rows: number,
  columns: number,
  more: Partial<Pick<WeightMatrix, 'count' | 'ofExperts' | 'unsplit'>> = {},
): readonly WeightMatrix[] => (rows * columns === 0 ? [] : [{ rows, columns, count: 1, ...more }]);
