import { table } from '../basics/table.ts';
import type { Expression, Name } from '../../grammar/syntax.ts';
import type { RuleOperation } from '../values/plan.ts';
import type { ReadContext } from './context.ts';

const letters: readonly string[] = ['F', 'B', 'I', 'W', 'R', 'E', 'L'];

/** An operation that rows may have, but no rule chooses. */
const unchosen: Readonly<Record<string, string | undefined>> = table({
  U: 'which runs after the last backward of an iteration',
});

/** `[B, R, loss, F]`; `undefined` where an item is no kind of operation that a rule chooses. */
export function preferenceOf(context: ReadContext, value: Expression): readonly RuleOperation[] | undefined {
  const items = value.kind === 'list' ? value.items : [value];
  const kinds: RuleOperation[] = [];
  for (const item of items) {
    if (item.kind === 'missing') return undefined;
    const reason = item.kind === 'name' ? unchosen[item.text] : undefined;
    if (item.kind !== 'name' || reason !== undefined) {
      const found = item.kind === 'name' ? `\`${item.text}\`, ${reason ?? ''}` : 'something else';
      context.report.report('type/mismatch', item, { expected: '`F`, `B`, `I`, `W`, `R`, `E` or `L`', found });
      return undefined;
    }
    // An unknown name has been reported where it was looked up.
    if (!letters.includes(item.text) && !isDeclared(context, item)) return undefined;
    kinds.push(item.text);
  }
  return kinds;
}

/** Whether a name is an operation that the schedule declares. */
export const isDeclared = ({ links }: ReadContext, name: Name): boolean =>
  links.get(name)?.startsWith('operation:') === true;

/** Why a rule cannot have these operations, if so: what it has to have instead. */
export function wrongPreference(kinds: readonly RuleOperation[], backward: 'whole' | 'split'): string | undefined {
  const needed = backward === 'split' ? ['I', 'F', 'W'] : ['B', 'F'];
  const rest = kinds.filter((kind) => !needed.includes(kind));
  const each = needed.map((name) => `\`${name}\``).join(', ');
  if (kinds.length - rest.length !== needed.length || new Set(kinds).size !== kinds.length || rest.some(isBackward))
    return `each of ${each} once, since the backward is ${backward}${otherBackward(kinds, backward)}; \`R\`, or \`E\` and \`L\`, at most once`;
  if (rest.includes('E') !== rest.includes('L')) return '`E` and `L`, or neither of them: what E sends, L brings back';
  if (rest.includes('E') && rest.includes('R'))
    return '`R`, or `E` and `L`: a rule recomputes activations, or sends them away';
  return undefined;
}

/** How the schedule gets the operations that it names. */
function otherBackward(kinds: readonly RuleOperation[], backward: 'whole' | 'split'): string {
  const [other, its] = backward === 'whole' ? ['split', ['I', 'W']] : ['whole', ['B']];
  const named = its.filter((kind) => kinds.includes(kind));
  return named.length === 0 ? '' : ` (\`backward = ${other}\` has ${named.map((kind) => `\`${kind}\``).join(' and ')})`;
}

const isBackward = (kind: RuleOperation): boolean => ['B', 'I', 'W'].includes(kind);
