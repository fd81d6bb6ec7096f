import { expect, test } from 'vitest';
import type { DocumentSymbol, InitializeResult, SemanticTokens, TextEdit, WorkspaceEdit } from 'vscode-languageserver';
import { LineIndex, type PositionEncoding } from '../../../grammar/index.ts';
import { editsIn, main, withClient } from '../../support/server.ts';

const other = 'file:///project/other.pipe';
const declared = '/* 😀é */ let w = 2 /* ß */ let x = w\n';
const using = 'import { w } from "main.pipe"\n/* 😀 */ let y = w\n';

const offered: readonly { readonly offers: readonly string[]; readonly taken: PositionEncoding }[] = [
  { offers: ['utf-8', 'utf-16'], taken: 'utf-8' },
  { offers: ['utf-32', 'utf-8'], taken: 'utf-32' },
  { offers: ['utf-16', 'utf-8'], taken: 'utf-16' },
  { offers: ['ucs-2'], taken: 'utf-16' },
];

test.each(offered)('of $offers the server takes $taken, for all that it says and hears', async ({ offers, taken }) => {
  await withClient(
    async (client) => {
      expect((client.initialized as InitializeResult).capabilities.positionEncoding).toBe(taken);
      const lines = new LineIndex(declared, taken);
      const at = (offset: number) => lines.positionAt(offset);
      client.open(main, declared);
      client.open(other, using);
      const range = (start: number, length: number) => ({ start: at(start), end: at(start + length) });
      const [first] = await client.request<DocumentSymbol[]>('textDocument/documentSymbol', {
        textDocument: { uri: main },
      });
      expect(first.selectionRange).toEqual(range(declared.indexOf('w ='), 1));
      const { data } = await client.request<SemanticTokens>('textDocument/semanticTokens/full', {
        textDocument: { uri: main },
      });
      expect(data.slice(0, 3)).toEqual([0, at(declared.indexOf('let')).character, 3]);
      const edit = await client.request<WorkspaceEdit>('textDocument/rename', {
        ...{ textDocument: { uri: main }, position: at(declared.lastIndexOf('w')), newName: 'wide' },
      });
      expect(editsIn(edit, main).map((each: TextEdit) => each.range)).toEqual([
        range(declared.indexOf('w ='), 1),
        range(declared.lastIndexOf('w'), 1),
      ]);
      const there = new LineIndex(using, taken).positionAt(using.lastIndexOf('w'));
      expect(editsIn(edit, other).map((each: TextEdit) => each.range.start)).toContainEqual(there);
      // Two changes of one message: the second is of the text that the first left.
      const middle = declared.replace('é', '');
      const start = new LineIndex(middle, taken).positionAt(middle.indexOf('w = 2'));
      client.notify('textDocument/didChange', {
        textDocument: { uri: main, version: 2 },
        contentChanges: [
          { range: range(declared.indexOf('é'), 1), text: '' },
          { range: { start, end: start }, text: 'v' },
        ],
      });
      const [changed] = await client.request<DocumentSymbol[]>('textDocument/documentSymbol', {
        textDocument: { uri: main },
      });
      expect(changed.name).toBe('vw');
    },
    { capabilities: { general: { positionEncodings: offers as string[] } } },
  );
});
