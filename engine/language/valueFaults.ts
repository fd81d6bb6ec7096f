/** Findings about values: each reports and gives `undefined`, so that what uses the value stays silent. */
import { largestQuantity } from '../basics/largest.ts';
import { show } from '../basics/quantities.ts';
import type { Expression } from '../../grammar/syntax.ts';
import type { FileContext } from './context.ts';
import type { Dimension } from '../values/plan.ts';
import { exampleOf, phraseOf } from './units.ts';
import { describe, measure, type Value } from './values.ts';

/** Reports NaN and what is too large as `value/range`. */
export function finite(context: FileContext, at: Expression, value: number, dimension: Dimension): Value | undefined {
  const size = Math.abs(value);
  if (size <= largestQuantity) return measure(size < 1 / largestQuantity ? 0 : value, dimension);
  context.report.report('value/range', at, {
    what: 'The value',
    value: Number.isNaN(value) ? 'not a number' : 'too large to compute with',
    allowed: Number.isNaN(value) ? 'a finite number' : `at most ${show(largestQuantity, dimension)}`,
  });
  return undefined;
}

/** Reports `type/mismatch` and gives `undefined`. */
export function mismatch(context: FileContext, at: Expression, expected: string, found: Value): undefined {
  context.report.report('type/mismatch', at, { expected, found: describe(found) });
  return undefined;
}

/** Reports `type/dimension` with an example and gives `undefined`. */
export function wrongDimension(context: FileContext, at: Expression, expected: Dimension, found: string): undefined {
  context.report.report('type/dimension', at, { expected: phraseOf[expected], found, example: exampleOf[expected] });
  return undefined;
}
