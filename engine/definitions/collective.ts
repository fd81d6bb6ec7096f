/** What a collective may know of a layer. */

/**
 * A layer whose gradient is the product of two factors: an M × N matrix from K samples of a rank. The factors have K(M + N)
 * elements.
 */
export interface FactorShape {
  readonly rows: number;
  readonly columns: number;
  readonly samples: number;
}
