/** `bubble < 30`: a share that is compared with a number over 1 was meant as percent. */
import type { Expression } from '../../grammar/syntax.ts';
import { canonicalText } from '../language/canonical.ts';
import type { FigureSchema } from '../language/figures.ts';
import type { ExpectPlan } from '../values/plan.ts';
import type { ReadContext } from './context.ts';

/** Whether the comparison can hold. Reports a warning where it always does, an error where it never can. `value`: what the figure is compared with. */
export function checkShareBound(
  context: ReadContext,
  condition: Expression,
  figure: Pick<FigureSchema, 'name' | 'dimension'>,
  operator: ExpectPlan['operator'],
  value: Expression,
): boolean {
  if (value.kind === 'group') return checkShareBound(context, condition, figure, operator, value.inner);
  const { name, dimension } = figure;
  if (dimension !== 'share' || value.kind !== 'quantity' || value.unit !== '' || value.value <= 1) return true;
  const written = canonicalText(context.syntax, value);
  const extras = { hint: { kind: 'insert', text: '%' } } as const;
  if (operator === '<' || operator === '<=' || operator === '!=') {
    const reason = `"${name}" is a share and at most 100%, so this always holds; write \`${written}%\``;
    context.report.report(
      'key/not-applicable',
      value,
      { key: canonicalText(context.syntax, condition), reason },
      extras,
    );
    return true;
  } else {
    const allowed = `a share of at most 100%, such as ${written}%`;
    context.report.report('value/range', value, { what: `The bound of "${name}"`, value: written, allowed }, extras);
    return false;
  }
}
