import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { EngineHost } from '../engine/basics/host.ts';
import { noSuchFile } from '../server/regularFile.ts';
import { printable } from '../server/text/printable.ts';
import type { Io } from './io.ts';

/** Files as the engine sees them: `file:` uris; standard input is a file of the working folder, so that its imports resolve. */
export function uriOf(path: string, io: Io): string {
  return pathToFileURL(isAbsolute(path) ? path : join(io.cwd, path === '-' ? '<stdin>' : path)).href;
}

/** How a path is named in data: as it was typed; standard input as `<stdin>`. */
export const namedPath = (path: string): string => (path === '-' ? '<stdin>' : path);

/** How a path is shown to people: safe to print, also at the start of a line of a CI log, where `::error::` would be a command. */
export const shownPath = (path: string): string => printable(/^\s*::/.test(path) ? `./${path}` : namedPath(path));

/** A uri of the engine, relative to the working folder where it lies in it. */
export function shownUri(uri: string, io: Io): string {
  if (!uri.startsWith('file:')) return uri;
  const path = fileURLToPath(uri);
  const near = relative(io.cwd, path);
  return near === '' || near.startsWith(`..${sep}`) || isAbsolute(near) ? path : near;
}

/** Reads imports from disk, each once. */
export function diskHost(io: Io): EngineHost {
  const known = new Map<string, ReturnType<EngineHost['read']>>();
  return {
    read(uri) {
      const earlier = known.get(uri);
      if (earlier !== undefined) return earlier;
      const answer = readUri(uri, io);
      known.set(uri, answer);
      return answer;
    },
    resolve(path, from) {
      if (!from.startsWith('file:')) return pathToFileURL(join(io.cwd, path)).href;
      return pathToFileURL(isAbsolute(path) ? path : join(dirname(fileURLToPath(from)), path)).href;
    },
  };
}

function readUri(uri: string, io: Io): ReturnType<EngineHost['read']> {
  if (!uri.startsWith('file:')) return { problem: 'not-found' };
  const answer = io.readText(fileURLToPath(uri));
  if ('text' in answer) return answer;
  return answer.problem === noSuchFile ? { problem: 'not-found' } : { problem: 'unreadable', detail: answer.problem };
}
