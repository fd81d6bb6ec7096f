/** Parts of expressions that must be of one kind. */
import type { Expression, Name } from '../../grammar/syntax.ts';
import { phraseOf } from '../language/units.ts';
import { wrongDimension } from '../language/valueFaults.ts';
import type { Dimension } from '../values/plan.ts';
import { type Code, kindWords, type NumberCode, type SequenceCode, type TruthCode } from './code.ts';
import { type Names, slotOf } from './names.ts';

/** A number of a dimension; of any where none is given. */
export function compileNumber(names: Names, expression: Expression, dimension?: Dimension): NumberCode | undefined {
  const code = names.compile(expression);
  return code === undefined ? undefined : asNumber(names, expression, code, dimension);
}

/** The same for an expression that is compiled already. */
export function asNumber(
  names: Names,
  expression: Expression,
  code: Code,
  dimension?: Dimension,
): NumberCode | undefined {
  if (code.kind !== 'number')
    return mismatched(names, expression, dimension === undefined ? 'a number' : phraseOf[dimension], code);
  if (dimension === undefined || code.dimension === dimension) return code;
  return wrongDimension(names.context, expression, dimension, phraseOf[code.dimension]);
}

/** A comparison, or `if` between comparisons. */
export function compileCondition(names: Names, expression: Expression): TruthCode | undefined {
  const code = names.compile(expression);
  if (code === undefined || code.kind === 'truth') return code;
  return mismatched(names, expression, 'a comparison', code);
}

/** Operations in order. */
export function compileSequence(names: Names, expression: Expression): SequenceCode | undefined {
  const code = names.compile(expression);
  if (code === undefined || code.kind === 'sequence') return code;
  return wrong(names, expression, 'operations such as `F[0..<microbatches]` or `zip(…)`');
}

/** Reports something that is not `expected`. */
export function wrong({ context }: Names, at: Expression, expected: string): undefined {
  const text = context.syntax.text.slice(at.start, Math.min(at.end, at.start + 40));
  context.report.report('type/mismatch', at, { expected, found: `\`${text}\`` });
  return undefined;
}

/** The same for something of the wrong kind. */
export function mismatched({ context }: Names, at: Expression, expected: string, found: Code): undefined {
  context.report.report('type/mismatch', at, { expected, found: kindWords[found.kind] });
  return undefined;
}

/** Slots of the parameters that an entry or a loop declares. */
export const parameterSlot = (names: Names, name: Name): number | undefined => {
  const symbol = names.context.links.get(name);
  return symbol === undefined ? undefined : slotOf(names, symbol);
};
