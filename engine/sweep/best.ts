/** Which row of a front is the best: one that keeps the margin of `memory/headroom`, unless no row does. */
import type { Objective } from '../definitions/search.ts';
import { type Figures, isRoomy, paceOf } from './front.ts';

/** `front`: fastest first. Undefined if it is empty. */
export function bestOf<Row extends Figures>(front: readonly Row[], minimise: Objective): Row | undefined {
  const roomy = front.filter(isRoomy);
  const rows = roomy.length > 0 ? roomy : front;
  return minimise === 'iteration' ? rows[0] : rows.at(-1);
}

/** A row that is faster than the best one and may run out of memory. */
export interface Tighter {
  readonly row: number;
  /** Share of the time of the best row that it saves. */
  readonly faster: number;
  /** Bytes that its fullest device has left. */
  readonly left: number;
}

export function tighterThan<Row extends Figures & { readonly row: number; readonly left?: number }>(
  best: Row,
  [fastest]: readonly Row[],
  minimise: Objective,
): Tighter | undefined {
  if (minimise !== 'iteration' || fastest === best) return undefined;
  return { row: fastest.row, faster: 1 - paceOf(fastest) / paceOf(best), left: fastest.left ?? 0 };
}
