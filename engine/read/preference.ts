import type { Expression } from '../../grammar/syntax.ts';
import type { OperationLetter } from '../plan.ts';
import type { ReadContext } from './context.ts';

const letters: readonly string[] = ['F', 'B', 'I', 'W', 'R'];

/** Operations that rows may have, but no rule chooses. */
const unchosen: Readonly<Record<string, string | undefined>> = {
  U: 'which runs after the last backward of an iteration',
  E: 'which only rows and slots may have',
  L: 'which only rows and slots may have',
};

/** `[B, R, F]`; `undefined` where an item is no kind of operation that a rule chooses. */
export function preferenceOf(context: ReadContext, value: Expression): readonly OperationLetter[] | undefined {
  const items = value.kind === 'list' ? value.items : [value];
  const kinds: OperationLetter[] = [];
  for (const item of items) {
    if (item.kind === 'missing') return undefined;
    const reason = item.kind === 'name' ? unchosen[item.text] : undefined;
    if (item.kind !== 'name' || reason !== undefined) {
      const found = item.kind === 'name' ? `\`${item.text}\`, ${reason ?? ''}` : 'something else';
      context.report.report('type/mismatch', item, { expected: '`F`, `B`, `I`, `W` or `R`', found });
      return undefined;
    }
    // An unknown name has been reported where it was looked up.
    if (!letters.includes(item.text)) return undefined;
    kinds.push(item.text as OperationLetter);
  }
  return kinds;
}
