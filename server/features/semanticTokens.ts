import { SemanticTokensBuilder, type Range, type SemanticTokens } from 'vscode-languageserver';
import type { SymbolInfo, SymbolKind } from '../../engine/language/resolution.ts';
import { walk, type Span } from '../../grammar/index.ts';
import { bit, indexOfType, type TokenType } from '../text/colours.ts';
import { toSpan } from '../text/convert.ts';
import { rangeIn, type View } from '../view.ts';

const typeOf: Readonly<Record<SymbolKind, TokenType>> = {
  param: 'parameter',
  let: 'variable',
  device: 'struct',
  cluster: 'namespace',
  model: 'class',
  layer: 'property',
  stage: 'enumMember',
  schedule: 'function',
  operation: 'enumMember',
  pipeline: 'namespace',
  job: 'namespace',
  switch: 'variable',
  parameter: 'parameter',
  policy: 'function',
  function: 'function',
  variable: 'variable',
};

interface Coloured extends Span {
  readonly type: TokenType;
  readonly modifiers: number;
}

/** Colours that only the meaning gives: what a name stands for, and which words are keywords. The rest is the grammar's. */
export function semanticTokens(view: View, range?: Range): SemanticTokens {
  const within = range === undefined ? { start: 0, end: view.syntax.text.length } : toSpan(view.lines, range);
  const builder = new SemanticTokensBuilder();
  let end = -1;
  for (const coloured of [...words(view), ...names(view)].sort((a, b) => a.start - b.start)) {
    const { start, end: stop } = rangeIn(view, coloured);
    if (coloured.end < within.start || coloured.start > within.end || coloured.start < end || start.line !== stop.line)
      continue;
    end = coloured.end;
    builder.push(
      start.line,
      start.character,
      stop.character - start.character,
      indexOfType(coloured.type),
      coloured.modifiers,
    );
  }
  return builder.build();
}

function names(view: View): Coloured[] {
  const { references, symbols } = view.analysis.resolution.symbols;
  return references.flatMap(({ place, symbol }) => {
    const info = symbols.get(symbol);
    return info === undefined
      ? []
      : [{ start: place.start, end: place.end, type: typeOf[info.kind], modifiers: modifiersOf(info, place) }];
  });
}

function modifiersOf(info: SymbolInfo, place: Span & { readonly uri: string }): number {
  const { declaration, kind } = info;
  if (declaration === undefined) return bit('defaultLibrary');
  const declares = declaration.uri === place.uri && declaration.start === place.start;
  return (declares ? bit('declaration') : 0) | (kind === 'let' ? bit('readonly') : 0);
}

function words(view: View): Coloured[] {
  const found: Coloured[] = [];
  const add = (span: Span | undefined, type: TokenType): void => {
    if (span !== undefined && span.end > span.start)
      found.push({ start: span.start, end: span.end, type, modifiers: 0 });
  };
  const keyword = (index: number) => add(view.syntax.tokens[index], 'keyword');
  walk(view.syntax, (node) => {
    if (node.kind === 'import' || node.kind === 'param' || node.kind === 'let') keyword(node.first);
    if (node.kind === 'import' && node.settings !== undefined) keyword(node.settings.first - 1);
    else if (node.kind === 'block') add(node.keyword, 'keyword');
    else if (node.kind === 'entry')
      add(node.key, node.body === undefined && node.name === undefined ? 'property' : 'keyword');
    else if (node.kind === 'argument') add(node.name, 'property');
  });
  return found;
}
