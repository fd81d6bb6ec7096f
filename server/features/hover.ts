import { MarkupKind, type Hover, type HoverParams } from 'vscode-languageserver';
import { nodeAt, type SyntaxNode } from '../../grammar/index.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import { toOffset } from '../text/convert.ts';
import { exchangeText } from '../hover/exchange.ts';
import { hoverDevice } from '../hover/device.ts';
import { hoverCallee, hoverKey, hoverQuantity, hoverWord } from '../hover/language.ts';
import { linkText } from '../hover/link.ts';
import { hoverOperation } from '../hover/operation.ts';
import { hoverSymbol } from '../hover/symbol.ts';
import { scheduleOfTest } from '../ownFunctions.ts';
import { runText } from '../hover/run.ts';
import { sections } from '../hover/markdown.ts';
import { writtenText } from '../hover/written.ts';
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
  const operation = hoverOperation(view, path);
  if (operation !== undefined) return shown(view, operation.span, sections(operation.text, writtenText(view, path)));
  const device = hoverDevice(view, path);
  if (device !== undefined) return shown(view, device.span, device.text);
  const found = referenceAt(view, offset);
  const inTest = path.some((node) => node.kind === 'block' && scheduleOfTest(view, node) !== undefined);
  const word = hoverWord(path, inTest, docs);
  // A figure or a word of the language is a variable to the names, and more than that to the reader.
  if (found !== undefined && (found.symbol.kind !== 'variable' || word === undefined)) {
    const text = hoverSymbol(view, found.symbol, offset, docs, searches);
    if (text !== '')
      return shown(
        view,
        found.place,
        sections(
          text,
          runText(view, found.symbol, offset, abilities.previews),
          exchangeText(view, path),
          ofName(view, path),
        ),
      );
  }
  const sent = linkText(view, path);
  const other =
    hoverQuantity(path, docs, sent) ?? hoverKey(path, offset, docs, sent) ?? hoverCallee(path, offset, docs) ?? word;
  return other === undefined
    ? null
    : shown(view, other.span, sections(other.text, exchangeText(view, path), ofName(view, path)));
}

/** A name that stands for operations: of a function such as `zip`, or of a `let`. Numbers in it are only numbers. */
function ofName(view: View, path: readonly SyntaxNode[]): string | undefined {
  const [parent, node] = path.slice(-2);
  if (node?.kind !== 'name') return undefined;
  if (parent?.kind === 'call' && parent.callee === node) return writtenText(view, path, parent);
  return writtenText(view, path, parent?.kind === 'entry' && parent.name === node ? undefined : node);
}

const shown = (view: View, span: { readonly start: number; readonly end: number }, value: string): Hover => ({
  contents: { kind: MarkupKind.Markdown, value },
  range: rangeIn(view, span),
});
