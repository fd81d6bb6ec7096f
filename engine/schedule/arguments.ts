import type { PolicyArguments } from './policy.ts';

/** An argument as a message shows it. */
export function shownArgument(args: PolicyArguments, name: string): string {
  const value = args[name];
  return typeof value === 'number' || typeof value === 'string' ? String(value) : JSON.stringify(value);
}

/** An argument as a whole number; `otherwise` where it is absent or no whole number. */
export function integerArgument(args: PolicyArguments, name: string, otherwise: number): number {
  const value = args[name];
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : otherwise;
}

/** True where something is written that is no whole number of at least `least`. */
export function badInteger(args: PolicyArguments, name: string, least: number): boolean {
  const value = args[name];
  return value !== undefined && !(typeof value === 'number' && Number.isSafeInteger(value) && value >= least);
}
