import { table } from '../../engine/basics/table.ts';
import { SymbolKind, type DocumentSymbol } from 'vscode-languageserver';
import type { BlockDeclaration, BlockItem, Declaration, Entry, Name, NodeBase } from '../../grammar/index.ts';
import { rangeIn, type SyntaxView } from '../view.ts';

const kindOf: Readonly<Record<string, SymbolKind>> = table({
  device: SymbolKind.Struct,
  cluster: SymbolKind.Namespace,
  model: SymbolKind.Class,
  schedule: SymbolKind.Function,
  pipeline: SymbolKind.Module,
  job: SymbolKind.Package,
  expect: SymbolKind.Event,
  layer: SymbolKind.Field,
  stage: SymbolKind.EnumMember,
  operation: SymbolKind.EnumMember,
  node: SymbolKind.Namespace,
});

/** The outline: declarations, and inside them everything with a name or a block. */
export const documentSymbols = (view: SyntaxView): DocumentSymbol[] =>
  view.syntax.declarations.flatMap((declaration) => declared(view, declaration));

function declared(view: SyntaxView, declaration: Declaration): DocumentSymbol[] {
  switch (declaration.kind) {
    case 'param':
      return declaration.name === undefined
        ? []
        : [symbol(view, declaration, declaration.name, SymbolKind.Variable, 'param')];
    case 'let':
      return declaration.name === undefined
        ? []
        : [symbol(view, declaration, declaration.name, SymbolKind.Constant, 'let')];
    case 'block':
      return [block(view, declaration)];
    default:
      return [];
  }
}

function block(view: SyntaxView, blockDeclaration: BlockDeclaration): DocumentSymbol {
  const kind = kindOf[blockDeclaration.keyword.text] ?? SymbolKind.Object;
  return symbol(
    view,
    blockDeclaration,
    blockDeclaration.name ?? blockDeclaration.keyword,
    kind,
    blockDeclaration.keyword.text,
    inside(view, blockDeclaration.body?.entries ?? []),
  );
}

const inside = (view: SyntaxView, items: readonly BlockItem[]): DocumentSymbol[] =>
  items.flatMap((item) => (item.kind === 'entry' ? entry(view, item) : []));

function entry(view: SyntaxView, item: Entry): DocumentSymbol[] {
  if (item.name === undefined && item.body === undefined) return [];
  const kind = kindOf[item.key.text] ?? SymbolKind.Property;
  const children = inside(view, item.body?.entries ?? []);
  return [symbol(view, item, item.name ?? item.key, kind, item.name === undefined ? '' : item.key.text, children)];
}

function symbol(
  view: SyntaxView,
  whole: NodeBase,
  name: Name,
  kind: SymbolKind,
  detail: string,
  children: DocumentSymbol[] = [],
): DocumentSymbol {
  // The protocol allows no empty name, and wants the name within the whole.
  return {
    name: name.text === '' ? detail || '…' : name.text,
    detail,
    kind,
    range: rangeIn(view, { start: Math.min(whole.start, name.start), end: Math.max(whole.end, name.end) }),
    selectionRange: rangeIn(view, name),
    children,
  };
}
