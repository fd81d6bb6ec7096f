/**
 * Lenses of the last whole text. A declaration keeps its last lens while the text has a mistake, or its figures are still to come.
 * Otherwise all lines below would move up, and down again.
 */
import type { CodeLens } from 'vscode-languageserver';
import type { Span } from '../grammar/index.ts';
import { toRange, toSpan } from './text/convert.ts';
import { minimalEdit } from './text/minimalEdit.ts';
import type { View } from './view.ts';

export interface LastLenses {
  /** The lenses of a view, with those that are kept. */
  with(view: Lensed, lenses: CodeLens[]): CodeLens[];
  /** The newest text of a document: what is kept moves with it. */
  edited(uri: string, text: string): void;
  closed(uri: string): void;
}

/** What is looked at of a view. */
type Lensed = Pick<View, 'uri' | 'lines'> & {
  readonly syntax: Pick<View['syntax'], 'text'>;
  readonly analysis: Pick<View['analysis'], 'findings' | 'pending'>;
};

/** The lenses of one declaration, and where its name is. */
interface Group extends Span {
  readonly lenses: readonly CodeLens[];
}

interface Kept {
  readonly text: string;
  readonly groups: readonly Group[];
}

/** Behind figures of an earlier text. */
const mark = ' · before this edit';

export function createLastLenses(): LastLenses {
  const known = new Map<string, Kept>();
  return {
    with(view, lenses) {
      const { uri, syntax } = view;
      const before = known.get(uri);
      // A newer text has come meanwhile, and is asked about next.
      if (before !== undefined && before.text !== syntax.text) return lenses;
      const now = groupsOf(view, lenses);
      const places = new Set(now.map(({ start }) => start));
      const kept = isWhole(view) ? [] : (before?.groups ?? []).filter(({ start }) => !places.has(start));
      known.set(uri, { text: syntax.text, groups: [...now, ...kept] });
      return [...lenses, ...kept.flatMap((group) => marked(view, group))];
    },
    edited(uri, text) {
      const before = known.get(uri);
      if (before === undefined || before.text === text) return;
      known.set(uri, { text, groups: before.groups.flatMap(moved(before.text, text)) });
    },
    closed: (uri) => void known.delete(uri),
  };
}

const isWhole = ({ analysis: { findings, pending } }: Lensed): boolean =>
  pending.length === 0 && findings.every(({ severity }) => severity !== 'error');

function groupsOf({ lines }: Lensed, lenses: readonly CodeLens[]): readonly Group[] {
  const groups = new Map<number, Group>();
  for (const lens of lenses) {
    const span = toSpan(lines, lens.range);
    groups.set(span.start, { ...span, lenses: [...(groups.get(span.start)?.lenses ?? []), lens] });
  }
  return [...groups.values()];
}

/** The place of a declaration after an edit; nothing if its name was in what is gone. */
function moved(before: string, after: string): (group: Group) => readonly Group[] {
  const edit = minimalEdit(before, after);
  const by = edit.text.length - (edit.end - edit.start);
  return (group) => {
    if (group.start > edit.start && group.start < edit.end) return [];
    const at = (offset: number): number =>
      offset <= edit.start ? offset : offset >= edit.end ? offset + by : edit.start;
    return [{ ...group, start: at(group.start), end: Math.max(at(group.start), at(group.end)) }];
  };
}

function marked({ lines }: Lensed, group: Group): readonly CodeLens[] {
  const range = toRange(lines, group);
  return group.lenses.map((lens, index) => {
    const { command } = lens;
    return index > 0 || command === undefined
      ? { ...lens, range }
      : { range, command: { ...command, title: `${command.title}${mark}` } };
  });
}
