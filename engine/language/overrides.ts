import { show } from '../quantities.ts';
import type { Resolution } from './resolution.ts';
import { nearest } from '../spelling.ts';

/** What is wrong with values for params (`--set`, a slider): one sentence each; empty where all can be. */
export function checkOverrides(resolution: Resolution, overrides: Readonly<Record<string, number>>): readonly string[] {
  const { params } = resolution.plan;
  return Object.entries(overrides).flatMap(([name, value]) => {
    const param = params.find((paramPlan) => paramPlan.name === name);
    if (param === undefined) {
      const near = nearest(
        name,
        params.map((paramPlan) => paramPlan.name),
      );
      return [`Unknown param "${name}".${near === undefined ? '' : ` Did you mean "${near}"?`}`];
    }
    const { min = -Infinity, max = Infinity, dimension, words } = param;
    if (words !== undefined && !Number.isInteger(value))
      return [`"${name}" takes the number of a word: ${words.map((word, index) => `${index} is ${word}`).join(', ')}.`];
    if (Number.isFinite(value) && value >= min && value <= max) return [];
    const allowed =
      max === Infinity
        ? min === -Infinity
          ? 'a finite number'
          : `at least ${show(min, dimension)}`
        : `from ${show(min, dimension)} to ${show(max, dimension)}`;
    return [`"${name}" is ${show(value, dimension)}; it must be ${allowed}.`];
  });
}
