/** What the server answers about all files of a workspace, and what it edits in them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import type { Location, SymbolInformation, TextDocumentEdit, WorkspaceEdit } from 'vscode-languageserver';
import { tempFolder } from '../../host/tempFolder.ts';
import { applyEdits, slice, withClient } from '../../support/server.ts';
import { serverWith } from '../../support/asked.ts';
import { toy } from './samples.ts';

const folder = tempFolder('pipewright-workspace-');
afterEach(() => folder.remove());

const uriOf = (name: string): string => pathToFileURL(path.join(folder.path, name)).href;

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder.path, name)), { recursive: true });
    writeFileSync(path.join(folder.path, name), text);
  }
}

const inFolder = () => ({ folders: [pathToFileURL(folder.path).href] });

test('names of all files are found by their letters, the closest first', async () => {
  write({
    'a.pipe': 'device card { memory = 1GiB }\nmodel toy { layer block[4] { forward = 1ms } }\n',
    'sub/b.pipe': 'cluster cards { gpu[1] = x }\nlet c_a_r_d = 4\nparam other = 1\n',
  });
  await withClient(async (client) => {
    const names = async (query: string) =>
      (await client.request<SymbolInformation[]>('workspace/symbol', { query })).map(
        ({ name, containerName }) => `${containerName === undefined ? '' : `${containerName}/`}${name}`,
      );
    expect(await names('card')).toEqual(['card', 'cards', 'c_a_r_d']);
    expect(await names('BLOCK')).toEqual(['toy/block']);
    expect(await names('nowhere')).toEqual([]);
    expect((await names('')).length).toBe(6);
    const [found] = await client.request<SymbolInformation[]>('workspace/symbol', { query: 'other' });
    expect([found?.location.uri, found?.location.range.start]).toEqual([
      uriOf('sub/b.pipe'),
      { line: 2, character: 6 },
    ]);
    // The newest text of an open file, not the one on disk.
    client.open(uriOf('a.pipe'), 'device newer { memory = 1GiB }\n');
    expect(await names('card')).toEqual(['cards', 'c_a_r_d']);
    expect(await names('newer')).toEqual(['newer']);
  }, inFolder());
});

test('implementations of a schedule, a model and a cluster are the pipelines that use them', async () => {
  const two = `${toy}\nschedule own { order = greedy(prefer = [B, F]) }\npipeline more { model = toy  devices = box  microbatches = 4  stages = balance(4)  schedule = own }\n`;
  const found = async (source: string) =>
    serverWith(source, async ({ ask, text }) =>
      (await ask<Location[] | null>('textDocument/implementation'))?.map(({ range }) => slice(text, range)),
    );
  expect(await found(two.replace('schedule own', 'schedule $0own'))).toEqual(['more']);
  expect(await found(two.replace('model toy', 'model $0toy'))).toEqual(['train', 'more']);
  expect(await found(two.replace('devices      = box', 'devices      = $0box'))).toEqual(['train', 'more']);
  expect(await found(two.replace('= 1f1b', '= $01f1b'))).toEqual(['train']);
  expect(await found(two.replace('device v100', 'device $0v100'))).toEqual(['box']);
  expect(await found(two.replace('param microbatches', 'param $0microbatches'))).toBeUndefined();
});

test('a pipeline of another file is found, too', async () => {
  write({ 'other.pipe': 'import "main.pipe"\npipeline far { schedule = own }\n' });
  await withClient(async (client) => {
    const text = 'schedule own { order = greedy(prefer = [B, F]) }\n';
    client.open(uriOf('main.pipe'), text);
    const asked = { textDocument: { uri: uriOf('main.pipe') }, position: { line: 0, character: 10 } };
    const found = await client.request<Location[]>('textDocument/implementation', asked);
    expect(found.map(({ uri }) => uri)).toEqual([uriOf('other.pipe')]);
  }, inFolder());
});

/** Texts after the server's edits for moved files. */
async function afterMove(files: Readonly<Record<string, string>>, moves: Readonly<Record<string, string>>) {
  write(files);
  return withClient(async (client) => {
    const renames = Object.entries(moves).map(([from, to]) => ({ oldUri: uriOf(from), newUri: uriOf(to) }));
    const edit = await client.request<WorkspaceEdit | null>('workspace/willRenameFiles', { files: renames });
    const edits = (edit?.documentChanges ?? []) as TextDocumentEdit[];
    return Object.fromEntries(
      edits.map(({ textDocument, edits: each }) => {
        const name = Object.keys(files).find((file) => uriOf(file) === textDocument.uri) ?? textDocument.uri;
        return [name, applyEdits(files[name] ?? '', each as never)];
      }),
    );
  }, inFolder());
}

test('imports follow a file that moves, and the paths in it', async () => {
  const files = {
    'main.pipe': 'import { card } from "parts/hardware.pipe"\nimport "./parts/hardware.pipe"\nimport "std:models"\n',
    'parts/hardware.pipe':
      'import "links.pipe"\ndevice card { memory = 1GiB }\nmodel m { from = profile("times.txt") }\n',
    'parts/links.pipe': 'let fast = 25GB/s\n',
    'alone.pipe': 'let x = 1\n',
  };
  expect(await afterMove(files, { 'parts/hardware.pipe': 'cards.pipe' })).toEqual({
    'main.pipe': 'import { card } from "cards.pipe"\nimport "./cards.pipe"\nimport "std:models"\n',
    'parts/hardware.pipe':
      'import "parts/links.pipe"\ndevice card { memory = 1GiB }\nmodel m { from = profile("parts/times.txt") }\n',
  });
});

test('paths follow a folder that moves, and a profile; a move that concerns nobody changes nothing', async () => {
  const files = {
    'main.pipe': 'import "parts/a.pipe"\nmodel m { from = profile("parts/times.txt") }\n',
    'parts/a.pipe': 'import "b.pipe"\n',
    'parts/b.pipe': 'let x = 1\n',
  };
  expect(await afterMove(files, { parts: 'old/pieces' })).toEqual({
    'main.pipe': 'import "old/pieces/a.pipe"\nmodel m { from = profile("old/pieces/times.txt") }\n',
  });
  expect(await afterMove(files, { 'parts/times.txt': 'times.txt' })).toEqual({
    'main.pipe': 'import "parts/a.pipe"\nmodel m { from = profile("times.txt") }\n',
  });
  expect(await afterMove(files, { 'other.txt': 'more.txt' })).toEqual({});
});

test('a rename edits the version that was read of an open document, and other files as they are', async () => {
  write({ 'user.pipe': 'import "main.pipe"\ncluster c { gpu[1] = card  link = 1GB/s }\n' });
  await withClient(async (client) => {
    client.open(uriOf('main.pipe'), 'device card { memory = 1GiB }\n');
    const asked = { textDocument: { uri: uriOf('main.pipe') }, position: { line: 0, character: 8 }, newName: 'chip' };
    const edit = await client.request<WorkspaceEdit>('textDocument/rename', asked);
    expect(edit.documentChanges).toMatchObject([
      { textDocument: { uri: uriOf('main.pipe'), version: client.version(uriOf('main.pipe')) } },
      { textDocument: { uri: uriOf('user.pipe'), version: null } },
    ]);
  }, inFolder());
});
