import { show } from '../basics/quantities.ts';
import type { Expression } from '../../grammar/syntax.ts';
import { toLink } from '../language/builtins.ts';
import type { ReadContext } from './context.ts';
import { evaluate } from '../language/expressions.ts';
import { wrongDimension, mismatch } from '../language/valueFaults.ts';
import { findUnit, phraseOf } from '../language/units.ts';
import { type LinkValue } from '../language/values.ts';

/** A link as written: bandwidth over 0, latency of at least 0. */
export function readLink(context: ReadContext, expression: Expression): LinkValue | undefined {
  const first = expression.kind === 'binary' && expression.operator === '+' ? expression.left : expression;
  // `25GB + 5us` cannot be added up; what is wrong is that the bandwidth is in bytes.
  if (first !== expression && first.kind === 'quantity' && findUnit(first.unit)?.dimension === 'bytes')
    return wrongDimension(context, first, 'bandwidth', phraseOf.bytes);
  const value = evaluate(context, expression);
  if (value === undefined) return undefined;
  const link = toLink(value);
  if (link === undefined) {
    if (value.kind === 'measure') return wrongDimension(context, expression, 'bandwidth', phraseOf[value.dimension]);
    return mismatch(context, expression, 'a link such as `25GB/s + 5us`', value);
  }
  if (!(link.bandwidth > 0)) {
    context.report.report('value/range', expression, {
      what: 'The bandwidth of the link',
      value: show(link.bandwidth, 'bandwidth'),
      allowed: 'over 0',
    });
    return undefined;
  }
  if (link.latency < 0) {
    context.report.report('value/range', expression, {
      what: 'The latency of the link',
      value: show(link.latency, 'time'),
      allowed: 'at least 0',
    });
    return undefined;
  }
  return link;
}
