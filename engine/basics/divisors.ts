const shown = 2;

/** All divisors of a whole number, ascending. */
export function divisors(of: number): readonly number[] {
  const found: number[] = [];
  for (let small = 1; small * small <= of; small += 1)
    if (of % small === 0) found.push(small, ...(small * small === of ? [] : [of / small]));
  return found.toSorted((a, b) => a - b);
}

/** The divisors next to a number, nearest first, and the larger one first of two that are as near. */
export const nearestDivisors = (of: number, number: number): readonly number[] =>
  divisors(of)
    .toSorted((a, b) => Math.abs(a - number) - Math.abs(b - number) || b - a)
    .slice(0, shown);
