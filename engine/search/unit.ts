/** Ticks that all times of a problem are multiples of. */
import { gcd } from '../basics/gcd.ts';
import type { OrderProblem } from './orderProblem.ts';

/**
 * The greatest such number. In the shortest run of any order, each operation starts at 0, or where another one or its message ends. So
 * the end of an order is a sum of times, and a multiple of this number too.
 */
export const unitOf = ({ forward, input, weight, transfer, step }: OrderProblem): number =>
  [forward, input, weight, transfer, step].reduce((unit, ticks) => ticks.reduce(gcd, unit), 0) || 1;

/** The first multiple of a unit that is not before a tick. */
export const upTo = (unit: number, ticks: number): number => Math.ceil(ticks / unit) * unit;
