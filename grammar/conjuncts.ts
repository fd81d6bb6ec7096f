/** Conditions with `and` between them. */
import type { Expression } from './syntax.ts';

/** The conditions that must all hold, in order; of most expressions only itself. A loop, because chains may be long. */
export function conjuncts(expression: Expression, joins: readonly string[] = ['and']): readonly Expression[] {
  const found: Expression[] = [];
  const open: Expression[] = [expression];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === 'group') open.push(next.inner);
    else if (next.kind === 'binary' && joins.includes(next.operator)) open.push(next.right, next.left);
    else found.push(next);
  }
  return found;
}
