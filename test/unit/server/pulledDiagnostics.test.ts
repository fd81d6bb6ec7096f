import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { URI } from 'vscode-uri';
import { expect, test } from 'vitest';
import type {
  ClientCapabilities,
  Diagnostic,
  InitializeResult,
  RelatedFullDocumentDiagnosticReport,
  RelatedUnchangedDocumentDiagnosticReport,
  WorkspaceDiagnosticReport,
  WorkspaceFullDocumentDiagnosticReport,
} from 'vscode-languageserver';
import { type Client, main, withClient } from '../../support/server.ts';
import { toy } from './samples.ts';

type Pulled = RelatedFullDocumentDiagnosticReport | RelatedUnchangedDocumentDiagnosticReport;

const other = 'file:///project/other.pipe';
const broken = toy.replace('= v100', '= v10');

const capabilities: ClientCapabilities = {
  textDocument: { diagnostic: { relatedDocumentSupport: true } },
  workspace: { diagnostics: { refreshSupport: true } },
};

const pull = (client: Client, uri = main, previousResultId?: string): Promise<Pulled> =>
  client.request('textDocument/diagnostic', { textDocument: { uri }, previousResultId });
const codes = (report: object): readonly unknown[] =>
  'items' in report ? (report.items as readonly Diagnostic[]).map(({ code }) => code) : [];
/** Refreshes that the client was asked for. */
const refreshes = ({ asked }: Client): number =>
  asked.filter((method) => method === 'workspace/diagnostic/refresh').length;

test('a client that asks for findings is told none, and gets those of the newest text', async () => {
  await withClient(
    async (client) => {
      expect((client.initialized as InitializeResult).capabilities.diagnosticProvider).toMatchObject({
        interFileDependencies: true,
        workspaceDiagnostics: true,
      });
      client.open(main, broken);
      const first = await pull(client);
      expect(codes(first)).toContain('name/unknown');
      expect(await pull(client, main, first.resultId)).toEqual({ kind: 'unchanged', resultId: first.resultId });
      // An edit that leaves every finding where it is gives the same list.
      client.change(main, `${broken}// more\n`);
      expect(await pull(client, main, first.resultId)).toEqual({ kind: 'unchanged', resultId: first.resultId });
      client.change(main, toy);
      const mended = await pull(client, main, first.resultId);
      expect([mended.kind, codes(mended).includes('name/unknown')]).toEqual(['full', false]);
      client.change(main, broken);
      expect(codes(await pull(client, main, mended.resultId))).toContain('name/unknown');
      expect(client.published).toEqual([]);
    },
    { capabilities },
  );
});

test('answers wait for the newest of many texts', async () => {
  await withClient(
    async (client) => {
      client.open(main, toy);
      const answers = Array.from({ length: 20 }, (_, at) => {
        client.change(main, at === 19 ? broken : `${toy}let x${at} = y${at}\n`);
        return pull(client);
      });
      for (const answer of await Promise.all(answers))
        expect(codes(answer).filter((code) => code === 'name/unknown')).toHaveLength(1);
      expect(JSON.stringify(await answers[0])).toContain('v10');
    },
    { capabilities },
  );
});

const importing = `import "main.pipe"\ncluster c { gpu[1] = card  link = 1GB/s }\n`;
const card = 'device card { memory = 1GiB }\n';

test('findings of a document that imports a changed one come with it, or the client is asked to ask again', async () => {
  await withClient(
    async (client) => {
      client.open(main, card);
      client.open(other, importing);
      const [mine, theirs] = [await pull(client), await pull(client, other)];
      expect(codes(theirs)).not.toContain('name/unknown');
      client.change(main, card.replace('card', 'chip'));
      const changed = await pull(client, main, mine.resultId);
      const related = changed.relatedDocuments?.[other];
      // Whichever check ends first: nobody keeps the old findings.
      if (related === undefined) while (refreshes(client) === 0) await pull(client);
      const again = await pull(client, other, theirs.resultId);
      expect([again.kind, codes(again).includes('name/unknown')]).toEqual(['full', true]);
    },
    { capabilities },
  );
});

test('a client that cannot be asked to ask again waits for the whole check', async () => {
  await withClient(
    async (client) => {
      client.open(main, toy.replace('bubble < 30%', 'bubble < 20%'));
      expect(codes(await pull(client))).toContain('expect/failed');
      expect(refreshes(client)).toBe(0);
    },
    { capabilities: { textDocument: { diagnostic: {} } } },
  );
});

test('a client that wants to be told is told, even if it could ask', async () => {
  await withClient(
    async (client) => {
      expect((client.initialized as InitializeResult).capabilities.diagnosticProvider).toBeUndefined();
      client.open(main, broken);
      expect((await client.diagnostics(main)).diagnostics.map(({ code }) => code)).toContain('name/unknown');
    },
    { capabilities, initialization: { push: true } },
  );
});

test('the workspace has the findings of all files, open or not, and those that did not change are not sent again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pipewright-'));
  const address = (name: string): string => URI.file(join(folder, name)).toString();
  try {
    writeFileSync(join(folder, 'a.pipe'), broken);
    writeFileSync(join(folder, 'b.pipe'), 'import "a.pipe"\nlet unused = 1\n');
    await withClient(
      async (client) => {
        client.open(address('open.pipe'), card);
        const ask = async (before: WorkspaceDiagnosticReport = { items: [] }): Promise<WorkspaceDiagnosticReport> =>
          client.request('workspace/diagnostic', {
            previousResultIds: before.items.map(({ uri, resultId = '' }) => ({ uri, value: resultId })),
          });
        const kinds = ({ items }: WorkspaceDiagnosticReport): unknown =>
          Object.fromEntries(items.map(({ uri, kind }) => [uri.slice(uri.lastIndexOf('/') + 1), kind]));
        const first = await ask();
        expect(kinds(first)).toEqual({ 'a.pipe': 'full', 'b.pipe': 'full', 'open.pipe': 'full' });
        const a = first.items.find(({ uri }) => uri === address('a.pipe')) as WorkspaceFullDocumentDiagnosticReport;
        expect([codes(a).includes('name/unknown'), a.version]).toEqual([true, null]);
        const second = await ask(first);
        expect(kinds(second)).toEqual({ 'a.pipe': 'unchanged', 'b.pipe': 'unchanged', 'open.pipe': 'unchanged' });
        writeFileSync(join(folder, 'a.pipe'), toy);
        rmSync(join(folder, 'b.pipe'));
        const third = await ask(second);
        expect(kinds(third)).toEqual({ 'a.pipe': 'full', 'b.pipe': 'full', 'open.pipe': 'unchanged' });
        expect(third.items.find(({ uri }) => uri === address('b.pipe'))).toMatchObject({ items: [] });
        // In parts, where the client takes them.
        const parts = client.progress('parts');
        const rest = await client.request('workspace/diagnostic', {
          previousResultIds: [],
          partialResultToken: 'parts',
        });
        expect([rest, parts.length]).toEqual([{ items: [] }, 2]);
      },
      { capabilities, folders: [URI.file(folder).toString()] },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
