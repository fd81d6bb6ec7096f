import type { LengthsPlan, PipelinePlan } from '../values/plan.ts';
import type { LengthsReport, Spread } from '../values/report.ts';

/** Undefined where all microbatches are alike. */
export function lengthsReport({ lengths }: Pick<PipelinePlan, 'lengths'>): LengthsReport | undefined {
  if (lengths === undefined) return undefined;
  const { tokens, documents, sequence } = lengths;
  const all = sumOf(tokens);
  const pieces = documents?.flat();
  return {
    tokens: spreadOf(tokens),
    filled: all / (tokens.length * sequence),
    ...(pieces === undefined
      ? {}
      : { documents: { count: pieces.length, ...spreadOf(pieces) }, padding: 1 - sumOf(pieces) / all }),
    longest: longestOf(lengths),
  };
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const spreadOf = (values: readonly number[]): Spread => ({
  min: values.reduce((least, value) => Math.min(least, value), Infinity),
  mean: sumOf(values) / values.length,
  max: values.reduce((most, value) => Math.max(most, value), 0),
});

/** The microbatch that all stages take longest for, the first of several, and how many times the mean it takes. */
export function longestOf({ kinds, kindOf, tokens }: LengthsPlan): LengthsReport['longest'] {
  const seconds = kinds.map(({ stages }) =>
    stages.reduce(
      (sum, { forward, recompute, backwardInput, backwardWeight }) =>
        sum + forward + recompute + backwardInput + backwardWeight,
      0,
    ),
  );
  // A schedule may cut each microbatch into parts, which follow each other.
  const parts = kindOf.length / tokens.length;
  const each = tokens.map((_, microbatch) => seconds[kindOf[microbatch * parts]]);
  const longest = each.reduce((most, value, microbatch) => (value > each[most] ? microbatch : most), 0);
  const mean = sumOf(each) / each.length;
  return { microbatch: longest, tokens: tokens[longest], time: mean > 0 ? each[longest] / mean : 1 };
}
