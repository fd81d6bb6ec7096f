/** Files as the engine sees them: open documents first, then the disk, within what the workspace's trust allows. */
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { URI, Utils } from 'vscode-uri';
import type { EngineHost } from '../engine/basics/host.ts';
import { LineIndex } from '../grammar/index.ts';
import { normal } from './text/uris.ts';
import { realPath, within } from './realPath.ts';
import { type FileText, noSuchFile, readRegularFile } from './regularFile.ts';
import { standardText } from '../engine/std/index.ts';
import type { Files } from './view.ts';

export interface WorkspaceHost {
  /** Text of an open document. */
  open(uri: string): string | undefined;
  openUris(): readonly string[];
  /** Uris of the workspace folders. */
  folders(): readonly string[];
  trusted(): boolean;
  /** Most bytes that a file may have. */
  sizeLimit(): number;
}

type Answer = ReturnType<EngineHost['read']>;

const mostFiles = 2_000;
const mostFolders = 500;
const skippedFolders = new Set(['node_modules', '.git', 'out', 'dist']);

export function createWorkspace(host: WorkspaceHost): Files {
  const cache = new Map<string, { readonly stamp: string; readonly text: string }>();
  const indices = new Map<string, { readonly text: string; readonly lines: LineIndex }>();

  function read(uri: string): Answer {
    const open = host.open(uri);
    if (open !== undefined) return { text: open };
    const path = pathOf(uri);
    if (path === undefined) return { problem: 'not-found' };
    // Links are followed before the question whether the file lies within.
    const real = realPath(path);
    if (!host.trusted() && !roots().some((root) => within(real, root))) return { problem: 'outside' };
    const read = readOnce(uri, real);
    if ('text' in read) return read;
    return read.problem === noSuchFile ? { problem: 'not-found' } : { problem: 'unreadable', detail: read.problem };
  }

  /** The stamp is asked for each time: not every client tells of changes on disk. */
  function readOnce(uri: string, path: string): FileText {
    const stamp = stampOf(path);
    const known = cache.get(uri);
    if (known !== undefined && known.stamp === stamp) return { text: known.text };
    // A UTF-16 unit takes up to three bytes.
    const read = readRegularFile(path, host.sizeLimit() * 3);
    if ('text' in read && stamp !== '') cache.set(uri, { stamp, text: read.text });
    return read;
  }

  function roots(): readonly string[] {
    const folders = host.folders();
    const paths = folders.length > 0 ? folders.map(pathOf) : host.openUris().map((uri) => parent(pathOf(uri)));
    return paths.flatMap((path) => (path === undefined ? [] : [realPath(path)]));
  }

  return {
    read,
    resolve(path, from) {
      const uri = joined(path, from);
      return host.openUris().find((open) => open === uri || normal(open) === uri) ?? uri;
    },
    linesOf(uri) {
      const answer = read(uri);
      const text = standardText(uri) ?? ('text' in answer ? answer.text : undefined);
      if (text === undefined) return undefined;
      const known = indices.get(uri);
      if (known !== undefined && known.text === text) return known.lines;
      const lines = new LineIndex(text);
      indices.set(uri, { text, lines });
      return lines;
    },
    list(path, from) {
      const folder = pathOf(joined(path === '' ? '.' : path, from));
      if (folder === undefined || (!host.trusted() && !roots().some((root) => within(realPath(folder), root))))
        return [];
      return entries(folder).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    },
    *all() {
      const open = host.openUris();
      yield* open;
      // A client may spell the uri of an open file otherwise.
      const given = new Set(open.map(normal));
      for (const folder of host.folders())
        for (const uri of filesBelow(folder)) {
          yield uri === undefined || given.has(uri) ? undefined : uri;
          if (uri !== undefined) given.add(uri);
        }
    },
  };
}

/** Uris, and undefined for each folder. */
function* filesBelow(folder: string): Generator<string | undefined, void> {
  const start = pathOf(folder);
  const pending = start === undefined ? [] : [start];
  let found = 0;
  for (let done = 0; done < mostFolders; done += 1) {
    const path = pending.shift();
    if (path === undefined) return;
    yield undefined;
    for (const entry of entries(path)) {
      if (entry.isDirectory() && !skippedFolders.has(entry.name)) pending.push(join(path, entry.name));
      if (!entry.isFile() || !entry.name.endsWith('.pipe')) continue;
      if (found >= mostFiles) return;
      found += 1;
      yield URI.file(join(path, entry.name)).toString();
    }
  }
}

function entries(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Differs once a file has changed; empty where there is none. */
function stampOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return '';
  }
}

const parent = (path: string | undefined) => (path === undefined ? undefined : dirname(path));

/** Path on disk of a `file:` uri; undefined for any other. */
function pathOf(uri: string): string | undefined {
  try {
    const parsed = URI.parse(uri);
    return parsed.scheme === 'file' && !parsed.path.includes('\0') ? parsed.fsPath : undefined;
  } catch {
    return undefined;
  }
}

function joined(path: string, from: string): string {
  try {
    return Utils.resolvePath(Utils.dirname(URI.parse(from)), path).toString();
  } catch {
    return path;
  }
}
