/** Open texts as the editor's API has them. There is one object for each, as long as it is open. */
import type { Text } from '../texts.ts';
import { thePage } from './page.ts';
import { Position, Range, Uri } from './values.ts';

export interface TextDocument {
  readonly uri: Uri;
  readonly languageId: string;
  readonly version: number;
  readonly lineCount: number;
  getText(range?: Range): string;
  positionAt(offset: number): Position;
  lineAt(line: number): { readonly text: string; readonly isEmptyOrWhitespace: boolean; readonly range: Range };
}

const documents = new Map<string, TextDocument>();

/** The document of an open text. */
export function documentOf(uri: string): TextDocument {
  const known = documents.get(uri) ?? makeDocument(uri);
  documents.set(uri, known);
  return known;
}

function makeDocument(uri: string): TextDocument {
  let last: Text = { uri, version: 0, text: '' };
  const text = (): Text => (last = thePage().texts.get(uri) ?? last);
  const lines = (): readonly string[] => text().text.split('\n');
  const offsetAt = ({ line, character }: Position): number =>
    lines()
      .slice(0, line)
      .reduce((all, each) => all + each.length + 1, 0) + character;
  return {
    uri: Uri.parse(uri),
    languageId: 'pipe',
    get version() {
      return text().version;
    },
    get lineCount() {
      return lines().length;
    },
    getText: (range) =>
      range === undefined ? text().text : text().text.slice(offsetAt(range.start), offsetAt(range.end)),
    positionAt(offset) {
      const before = text().text.slice(0, offset).split('\n');
      return new Position(before.length - 1, before.at(-1)?.length ?? 0);
    },
    lineAt(line) {
      const content = lines()[line] ?? '';
      return {
        text: content,
        isEmptyOrWhitespace: content.trim() === '',
        range: new Range(line, 0, line, content.length),
      };
    },
  };
}
