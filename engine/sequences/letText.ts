/** Names of a schedule that a rule reads while it runs: `let room(s) = 4 - held(s)`. Conditions replace the name by its text. */
import type { Expression } from '../../grammar/syntax.ts';
import { walk } from '../../grammar/walk.ts';
import type { LetText, Names } from './names.ts';

/** What a `let` with one value says; those that it uses come before it. */
export function letText({ context, texts }: Names, value: Expression, parameters: LetText['parameters']): LetText {
  let readsRun = false;
  let size = 0;
  walk(value, (node) => {
    size += 1;
    const symbol = node.kind === 'name' ? context.links.get(node) : undefined;
    const used = symbol === undefined ? undefined : texts.get(symbol);
    if (symbol?.startsWith('function:guard ') === true || used?.readsRun === true) readsRun = true;
    size += used?.size ?? 0;
  });
  return { value, parameters, readsRun, size };
}

/** Parts of a condition: more would take long to look at, each time that a device looks for work. */
export const mostParts = 10_000;

/** Reports a condition or a name with more parts. */
export function tooManyParts({ context }: Names, at: Expression, parts: number): undefined {
  context.report.report('type/mismatch', at, {
    expected: `a condition of at most ${mostParts.toLocaleString('en-US')} parts, once names are replaced by what they stand for`,
    found: `${parts.toLocaleString('en-US')} parts`,
  });
  return undefined;
}

/** Reports a name of a schedule with other arguments than its parameters. */
export function wrongCount(
  { context }: Names,
  at: Expression,
  parameters: readonly { readonly name: string }[],
): undefined {
  const name = at.kind === 'call' ? at.callee.text : at.kind === 'name' ? at.text : '';
  const wanted = parameters.length === 0 ? name : `${name}(${parameters.map((each) => each.name).join(', ')})`;
  const found = at.kind === 'call' ? at.arguments.length : 0;
  context.report.report('type/mismatch', at, {
    expected: `\`${wanted}\``,
    found: `${found} ${found === 1 ? 'argument' : 'arguments'}`,
  });
  return undefined;
}
