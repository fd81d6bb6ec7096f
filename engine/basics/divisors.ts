const shown = 2;

/** The divisors next to a number, nearest first, and the larger one first of two that are as near. */
export function nearestDivisors(of: number, number: number): readonly number[] {
  const divisors: number[] = [];
  for (let small = 1; small * small <= of; small += 1)
    if (of % small === 0) divisors.push(small, ...(small * small === of ? [] : [of / small]));
  return divisors.toSorted((a, b) => Math.abs(a - number) - Math.abs(b - number) || b - a).slice(0, shown);
}
