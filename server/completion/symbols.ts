import { named } from '../../engine/language/declare.ts';
import type { SymbolInfo, SymbolKind } from '../../engine/language/resolution.ts';
import type { Cursor } from '../text/cursor.ts';
import { referenceAt, type View } from '../view.ts';

/** Names of the file and its imports, of some kinds, by name. */
export const symbolsOf = (view: View, kinds: readonly SymbolKind[]): readonly SymbolInfo[] =>
  [...view.analysis.resolution.symbols.symbols.values()]
    .filter(
      (symbol) => kinds.includes(symbol.kind) && symbol.declaration !== undefined && symbol.container === undefined,
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** The same without the name that the declaration around the cursor gives: it cannot be made of itself. */
export const othersOf = (
  view: View,
  { declaration }: Pick<Cursor, 'declaration'>,
  kinds: readonly SymbolKind[],
): readonly SymbolInfo[] => {
  const own = declaration === undefined ? undefined : named(declaration)?.name.text;
  return symbolsOf(view, kinds).filter(({ name }) => name !== own);
};

/** Layers or stages that a block around the cursor holds, or that its pipeline's model holds; in order. */
export function membersFor(view: View, cursor: Cursor, kind: 'layer' | 'stage'): readonly SymbolInfo[] {
  const outer = cursor.blocks[0];
  if (outer === undefined) return [];
  const { symbols } = view.analysis.resolution.symbols;
  const owner = kind === 'layer' ? (modelOf(view, cursor) ?? ownName(view, cursor)) : ownName(view, cursor);
  return [...symbols.values()].filter((symbol) => symbol.kind === kind && symbol.container === owner);
}

/** The model that the pipeline around the cursor names. */
function modelOf(view: View, cursor: Cursor): string | undefined {
  const entry = cursor.blocks[0]?.body.entries.find(
    (blockItem) => blockItem.kind === 'entry' && blockItem.key.text === 'model',
  );
  const value = entry?.kind === 'entry' ? entry.values?.[0] : undefined;
  return value?.kind === 'name' ? referenceAt(view, value.start)?.symbol.id : undefined;
}

/** The symbol that the declaration around the cursor declares, or (`expect`) names. */
function ownName(view: View, cursor: Cursor): string | undefined {
  const name = cursor.blocks[0]?.declaration.name;
  return name === undefined ? undefined : referenceAt(view, name.start)?.symbol.id;
}
