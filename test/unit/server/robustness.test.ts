import * as fc from '../../support/property.ts';
import { expect, test } from 'vitest';
import type { Diagnostic, Range, WorkspaceEdit } from 'vscode-languageserver';
import { applyEdits, editsIn, main, positionAt, withClient, type Client } from '../../support/server.ts';
import { external, meshed, staged, toy } from './samples.ts';

const document = { textDocument: { uri: main } };

/** Every request that takes a position, and those that take a document. */
const atPosition = ['hover', 'completion', 'signatureHelp', 'definition', 'documentHighlight', 'prepareRename'];
const ofDocument = ['documentSymbol', 'foldingRange', 'documentLink', 'codeLens', 'semanticTokens/full'];

function checkRanges(text: string, answer: unknown): void {
  const lines = text.split(/\r\n|\r|\n/);
  const wrong = ranges(answer).filter(
    ({ start, end }) =>
      [start, end].some(({ line, character }) => line >= lines.length || character > lines[line].length) ||
      start.line > end.line ||
      (start.line === end.line && start.character > end.character),
  );
  expect(wrong).toEqual([]);
}

/** All ranges of the file anywhere in an answer. Related places of a diagnostic may be in another file. */
function ranges(answer: unknown): readonly Range[] {
  if (typeof answer !== 'object' || answer === null) return [];
  if ('uri' in answer && answer.uri !== main) return [];
  const own = 'start' in answer && 'end' in answer ? [answer as Range] : [];
  return [...own, ...Object.values(answer).flatMap(ranges)];
}

async function askEverything(client: Client, text: string, offset: number): Promise<void> {
  const position = positionAt(text, offset);
  const answers = await Promise.all([
    ...atPosition.map(async (name) => {
      try {
        return await client.request(`textDocument/${name}`, { ...document, position });
      } catch (error) {
        expect(name, String(error)).toBe('prepareRename');
        expect(String(error)).toMatch(/cannot be renamed/);
        return null;
      }
    }),
    client.request('textDocument/references', { ...document, position, context: { includeDeclaration: true } }),
    client.request('textDocument/selectionRange', { ...document, positions: [position] }),
    // Each offer is tried on the whole file, and is the same anywhere in a word.
    /\w/.test(text.charAt(offset - 1))
      ? undefined
      : client.request('textDocument/codeAction', {
          ...document,
          range: { start: position, end: position },
          context: { diagnostics: [], only: ['refactor'] },
        }),
    client.request('textDocument/inlayHint', {
      ...document,
      range: { start: { line: 0, character: 0 }, end: position },
    }),
    client.request('pipewright/pathsAt', { uri: main, position }),
  ]);
  checkRanges(
    text,
    answers.filter((answer) => JSON.stringify(answer)?.includes('pipewright-policy:') !== true),
  );
}

async function freshDiagnostics(text: string): Promise<readonly Diagnostic[]> {
  let found: readonly Diagnostic[] = [];
  await withClient(async (client) => {
    client.open(main, text);
    found = (await client.diagnostics(main)).diagnostics;
  });
  return found;
}

/** Within a word, requests differ at its ends and behind its first letter, and at both ends of a gap; further in, they ask the same. */
const isDeep = (text: string, offset: number): boolean =>
  /^(?:\w{3}|[^]\s\s)$/.test(text.slice(offset - 2, offset + 1));

/** What is near an offset. Where the same has been before, the same is asked. */
const near = (text: string, offset: number): string => text.slice(Math.max(0, offset - 6), offset + 6);

test('every request at every offset answers', async () => {
  const asked = new Set<string>();
  for (const text of [toy, staged, meshed, external]) {
    await withClient(async (client) => {
      client.open(main, text);
      for (let offset = 0; offset <= text.length; offset += 1)
        if (!isDeep(text, offset) && asked.size < asked.add(near(text, offset)).size)
          await askEverything(client, text, offset);
      for (const name of ofDocument) await client.request(`textDocument/${name}`, document);
    });
  }
});

const snippet = fc.oneof(
  fc.constantFrom(
    '{',
    '}',
    '(',
    ')',
    '[',
    ']',
    '=',
    ',',
    '..',
    '"',
    '/*',
    '*/',
    '//',
    '///',
    '\n',
    '\r\n',
    '-',
    '4ms',
    '80GiB',
    '1f1b',
    'model',
    'stage ',
    'layer x',
    'expect',
    'row(d) =',
    '0..3',
    'import "std:hardware"',
    '\u{1F600}',
    '\u0000',
  ),
  fc.string({ maxLength: 6 }),
);
const edit = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), remove: fc.nat(30), insert: snippet });

test('arbitrary edits: nothing crashes, ranges are valid, and the end is what a fresh server says', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(toy, staged, meshed, external),
      fc.array(edit, { minLength: 1, maxLength: 12 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (start, edits, where) => {
        await withClient(async (client) => {
          client.open(main, start);
          for (const each of edits) {
            const text = client.text(main);
            const from = Math.floor(each.at * text.length);
            const to = Math.min(text.length, from + each.remove);
            client.edit(main, { start: positionAt(text, from), end: positionAt(text, to) }, each.insert);
          }
          const text = client.text(main);
          const { diagnostics } = await client.diagnostics(main);
          checkRanges(text, diagnostics);
          await askEverything(client, text, Math.floor(where * text.length));
          for (const name of ofDocument) checkRanges(text, await client.request(`textDocument/${name}`, document));
          expect(diagnostics).toEqual(await freshDiagnostics(text));
        });
      },
    ),
    { numRuns: 50 },
  );
});

test('a rename of any name leaves the same findings behind', async () => {
  for (const start of [toy, staged, meshed]) {
    const before = codes(await freshDiagnostics(start));
    const offsets = [...start.matchAll(/\b[a-z]\w*/g)].map((one) => one.index);
    // Each place of a name gives the same text.
    const tried = new Set<string>();
    await withClient(async (client) => {
      client.open(main, start);
      for (const offset of offsets) {
        const edit = await client
          .request<WorkspaceEdit | null>('textDocument/rename', {
            ...document,
            position: positionAt(start, offset),
            newName: 'zz',
          })
          .catch(() => null);
        if (edit === null) continue;
        const text = applyEdits(start, editsIn(edit, main));
        if (tried.size === tried.add(text).size) continue;
        expect(text).toContain('zz');
        expect(codes(await freshDiagnostics(text))).toEqual(before);
      }
    });
    // A rename that would leave others behind is refused.
    expect(tried.size).toBeGreaterThan(5);
  }
});

const codes = (found: readonly Diagnostic[]) => found.map((diagnostic) => diagnostic.code);

test('requests with nonsense for an answer give none', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const position = { line: 9_999, character: 9_999 };
    for (const name of atPosition) await client.request(`textDocument/${name}`, { ...document, position });
    for (const name of atPosition)
      expect(await client.request(`textDocument/${name}`, { textDocument: { uri: 'nonsense' }, position })).toBeNull();
  });
});
