/** Guards of data from outside: whether a value is what a type says. */
import { isFields, isFigure } from '../protocol/state.ts';

export type Guard = (value: unknown) => boolean;
export const isText: Guard = (value) => typeof value === 'string';
export const isCount = (value: unknown): value is number => isFigure(value) && Number.isInteger(value) && value >= 0;
export const isSwitch: Guard = (value) => typeof value === 'boolean';
export const all =
  (guard: Guard): Guard =>
  (value) =>
    Array.isArray(value) && value.every(guard);
export const maybe =
  (guard: Guard): Guard =>
  (value) =>
    value === undefined || guard(value);

/** A guard for each property of `T` that is a number, a text or a switch: the compiler asks for those that are missing here. */
type Guards<T> = {
  readonly [K in keyof T as NonNullable<T[K]> extends number | string | boolean ? K : never]-?: Guard;
} & { readonly [K in keyof T]?: Guard };
export const record =
  <T>(guards: Guards<T>): Guard =>
  (value) =>
    isFields(value) &&
    Object.entries<Guard | undefined>(guards).every(([name, guard]) => guard === undefined || guard(value[name]));

/** Nothing is larger than the language's largest quantity. */
export const figure: Guard = (value) => isFigure(value) && Math.abs(value) <= 1e24;
export const switched = maybe((value) => value === true);
