import type { Dimension } from '../values/plan.ts';

/** Exponents of bytes, FLOPs, seconds and tokens. */
const exponents: Readonly<Record<Dimension, readonly [number, number, number, number]>> = {
  number: [0, 0, 0, 0],
  share: [0, 0, 0, 0],
  time: [0, 0, 1, 0],
  bytes: [1, 0, 0, 0],
  bandwidth: [1, 0, -1, 0],
  flops: [0, 1, 0, 0],
  compute: [0, 1, -1, 0],
  rate: [0, 0, -1, 0],
  tokens: [0, 0, 0, 1],
};

const named = new Map<string, Dimension>();
for (const [name, powers] of Object.entries(exponents)) {
  if (name !== 'share') named.set(powers.join(), name as Dimension);
}

/** Whether the two may be added, subtracted and compared. A share is a plain number written in hundredths. */
export const alike = (a: Dimension, b: Dimension): boolean =>
  a === b || ((a === 'number' || a === 'share') && (b === 'number' || b === 'share'));

/** Dimension of a sum of two that are alike. */
export const sumOf = (a: Dimension, b: Dimension): Dimension => (a === b ? a : 'number');

/** Dimension of a product (`power` 1) or quotient (−1); undefined where it has no name, such as bytes × bytes. */
export function productOf(a: Dimension, b: Dimension, power: 1 | -1): Dimension | undefined {
  if (a === 'share' && b === 'share' && power === 1) return 'share';
  const left = exponents[a];
  const right = exponents[b];
  return named.get(left.map((value, index) => value + power * right[index]).join());
}

/**
 * Whether a value of dimension `found` is allowed where `wanted` is required: a plain number may be a share, but a share may not
 * be a plain number.
 */
export const fits = (found: Dimension, wanted: Dimension): boolean =>
  found === wanted || (wanted === 'share' && found === 'number');
