/** The texts of open documents, as the client keeps them in step. */
import { type Connection, type Disposable, TextDocuments } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { LineIndex, type PositionEncoding } from '../grammar/index.ts';
import { toSpan } from './text/convert.ts';

interface Listener {
  /** A document is open, or has a new text. */
  changed(document: { readonly uri: string; readonly version: number }, text: string): void;
  closed(uri: string): void;
}

export function followTexts(
  connection: Connection,
  encoding: () => PositionEncoding,
  { changed, closed }: Listener,
): Disposable {
  const texts = new TextDocuments<TextDocument>({
    create: (uri, languageId, version, text) => TextDocument.create(uri, languageId, version, text),
    update(document, changes, version) {
      // Each change is of the text that the one before it left.
      for (const change of changes) TextDocument.update(document, [counted(document, change, encoding())], version);
      return document;
    },
  });
  const listening = [
    // Opening a document raises this event too.
    texts.onDidChangeContent(({ document }) => changed(document, document.getText())),
    texts.onDidClose(({ document }) => closed(document.uri)),
    texts.listen(connection),
  ];
  return {
    dispose() {
      for (const each of listening) each.dispose();
    },
  };
}

type Change = Parameters<typeof TextDocument.update>[1][number];

/** The change with positions that count code units of UTF-16. */
function counted(document: TextDocument, change: Change, encoding: PositionEncoding): Change {
  if (encoding === 'utf-16' || !('range' in change)) return change;
  const { start, end } = toSpan(new LineIndex(document.getText(), encoding), change.range);
  return { range: { start: document.positionAt(start), end: document.positionAt(end) }, text: change.text };
}
