/**
 * Rounds sizes to multiples of the least step between numbers as large as `most`. Up to that sum they can be added and taken away in
 * any order, and never drift. Whole bytes stay as they are, and a third of a byte loses less than a sum of thirds.
 */
export function exactUpTo(most: number): (bytes: number) => number {
  const power = 2 ** Math.ceil(Math.log2(most));
  return (bytes) => bytes + power - power;
}
