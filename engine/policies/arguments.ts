import type { PolicyArguments } from './policy.ts';

/** An argument as a message shows it. */
export function shownArgument(args: PolicyArguments, name: string): string {
  const value = args[name];
  return typeof value === 'number' || typeof value === 'string' ? String(value) : JSON.stringify(value);
}

/**
 * The largest whole number that a policy takes as an argument. Orders count in 32 bits, so nothing above it could make a
 * difference. The reader of a file holds every argument to it.
 */
export const largestInteger = 2 ** 31 - 1;

const isWhole = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value <= largestInteger;

/** An argument as a whole number; `otherwise` where it is absent, no whole number, or over `largestInteger`. */
export function integerArgument(args: PolicyArguments, name: string, otherwise: number): number {
  const value = args[name];
  return isWhole(value) ? value : otherwise;
}

/** True where the argument is written and is no whole number from `least` to `largestInteger`. */
export function badInteger(args: PolicyArguments, name: string, least: number): boolean {
  const value = args[name];
  return value !== undefined && !(isWhole(value) && value >= least);
}
