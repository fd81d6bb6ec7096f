/** `lognormal(mean = 3000, sigma = 0.6, seed = 1)`, `uniform(from = 512, to = 4096, seed = 1)`: lengths that a seed decides. */
import { table } from '../basics/table.ts';
import type { Call } from '../../grammar/syntax.ts';
import { checked, evaluate, quantity, type Variables } from '../language/expressions.ts';
import { bindArguments } from './arguments.ts';
import type { ReadContext } from './context.ts';

/** Draws the next length, a whole number of at least 1. */
export type Draw = () => number;

const parameters: Readonly<Record<string, readonly string[]>> = table({
  lognormal: ['mean', 'sigma', 'seed'],
  uniform: ['from', 'to', 'seed'],
});

export const isDistribution = (name: string): boolean => Object.hasOwn(parameters, name);

/** `undefined` if an argument is missing or wrong, which has been reported. `longest`: no length is greater. */
export function readDistribution(
  context: ReadContext,
  call: Call,
  longest: number,
  variables?: Variables,
): Draw | undefined {
  const { text: name } = call.callee;
  const known = parameters[name];
  const bound = bindArguments(context, call, name, known);
  if (bound === undefined) return undefined;
  const absent = known.find((parameter) => !bound.has(parameter));
  if (absent !== undefined) {
    const example =
      name === 'lognormal'
        ? 'lognormal(mean = 3000, sigma = 0.6, seed = 1)'
        : 'uniform(from = 512, to = 4096, seed = 1)';
    context.report.report('key/missing', call.callee, { key: absent, block: `call to ${name}`, example });
    return undefined;
  }
  const length = (parameter: string, min: number) =>
    lengthOf(context, bound.get(parameter)?.value, parameter, { min }, variables);
  const seedAt = bound.get('seed')?.value;
  const seed =
    seedAt === undefined
      ? undefined
      : quantity(
          context,
          seedAt,
          { kind: 'quantity', dimension: 'number', integer: true, min: 0 },
          '"seed"',
          variables,
        );
  if (name === 'uniform') {
    const from = length('from', 1);
    const to = from === undefined ? undefined : length('to', from);
    if (from === undefined || to === undefined || seed === undefined) return undefined;
    return uniformLengths(Math.ceil(from), Math.floor(to), longest, seed);
  }
  const mean = length('mean', 1);
  const sigmaAt = bound.get('sigma')?.value;
  const sigma =
    sigmaAt === undefined
      ? undefined
      : quantity(context, sigmaAt, { kind: 'quantity', dimension: 'number', min: 0, max: 10 }, '"sigma"', variables);
  if (mean === undefined || sigma === undefined || seed === undefined) return undefined;
  return lognormalLengths(mean, sigma, longest, seed);
}

/** A number of tokens, with or without the unit `tok`. */
export function lengthOf(
  context: ReadContext,
  at: Parameters<typeof evaluate>[1] | undefined,
  what: string,
  bounds: { readonly min: number; readonly max?: number; readonly maxIs?: string; readonly integer?: boolean },
  variables?: Variables,
): number | undefined {
  const value = at === undefined ? undefined : evaluate(context, at, variables);
  if (at === undefined || value === undefined) return undefined;
  const plain =
    value.kind === 'measure' && value.dimension === 'tokens' ? { ...value, dimension: 'number' as const } : value;
  return checked(context, at, plain, { kind: 'quantity', dimension: 'number', ...bounds }, `"${what}"`);
}

/** Equal chances for each whole number from `from` to `to`. */
export function uniformLengths(from: number, to: number, longest: number, seed: number): Draw {
  const random = generator(seed);
  return () => Math.min(longest, from + Math.floor(random() * (to - from + 1)));
}

/**
 * Log-normal: exp(μ + σ z) with z from the method of Box and Muller (1958). Its mean is exp(μ + σ² / 2), so μ = ln(mean) − σ² / 2.
 */
export function lognormalLengths(mean: number, sigma: number, longest: number, seed: number): Draw {
  const random = generator(seed);
  const location = Math.log(mean) - sigma ** 2 / 2;
  return () => {
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    const drawn = Math.exp(location + sigma * radius * Math.cos(2 * Math.PI * random()));
    return Math.min(longest, Math.max(1, Math.round(drawn)));
  };
}

/** Numbers from 0 to below 1: the 32-bit generator mulberry32 (T. Ettinger, 2017), which is the same on every machine. */
function generator(seed: number): () => number {
  let state = (seed ^ Math.floor(seed / 2 ** 32)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
