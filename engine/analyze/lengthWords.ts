import { amount, share } from '../basics/quantities.ts';
import type { LengthsReport } from '../values/report.ts';

/**
 * `512 to 4,096 tokens` and `mean 2,310, 56 % of the sequence`. Packed samples add `1,200 documents, mean 598`. The last is `microbatch 17
 * takes 1.8 times the mean`.
 */
export function lengthWords({ tokens, filled, documents, padding, longest }: LengthsReport): {
  readonly range: string;
  readonly mean: string;
  readonly documents?: string;
  readonly longest: string;
} {
  const range = tokens.min === tokens.max ? whole(tokens.max) : `${whole(tokens.min)} to ${whole(tokens.max)}`;
  const padded = padding !== undefined && padding >= 0.0005 ? `, ${share(padding)} of the tokens are padding` : '';
  return {
    range: `${range} tokens`,
    mean: `mean ${whole(Math.round(tokens.mean))}, ${share(filled)} of the sequence`,
    ...(documents === undefined
      ? {}
      : { documents: `${whole(documents.count)} documents, mean ${whole(Math.round(documents.mean))}${padded}` }),
    longest: `microbatch ${longest.microbatch} takes ${amount(Number(longest.time.toPrecision(3)))} times the mean`,
  };
}

const whole = (value: number): string => value.toLocaleString('en-US');
