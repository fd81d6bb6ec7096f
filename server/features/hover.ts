import { MarkupKind, type Hover, type HoverParams } from 'vscode-languageserver';
import { nodeAt } from '../../grammar/index.ts';
import type { Searches } from '../../engine/searches.ts';
import { toOffset } from '../convert.ts';
import { hoverDevice } from '../hover/device.ts';
import { hoverCallee, hoverKey, hoverQuantity, hoverWord } from '../hover/language.ts';
import { hoverOperation } from '../hover/operation.ts';
import { hoverSymbol } from '../hover/symbol.ts';
import { runText } from '../hover/run.ts';
import { sections } from '../hover/markdown.ts';
import { type ClientAbilities, rangeIn, referenceAt, type View } from '../view.ts';

interface HoverSetting {
  readonly docs?: string;
  readonly abilities: Pick<ClientAbilities, 'previews'>;
}

/** What the thing under the pointer is, with this file's figures. */
export function hover(
  view: View,
  params: HoverParams,
  { docs, abilities }: HoverSetting,
  searches: Searches,
): Hover | null {
  const offset = toOffset(view.lines, params.position);
  const path = nodeAt(view.syntax, offset);
  const operation = hoverOperation(view, path) ?? hoverDevice(view, path);
  if (operation !== undefined) return shown(view, operation.span, operation.text);
  const found = referenceAt(view, offset);
  const word = hoverWord(path);
  // A figure or a word of the language is a variable to the names, and more than that to the reader.
  if (found !== undefined && (found.symbol.kind !== 'variable' || word === undefined)) {
    const text = hoverSymbol(view, found.symbol, offset, docs, searches);
    if (text !== '')
      return shown(view, found.place, sections(text, runText(view, found.symbol, offset, abilities.previews)));
  }
  const other = hoverQuantity(path) ?? hoverKey(path, offset) ?? hoverCallee(path, offset, docs) ?? word;
  return other === undefined ? null : shown(view, other.span, other.text);
}

const shown = (view: View, span: { readonly start: number; readonly end: number }, value: string): Hover => ({
  contents: { kind: MarkupKind.Markdown, value },
  range: rangeIn(view, span),
});
