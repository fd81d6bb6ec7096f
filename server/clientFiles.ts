/** Files that the client reads for the server: of schemes that are on no disk, and of a server that has none. */
import type { Connection } from 'vscode-languageserver';
import { isFolder, notUtf8, tooLarge } from '../platform/common/fileProblems.ts';
import { type Arriving, type FileAnswer, type FileStore, mostFiles, type StoreHost } from '../platform/common/files.ts';
import {
  type ListFilesAnswer,
  type ListFilesRequest,
  type ListFolderAnswer,
  type ListFolderRequest,
  fileMethods,
  type ReadFileAnswer,
  type ReadFileRequest,
} from '../webview/protocol/files.ts';
import { folderOf } from './text/relativePath.ts';
import { normal } from './text/uris.ts';

export interface ClientFiles extends FileStore, Arriving {
  /** These files, or files in these folders, are read anew. */
  changed(uris: readonly string[]): void;
}

type Ask = Pick<Connection, 'sendRequest'>;

export function createClientFiles(client: Ask, host: StoreHost): ClientFiles {
  const texts = new Map<string, FileAnswer>();
  const lists = new Map<string, readonly string[]>();
  const pending = new Map<string, Promise<void>>();
  let provisional = 0;

  /** What is known, or `until`, and the client is asked. */
  function known<T>(answers: Map<string, T>, key: string, until: T, ask: () => Promise<T>): T {
    const answer = answers.get(key);
    if (answer !== undefined) return answer;
    provisional += 1;
    if (!pending.has(key)) {
      // A client that fails has no such file. What has changed meanwhile is asked for again.
      const asked = ask()
        .catch(() => until)
        .then((found) => {
          if (pending.get(key) !== asked) return;
          pending.delete(key);
          answers.set(key, found);
        });
      pending.set(key, asked);
    }
    return until;
  }

  /** A workspace that is not trusted reads only what lies in it. */
  function readable(uri: string): boolean {
    if (host.trusted()) return true;
    const folders = host.folders();
    const roots = folders.length > 0 ? folders : host.openUris().map(folderOf);
    return roots.some((root) => uri === normal(root) || uri.startsWith(`${normal(root).replace(/\/$/, '')}/`));
  }

  return {
    read(given) {
      const uri = normal(given);
      if (!readable(uri)) return { problem: 'outside' };
      return known<FileAnswer>(texts, uri, { problem: 'not-found' }, async () => {
        // A UTF-16 unit takes up to three bytes.
        const limit = host.sizeLimit() * 3;
        const asked = { uri, limit } satisfies ReadFileRequest;
        return answerOf(await client.sendRequest<ReadFileAnswer>(fileMethods.readFile, asked), limit);
      });
    },
    list(given) {
      const uri = normal(given);
      if (!readable(uri)) return [];
      return known<readonly string[]>(lists, `${uri}/`, [], () =>
        client.sendRequest<ListFolderAnswer>(fileMethods.listFolder, { uri } satisfies ListFolderRequest),
      );
    },
    below(given) {
      const uri = normal(given);
      return known<readonly string[]>(lists, `${uri}/**`, [], () =>
        client.sendRequest<ListFilesAnswer>(fileMethods.listFiles, { uri, most: mostFiles } satisfies ListFilesRequest),
      );
    },
    count: () => provisional,
    async settled() {
      await Promise.all(pending.values());
    },
    changed(uris) {
      // A new file is in the list of every folder above it.
      lists.clear();
      pending.clear();
      for (const uri of uris.map(normal))
        for (const key of texts.keys()) if (key === uri || key.startsWith(`${uri}/`)) texts.delete(key);
    },
  };
}

function answerOf(answer: ReadFileAnswer, limit: number): FileAnswer {
  if ('text' in answer) return { text: answer.text };
  switch (answer.problem) {
    case 'not-found':
      return { problem: 'not-found' };
    case 'folder':
      return { problem: 'unreadable', detail: isFolder };
    case 'not-utf8':
      return { problem: 'unreadable', detail: notUtf8 };
    case 'too-large':
      return { problem: 'unreadable', detail: tooLarge(limit, answer.size) };
    case 'failed':
      return { problem: 'unreadable', detail: answer.detail };
  }
}
