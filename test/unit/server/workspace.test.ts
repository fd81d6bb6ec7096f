import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CompletionList } from 'vscode-languageserver';
import { positionAt, withClient } from '../../support/server.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pipewright-'));
  mkdirSync(join(folder, 'inner'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const uri = (...names: readonly string[]) => pathToFileURL(join(folder, ...names)).href;
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const user = (path: string) => `import { card } from "${path}"\ncluster c { gpu[1] = card }\n`;
const card = 'device card { memory = 1GiB }\n';

test('an imported file is read from disk, and again when it changes', async () => {
  write('hardware.pipe', card);
  const main = uri('main.pipe');
  await withClient(async (client) => {
    const newest = async () => {
      await client.request('textDocument/hover', { textDocument: { uri: main }, position: { line: 0, character: 0 } });
      return client.published
        .findLast((candidate) => candidate.uri === main)
        ?.diagnostics.map((diagnostic) => diagnostic.code);
    };
    client.open(main, user('hardware.pipe'));
    expect(await newest()).toEqual([]);
    write('hardware.pipe', 'device other { memory = 1GiB }\n');
    client.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: uri('hardware.pipe'), type: 2 }] });
    expect(await newest()).toEqual(['name/unknown']);
    // An open document counts more than the disk, and its edits reach its importers.
    client.open(uri('hardware.pipe'), card);
    expect(await newest()).toEqual([]);
    client.change(uri('hardware.pipe'), '');
    expect(await newest()).toEqual(['name/unknown']);
    client.close(uri('hardware.pipe'));
    rmSync(join(folder, 'hardware.pipe'));
    client.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: uri('hardware.pipe'), type: 3 }] });
    expect(await newest()).toEqual(['import/not-found']);
  });
});

test('without trust nothing outside the workspace is read', async () => {
  write('secret.pipe', card);
  write('inner/near.pipe', card);
  const main = uri('inner', 'main.pipe');
  await withClient(
    async (client) => {
      const codes = async (text: string) => {
        client.change(main, text);
        return (await client.diagnostics(main)).diagnostics.map((diagnostic) => diagnostic.code);
      };
      client.open(main, '');
      expect(await codes(user('../secret.pipe'))).toEqual(['import/outside-workspace']);
      expect(await codes(user('../absent.pipe'))).toEqual(['import/outside-workspace']);
      expect(await codes(user('near.pipe'))).toEqual([]);
      expect(await codes(user('../secret.pipe'))).toEqual(['import/outside-workspace']);
      client.notify('pipewright/trust', { trusted: true });
      await client.request('textDocument/hover', { textDocument: { uri: main }, position: { line: 0, character: 0 } });
      expect(client.published.at(-1)?.diagnostics).toEqual([]);
    },
    { folders: [uri('inner')], initialization: { trusted: false } },
  );
});

test('a folder, or a file that is too large, cannot be imported', async () => {
  write('large.pipe', '/'.repeat(7_000_000));
  const main = uri('main.pipe');
  await withClient(async (client) => {
    for (const path of ['inner', 'large.pipe']) {
      client.open(main, `import "${path}"\n`);
      expect(
        (await client.diagnostics(main)).diagnostics.map((diagnostic) => diagnostic.code),
        path,
      ).toEqual(['import/unreadable']);
      client.close(main);
    }
  });
});

test('paths are completed from the folder', async () => {
  write('hardware.pipe', card);
  write('inner/deep.pipe', card);
  write('notes.txt', '');
  const main = uri('main.pipe');
  await withClient(async (client) => {
    const labels = async (text: string) => {
      client.open(main, text);
      const found = await client.request<CompletionList | null>('textDocument/completion', {
        textDocument: { uri: main },
        position: positionAt(text, text.lastIndexOf('"')),
      });
      client.close(main);
      return found?.items.map((item) => item.label).toSorted();
    };
    expect(await labels('import ""')).toEqual([
      'hardware.pipe',
      'inner/',
      'std:clusters',
      'std:hardware',
      'std:models',
      'std:schedules',
    ]);
    expect(await labels('import "inner/"')).toEqual(['deep.pipe']);
  });
});
