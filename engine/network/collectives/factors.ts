import { linear } from '../../basics/callCost.ts';
import type { Ring } from '../../costs/types.ts';
import type { FactorShape } from '../../definitions/collective.ts';
import type { LaneCall } from '../../values/exchangePlan.ts';

/**
 * Sufficient factor broadcasting: each rank sends the factors of its gradient to all others. That is 2K(P − 1)(M + N) elements in
 * and out of a rank (Zhang et al., *Poseidon*, ATC'17, table 1).
 */
export const factorElements = ({ rows, columns, samples }: FactorShape, ranks: number): number =>
  2 * samples * (ranks - 1) * (rows + columns);

/** In and out of a rank that is a worker of P₁ and a server of P₂: 2MN(P₁ + P₂ − 2)/P₂ elements (Poseidon, table 1). */
export const serverElements = ({ rows, columns }: FactorShape, workers: number, servers: number): number =>
  (2 * rows * columns * (workers + servers - 2)) / servers;

/** Poseidon's choice for a layer: factors if they are at most as many elements. */
export const factorsAreFewer = (shape: FactorShape, workers: number, servers: number): boolean =>
  factorElements(shape, workers) <= serverElements(shape, workers, servers);

/** As a function of the bytes of the gradient: (P − 1)α + K(P − 1)(M + N)/(MN) · S/B, because a link sends and receives at once. */
export function factorsCall(shape: FactorShape, ranks: number, { latency, bandwidth }: Ring): LaneCall {
  const sent = factorElements(shape, ranks) / 2 / (shape.rows * shape.columns);
  return { name: 'sfb', push: linear((ranks - 1) * latency, ranks > 1 ? sent / bandwidth : 0), sends: sent };
}
