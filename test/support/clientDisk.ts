/** What a client answers that reads files for the server: from this machine's disk. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type ListFilesAnswer,
  type ListFilesRequest,
  type ListFolderAnswer,
  fileMethods,
  type ReadFileAnswer,
  type ReadFileRequest,
} from '../../webview/protocol/files.ts';

/** Undefined: the method is none of these. */
export function answerFromDisk(method: string, params: unknown): unknown {
  if (method === fileMethods.readFile) return readFile(params as ReadFileRequest);
  if (method === fileMethods.listFolder) return listFolder((params as { readonly uri: string }).uri);
  if (method === fileMethods.listFiles) return listFiles(params as ListFilesRequest);
  return undefined;
}

function readFile({ uri, limit }: ReadFileRequest): ReadFileAnswer {
  try {
    const file = fileURLToPath(uri);
    const status = statSync(file);
    if (status.isDirectory()) return { problem: 'folder' };
    if (status.size > limit) return { problem: 'too-large', size: status.size };
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file)) };
  } catch (error) {
    if (error instanceof TypeError) return { problem: 'not-utf8' };
    return { problem: 'not-found' };
  }
}

function listFolder(uri: string): ListFolderAnswer {
  try {
    const entries = readdirSync(fileURLToPath(uri), { withFileTypes: true });
    return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  } catch {
    return [];
  }
}

function listFiles({ uri, most }: ListFilesRequest): ListFilesAnswer {
  const folder = fileURLToPath(uri);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.pipe') && !/(^|[\\/])(node_modules|\.git|out|dist)[\\/]/.test(name))
    .slice(0, most)
    .map((name) => pathToFileURL(path.join(folder, name)).href);
}
