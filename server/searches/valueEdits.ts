/** Values of sliders, as edits of the file that they are searched with. */
import { apply, type Edit } from '../../engine/fixes/proposal.ts';
import type { Change } from '../../engine/sweep/changes.ts';
import type { Overrides } from '../../webview/protocol/requests.ts';
import { paramEdit } from '../edits/paramEdit.ts';
import { toSpan } from '../text/convert.ts';
import type { View } from '../view.ts';

interface ValueEdit extends Edit {
  readonly name: string;
}

/** Edits that give a file these values of params; undefined if one of them cannot be written. */
export function valueEdits(view: View, overrides: Overrides): readonly ValueEdit[] | undefined {
  const edits = Object.entries(overrides).flatMap(([name, value]) => {
    const edit = paramEdit(view, { uri: view.uri, name, value });
    return edit === null ? [] : [{ name, ...toSpan(view.lines, edit.range), text: edit.newText }];
  });
  // Two arguments that a call lacks would be written at one place.
  const places = new Set(edits.map(({ start }) => start));
  return places.size < Object.keys(overrides).length ? undefined : edits;
}

/** The text of a file with these values of params; undefined if one of them cannot be written. */
export function withValues(view: View, overrides: Overrides): string | undefined {
  const edits = valueEdits(view, overrides);
  return edits === undefined ? undefined : apply(view.syntax.text, edits);
}

/** What an edit of a value changes, in the words of the file. An argument that a call lacks is written with its name. */
export const changeOf = (text: string, { name, start, end, text: to }: ValueEdit): Change => ({
  key: name,
  from: start === end ? 'not set' : text.slice(start, end),
  to: start === end ? to.replace(/^[\s,(]+|[\s),]+$/gu, '') : to,
});
