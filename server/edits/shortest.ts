/** The shortest number that times `scale` is `value`: 0.004 of 0.001 is 4, not 4.000000000000001. */
export function shortest(value: number, scale: number): string {
  for (let digits = 1; digits <= 17; digits += 1) {
    const rounded = Number((value / scale).toPrecision(digits));
    if (rounded * scale === value) return String(rounded);
  }
  return String(Number((value / scale).toPrecision(15)));
}
