/** Functions of plain numbers that any expression may call; operands have been checked. */
import { table } from '../basics/table.ts';

/** The remainder as in mathematics: it has the sign of the divisor, so `mod(-1, 4)` is 3. */
export function mod(a: number, b: number): number {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest + 0;
}

/** The quotient that belongs to `mod`: a = b · div(a, b) + mod(a, b). */
export const div = (a: number, b: number): number => Math.round((a - mod(a, b)) / b) + 0;

/** Functions of one number. */
export const ofOne: Readonly<Record<string, (x: number) => number>> = table({
  ceil: Math.ceil,
  floor: Math.floor,
  round: Math.round,
  sqrt: Math.sqrt,
  log2: Math.log2,
});

/** Functions of two numbers, of which the second is not 0. */
export const ofTwo: Readonly<Record<string, (a: number, b: number) => number>> = table({ mod, div });
