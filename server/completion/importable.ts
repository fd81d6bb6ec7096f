/** Names that come with the language, offered where one of their kind is due; their import is written with them. */
import { type Exported, standardNames } from '../../engine/language/exported.ts';
import type { SymbolKind } from '../../engine/language/resolution.ts';
import { withImport } from '../../engine/fixes/repairs/exports.ts';
import { userMarkdown } from '../text/userText.ts';
import type { View } from '../view.ts';
import { kindOf, type Offer } from './offer.ts';

/** What most plans of these years are for; the rest follows in the order of its file. */
const usual = [
  ...['h100', 'h200', 'b200', 'gb200', 'a100_80', 'mi300x'],
  ...['dgx_h100', 'dgx_b200', 'gb200_nvl72', 'dgx_a100'],
  ...['llama3_8b', 'llama3_70b', 'llama3_1_405b', 'qwen3_32b', 'deepseek_v3', 'mixtral_8x7b'],
];

/** Declarations of a kind that the file has no name for yet. */
export function importable(view: View, kind: SymbolKind): readonly Offer[] {
  const taken = new Set([...view.analysis.resolution.symbols.symbols.values()].map(({ name }) => name));
  const rank = ({ name }: Exported): number => (usual.includes(name) ? usual.indexOf(name) : usual.length);
  const ofKind = standardNames().filter((exported) => exported.kind === kind && !taken.has(exported.name));
  return ofKind
    .toSorted((a, b) => rank(a) - rank(b))
    .flatMap((exported) => {
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
