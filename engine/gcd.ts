/** Greatest common divisor of two whole numbers, of which the second may be 0. */
export const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
