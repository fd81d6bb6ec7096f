/** Texts of a file around a search: whether one still means what was searched, and the file with a row of the search in it. */
import { isAside, pipelineBody } from '../../engine/fixes/source.ts';
import { apply } from '../../engine/fixes/proposal.ts';
import type { Axis } from '../../engine/definitions/search.ts';
import { settingsOf } from '../../engine/sweep/axes.ts';
import type { SweepBase } from '../../engine/sweep/base.ts';
import { placeRow } from '../../engine/sweep/placeRow.ts';
import { rowFile } from '../../engine/sweep/rowText.ts';
import { type Declaration, parse, type SyntaxFile } from '../../grammar/index.ts';
import { minimalEdit } from '../text/minimalEdit.ts';

/** What the figures of a search depend on, without comments, layout and what is aside: equal keys, equal figures. */
export function searchKey({ tokens, declarations }: SyntaxFile, pipeline: string): string {
  const aside = declarations.filter((each) => isIgnored(each, pipeline));
  const words: string[] = [];
  let next = 0;
  for (const { start, text } of tokens) {
    while (next < aside.length && aside[next].end <= start) next += 1;
    if (next === aside.length || start < aside[next].start) words.push(text);
  }
  return words.join('\n');
}

function isIgnored(declaration: Declaration, pipeline: string): boolean {
  if (declaration.kind !== 'block') return false;
  const { keyword, name } = declaration;
  // The search says which rows there are.
  if (keyword.text === 'search' && name?.text === pipeline) return false;
  return keyword.text === 'expect' || isAside(declaration, pipeline);
}

/** A row that was written into a file. */
export interface WrittenRow {
  readonly row: number;
  /** The text without the row and with it. */
  readonly before: string;
  readonly after: string;
}

type Refused = { readonly refused: string };

/** A text that has a row, as it was before: edits elsewhere stay. Refused if they are in the text that the row wrote. */
export function withoutRow(text: string, { row, before, after }: WrittenRow): string | Refused {
  if (text === after) return before;
  const back = minimalEdit(after, before);
  const edited = minimalEdit(after, text);
  if (edited.end > back.start && back.end > edited.start)
    return { refused: `the file was edited where row ${row} was written; undo that, or search again` };
  return apply(
    after,
    [back, edited].toSorted((a, b) => a.start - b.start),
  );
}

/** A file with the values of a row, whose comments and layout stay. */
export function withRow(base: SweepBase, axes: readonly Axis[], row: number, text: string): WrittenRow | Refused {
  const placed = placeRow(base, axes, settingsOf(axes, row));
  if ('refused' in placed) return placed;
  const syntax = parse(text);
  const body = pipelineBody(syntax, base.pipeline);
  if (body === undefined) return { refused: 'the pipeline is not in the file' };
  const written = rowFile({ ...base, syntax, body }, placed);
  return 'refused' in written ? written : { row, before: text, after: written.text };
}
