/** Names that come with the language, offered where one of their kind is due; their import is written with them. */
import { type Exported, standardNames } from '../../engine/language/exported.ts';
import type { SymbolKind } from '../../engine/language/resolution.ts';
import { withImport } from '../../engine/fixes/repairs/exports.ts';
import { userMarkdown } from '../text/userText.ts';
import type { View } from '../view.ts';
import { kindOf, type Offer } from './offer.ts';
import { byUse, usualImports } from './usual.ts';

/** Declarations of a kind that the file has no name for yet. */
export function importable(view: View, kind: SymbolKind): readonly Offer[] {
  const taken = new Set([...view.analysis.resolution.symbols.symbols.values()].map(({ name }) => name));
  const ofKind = standardNames().filter((exported) => exported.kind === kind && !taken.has(exported.name));
  return byUse(ofKind, ({ name }) => name, usualImports).flatMap((exported) => {
    const edit = withImport(view.syntax, exported);
    return edit === undefined ? [] : [{ ...exportedOffer(exported), edits: [edit] }];
  });
}

/** A name of another file, and the path of that file in the same row. */
export const exportedOffer = ({ name, kind, path, doc }: Exported): Offer => ({
  label: name,
  kind: kindOf(kind),
  detail: kind,
  description: path,
  ...(doc === undefined ? {} : { doc: userMarkdown(doc) }),
});
