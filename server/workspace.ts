/** Files as the engine sees them: open documents first, then the files of a disk or of the client. */
import { URI, Utils } from 'vscode-uri';
import { LineIndex, type PositionEncoding } from '../grammar/index.ts';
import { standardText } from '../engine/std/index.ts';
import type { Arriving, FileAnswer, FileStore } from '../platform/common/files.ts';
import { normal } from './text/uris.ts';
import type { Files } from './view.ts';

export interface WorkspaceHost {
  /** Text of an open document. */
  open(uri: string): string | undefined;
  openUris(): readonly string[];
  /** Uris of the workspace folders. */
  folders(): readonly string[];
  /** The store of a file that is not open. Undefined: there is none. */
  storeOf(uri: string): FileStore | undefined;
  /** What positions count that the client gives and gets. Default: code units of UTF-16. */
  encoding?(): PositionEncoding;
  readonly arriving?: Arriving;
}

export function createWorkspace(host: WorkspaceHost): Files {
  const indices = new Map<string, { readonly text: string; readonly lines: LineIndex }>();

  function read(uri: string): FileAnswer {
    const open = host.open(uri);
    return open === undefined ? (host.storeOf(uri)?.read(uri) ?? { problem: 'not-found' }) : { text: open };
  }

  const linesIn = (text: string): LineIndex => new LineIndex(text, host.encoding?.());

  return {
    ...(host.arriving === undefined ? {} : { arriving: host.arriving }),
    read,
    run: (uri, ranks) => {
      const store = host.storeOf(uri);
      return store?.run === undefined ? { problem: 'only files on disk are read' } : store.run(uri, ranks);
    },
    resolve(path, from) {
      const uri = joined(path, from);
      return host.openUris().find((open) => open === uri || normal(open) === uri) ?? uri;
    },
    linesIn,
    linesOf(uri) {
      const answer = read(uri);
      const text = standardText(uri) ?? ('text' in answer ? answer.text : undefined);
      if (text === undefined) return undefined;
      const known = indices.get(uri);
      if (known !== undefined && known.text === text) return known.lines;
      const lines = linesIn(text);
      indices.set(uri, { text, lines });
      return lines;
    },
    list(path, from) {
      const folder = joined(path === '' ? '.' : path, from);
      return host.storeOf(folder)?.list(folder) ?? [];
    },
    *all() {
      const open = host.openUris();
      yield* open;
      // A client may spell the uri of an open file otherwise.
      const given = new Set(open.map(normal));
      for (const folder of host.folders())
        for (const uri of host.storeOf(folder)?.below(folder) ?? []) {
          yield uri === undefined || given.has(uri) ? undefined : uri;
          if (uri !== undefined) given.add(uri);
        }
    },
  };
}

function joined(path: string, from: string): string {
  try {
    return Utils.resolvePath(Utils.dirname(URI.parse(from)), path).toString();
  } catch {
    return path;
  }
}
