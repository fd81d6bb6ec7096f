/** The multiples of `step` nearest to a number that are at least `least` (itself a multiple), the nearer or lower one first. */
export function nearestTo(value: number, step: number, least: number): readonly number[] {
  if (!(value > least)) return [least];
  const below = Math.floor(value / step) * step;
  return below === value ? [value] : [below, below + step];
}
