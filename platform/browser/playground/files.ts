/** Files in memory: the examples, and files that the reader has chosen. The server reads no others. */
import {
  fileMethods,
  type ListFilesAnswer,
  type ListFolderAnswer,
  type ListFolderRequest,
  type ReadFileAnswer,
  type ReadFileRequest,
} from '../../../webview/protocol/files.ts';
import type { Connection } from './connection.ts';
import type { Examples } from './examples.ts';

/** The files lie under it. */
const folder = 'playground:/examples/';

export const uriOf = (name: string): string => folder + name.split('/').map(encodeURIComponent).join('/');
/** The whole uri where it lies elsewhere. */
export const nameOf = (uri: string): string =>
  uri.startsWith(folder) ? uri.slice(folder.length).split('/').map(decodeURIComponent).join('/') : uri;

export interface Files {
  /** By name, such as `published/gpipe.pipe`. */
  read(name: string): Promise<string | undefined>;
  /** Names in a folder by its uri; folders end with a slash. */
  list(uri: string): readonly string[];
  all(): readonly string[];
  /** A file that the reader has chosen. */
  add(name: string, text: string): void;
}

export function createFiles(examples: Examples): Files {
  const added = new Map<string, string>();
  const all = (): readonly string[] => [...new Set([...added.keys(), ...examples.names])];
  return {
    read: async (name) => added.get(name) ?? examples.read(name),
    list(uri) {
      const whole = uri.endsWith('/') ? uri : `${uri}/`;
      if (!whole.startsWith(folder)) return [];
      const inside = nameOf(whole);
      const below = all().flatMap((name) => (name.startsWith(inside) ? [name.slice(inside.length)] : []));
      return [...new Set(below.map((name) => (name.includes('/') ? name.slice(0, name.indexOf('/') + 1) : name)))];
    },
    all,
    add: (name, text) => void added.set(name, text),
  };
}

/** Answers what the server asks of a client that reads files for it. */
export function serveFiles({ onRequest }: Pick<Connection, 'onRequest'>, files: Files): void {
  onRequest(fileMethods.readFile, async (asked): Promise<ReadFileAnswer> => {
    const { uri, limit } = asked as ReadFileRequest;
    const text = await files.read(nameOf(uri));
    if (text === undefined) return { problem: 'not-found' };
    return text.length > limit ? { problem: 'too-large', size: text.length } : { text };
  });
  onRequest(fileMethods.listFolder, (asked): ListFolderAnswer => files.list((asked as ListFolderRequest).uri));
  onRequest(fileMethods.listFiles, (): ListFilesAnswer => []);
  // A page that is exported is made of bundles of the editor, which are not here.
  onRequest(fileMethods.readAsset, () => null);
}
