/** Files on disk, within what the workspace's trust allows. */
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { URI } from 'vscode-uri';
import { type FileStore, mostFiles, mostFolders, skippedFolders, type StoreHost } from '../common/files.ts';
import { realPath, within } from './realPath.ts';
import { type FileText, noSuchFile, readRegularFile } from './regularFile.ts';

export function createDisk(host: StoreHost): FileStore {
  const cache = new Map<string, { readonly stamp: string; readonly text: string }>();

  /** A workspace that is not trusted reads only what lies in it. Links were followed before this question. */
  const readable = (real: string): boolean => host.trusted() || roots().some((root) => within(real, root));

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
    read(uri) {
      const path = pathOf(uri);
      if (path === undefined) return { problem: 'not-found' };
      const real = realPath(path);
      if (!readable(real)) return { problem: 'outside' };
      const read = readOnce(uri, real);
      if ('text' in read) return read;
      return read.problem === noSuchFile ? { problem: 'not-found' } : { problem: 'unreadable', detail: read.problem };
    },
    run(uri, ranks) {
      const path = pathOf(uri);
      if (path === undefined) return { problem: 'only files on disk are read' };
      const real = realPath(path);
      return readable(real)
        ? host.findRun?.(uri, real, ranks)
        : { problem: 'it is outside this workspace, which is not trusted. Trust the workspace or move it inside' };
    },
    list(uri) {
      const folder = pathOf(uri);
      if (folder === undefined || !readable(realPath(folder))) return [];
      return entries(folder).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    },
    *below(uri) {
      const start = pathOf(uri);
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
    },
  };
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
