import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { EngineHost } from '../engine/basics/host.ts';
import { noSuchFile } from '../platform/node/regularFile.ts';
import { printable } from '../server/text/printable.ts';
import type { Io } from './io.ts';

/** Files as the engine sees them: `file:` uris; standard input is a file of the working folder, so that its imports resolve. */
export const uriOf = (path: string, io: Io): string => pathToFileURL(placeOf(path, io)).href;

/** The whole path of a file that the call names. */
const placeOf = (path: string, io: Io): string =>
  isAbsolute(path) ? path : join(io.cwd, path === '-' ? '<stdin>' : path);

/** Whether a file that the call names is what it seems, and no link that leads out of its project. */
export function staysInProject(path: string, io: Io): boolean {
  const place = placeOf(path, io);
  return path === '-' || [io.root ?? [], io.projectOf(place)].flat().some((folder) => io.leadsInto(place, folder));
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

/** Reads from disk what the file at `from` names, each file once, and none outside its project. */
export function diskHost(io: Io, from: string): EngineHost {
  const root = io.root ?? io.projectOf(fileURLToPath(from));
  const known = new Map<string, ReturnType<EngineHost['read']>>();
  return {
    read(uri) {
      const earlier = known.get(uri);
      if (earlier !== undefined) return earlier;
      const answer = readUri(uri, root, io);
      known.set(uri, answer);
      return answer;
    },
    run(uri, ranks) {
      if (io.runs === undefined || !uri.startsWith('file:')) return undefined;
      const path = fileURLToPath(uri);
      return io.leadsInto(path, root) ? io.runs.find(uri, path, ranks) : { problem: `it is outside ${outside}` };
    },
    resolve(path, from) {
      if (!from.startsWith('file:')) return pathToFileURL(join(io.cwd, path)).href;
      return pathToFileURL(isAbsolute(path) ? path : join(dirname(fileURLToPath(from)), path)).href;
    },
  };
}

const outside =
  'the project, so it is not read. Move the file into the project, or set --root to a folder that contains both';

function readUri(uri: string, root: string, io: Io): ReturnType<EngineHost['read']> {
  if (!uri.startsWith('file:')) return { problem: 'not-found' };
  const path = fileURLToPath(uri);
  if (!io.leadsInto(path, root)) return { problem: 'outside', detail: outside };
  const answer = io.readText(path);
  if ('text' in answer) return answer;
  return answer.problem === noSuchFile ? { problem: 'not-found' } : { problem: 'unreadable', detail: answer.problem };
}
