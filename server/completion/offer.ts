import { CompletionItemKind } from 'vscode-languageserver';
import { takesNames, type FunctionSchema } from '../../engine/language/functions.ts';
import type { SymbolInfo, SymbolKind } from '../../engine/language/resolution.ts';
import type { Edit } from '../../engine/fixes/proposal.ts';
import type { Dimension } from '../../engine/values/plan.ts';
import { userMarkdown } from '../text/userText.ts';
import { shortSignature } from '../text/signatures.ts';

/** Something to offer. `snippet` in the protocol's snippet syntax; `text` for clients without snippets, `label` where absent. */
export interface Offer {
  readonly label: string;
  readonly kind: CompletionItemKind;
  readonly detail?: string;
  /** Markdown. */
  readonly doc?: string;
  readonly text?: string;
  readonly snippet?: string;
  /** What is compared with the typed word; `label` where absent. */
  readonly filter?: string;
  /** A value is due here, so it may be offered on a space too. */
  readonly unasked?: boolean;
  /** Shown in the same row. */
  readonly description?: string;
  /** What an editor shows next, once this is written: the list of values, or the parameters of the call. */
  readonly opens?: 'values' | 'parameters';
  /** Written with it, elsewhere in the file. */
  readonly edits?: readonly Edit[];
  /** What a client gives back to have the rest of the item. */
  readonly data?: unknown;
  /** Of a number that the file names. */
  readonly dimension?: Dimension;
}

const kinds: Readonly<Record<SymbolKind, CompletionItemKind>> = {
  param: CompletionItemKind.Variable,
  let: CompletionItemKind.Constant,
  device: CompletionItemKind.Struct,
  cluster: CompletionItemKind.Module,
  model: CompletionItemKind.Class,
  layer: CompletionItemKind.Field,
  stage: CompletionItemKind.EnumMember,
  schedule: CompletionItemKind.Function,
  operation: CompletionItemKind.EnumMember,
  pipeline: CompletionItemKind.Module,
  job: CompletionItemKind.Module,
  switch: CompletionItemKind.Variable,
  parameter: CompletionItemKind.Variable,
  policy: CompletionItemKind.Function,
  function: CompletionItemKind.Function,
  variable: CompletionItemKind.Variable,
};

export const kindOf = (kind: SymbolKind): CompletionItemKind => kinds[kind];

export const symbolOffer = (symbol: SymbolInfo): Offer => ({
  label: symbol.name,
  kind: kinds[symbol.kind],
  detail: symbol.detail ?? symbol.kind,
  doc: symbol.doc === undefined ? undefined : userMarkdown(symbol.doc),
  dimension: symbol.dimension,
});

export const wordOffer = (word: { readonly name: string; readonly doc?: string }): Offer => ({
  label: word.name,
  kind: CompletionItemKind.EnumMember,
  doc: word.doc,
});

export const keywordOffer = (label: string, doc: string, snippet?: string): Offer => ({
  label,
  kind: CompletionItemKind.Keyword,
  doc,
  snippet,
});

/** With its parentheses and a place for each required argument; the bare name if the function can be written without them. */
export function functionOffer(schema: FunctionSchema): Offer {
  const needed = schema.parameters.filter((parameter) => !parameter.optional);
  const named = takesNames(schema);
  const places = needed.map(
    (parameter, at) =>
      `${named ? `${parameter.name} = ` : ''}\${${at + 1}:${literal(parameter.example ?? parameter.name)}}`,
  );
  return {
    label: schema.name,
    kind: CompletionItemKind.Function,
    detail: shortSignature(schema),
    doc: schema.doc,
    ...(schema.bare === true
      ? {}
      : {
          snippet:
            schema.call === undefined
              ? `${schema.name}(${places.length === 0 ? '$1' : places.join(', ')})`
              : literal(schema.call),
          opens: 'parameters' as const,
        }),
  };
}

/** Text that stands for itself in a snippet. */
export const literal = (text: string): string => text.replace(/[\\$}]/g, (mark) => `\\${mark}`);
