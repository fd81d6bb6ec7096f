/** Functions that a file declares itself: schedules with parameters, and `let` with parameters. */
import type { FunctionParameter, FunctionSchema } from '../engine/language/functions.ts';
import type { SymbolInfo } from '../engine/language/resolution.ts';
import { scheduleUri, standardText } from '../engine/std/index.ts';
import { type BlockDeclaration, nodeAt, parse, type Span, walk } from '../grammar/index.ts';
import type { Cursor } from './text/cursor.ts';
import { referenceAt, type View } from './view.ts';

/** The function that a name means; undefined if the file does not declare it. */
export function ownFunction(view: View, callee: Span): FunctionSchema | undefined {
  const symbol = referenceAt(view, callee.start)?.symbol;
  if (symbol?.kind === 'schedule')
    return {
      name: symbol.name,
      context: 'schedule',
      doc: symbol.doc ?? '',
      parameters: membersOf(view, symbol.id, ['param']).map(parameterOf),
      bare: true,
    };
  if (symbol?.kind === 'policy' && isBase(view, callee)) return standardFunction(symbol.name);
  if (symbol?.kind !== 'let' || symbol.parameters === undefined) return undefined;
  const parameters = symbol.parameters.map((name) => ({ name, doc: '', optional: false }));
  return { name: symbol.name, context: 'value', doc: symbol.doc ?? '', parameters };
}

/** Whether a name is in `from = …`: there a built-in schedule is its text. */
const isBase = (view: View, { start }: Span): boolean =>
  nodeAt(view.syntax, start).findLast((node) => node.kind === 'entry')?.key.text === 'from';

/** A built-in schedule with the parameters of its text. */
function standardFunction(name: string): FunctionSchema | undefined {
  const uri = scheduleUri(name);
  const text = uri === undefined ? undefined : standardText(uri);
  const block = text === undefined ? undefined : parse(text).declarations.find(({ kind }) => kind === 'block');
  if (text === undefined || block?.kind !== 'block') return undefined;
  const parameters = (block.body?.entries ?? []).flatMap((item): readonly FunctionParameter[] => {
    const value = item.kind === 'entry' && item.key.text === 'param' ? item.values?.[0] : undefined;
    if (item.kind !== 'entry' || item.name === undefined || value === undefined) return [];
    const { name: parameter, doc = '' } = item;
    return [{ name: parameter.text, doc, optional: true, default: text.slice(value.start, value.end) }];
  });
  return { name, context: 'schedule', doc: block.doc ?? '', parameters, bare: true };
}

const parameterOf = ({ name, doc = '', detail }: SymbolInfo): FunctionParameter => ({
  name,
  doc,
  optional: true,
  ...(detail === undefined ? {} : { default: detail }),
});

/** What a schedule declares, in order. */
export const membersOf = (view: View, schedule: string, kinds: readonly SymbolInfo['kind'][]): readonly SymbolInfo[] =>
  [...view.analysis.resolution.symbols.symbols.values()].filter(
    (symbol) => symbol.container === schedule && kinds.includes(symbol.kind),
  );

/** Names that the loops around the cursor take: `j` of `each(j in …, …)`. */
export function loopNames({ entry, offset }: Pick<Cursor, 'entry' | 'offset'>): readonly string[] {
  const found: string[] = [];
  if (entry === undefined) return found;
  for (const value of entry.values ?? [])
    walk(value, (node) => {
      if (node.kind !== 'call') return true;
      if (node.start >= offset || node.end < offset) return false;
      for (const { binds, name } of node.arguments) if (binds === true && name !== undefined) found.push(name.text);
      return true;
    });
  return found;
}

/** The schedule that an `expect` around the cursor tests. */
export function testedSchedule(view: View, { blocks }: Pick<Cursor, 'blocks'>): SymbolInfo | undefined {
  const [block] = blocks;
  return block === undefined ? undefined : scheduleOfTest(view, block.declaration);
}

/** The schedule that an `expect` block tests. */
export function scheduleOfTest(
  view: View,
  { keyword, name }: Pick<BlockDeclaration, 'keyword' | 'name'>,
): SymbolInfo | undefined {
  const symbol = keyword.text === 'expect' && name !== undefined ? referenceAt(view, name.start)?.symbol : undefined;
  return symbol?.kind === 'schedule' ? symbol : undefined;
}
