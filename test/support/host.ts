import { LineIndex } from '../../grammar/index.ts';
import { readFileSync } from 'node:fs';
import type { EngineHost } from '../../engine/basics/host.ts';

/** Folder and name of the file under test. Fixtures name other files by their path from this folder. */
export const folder = 'file:///project/';
export const uri = `${folder}main.pipe`;

/** The text of a file, or why there is none. */
export type File = string | Exclude<ReturnType<EngineHost['read']>, { readonly text: string }>;
export type Files = Readonly<Record<string, File>>;

/** A host with these files and no others; a file outside the folder is named by its whole address. `read` collects the addresses that the engine asks for, in order. */
export const hostOf = (files: Files = {}, read: string[] = []): EngineHost => ({
  resolve: (path, from) => new URL(path, from).href,
  read(wanted) {
    read.push(wanted);
    const name = wanted.startsWith(folder) ? wanted.slice(folder.length) : wanted;
    if (!Object.hasOwn(files, name)) return { problem: 'not-found' };
    const file = files[name];
    return typeof file === 'string' ? { text: file } : file;
  },
});

/** The files of the disk, as the command line reads them. */
export const diskHost: EngineHost = {
  resolve: (path, from) => new URL(path, from).href,
  read(wanted) {
    try {
      return { text: readFileSync(new URL(wanted), 'utf8') };
    } catch {
      return { problem: 'not-found' };
    }
  },
};

/** Files that a host refuses to read: one outside the workspace, one that the user may not read. */
export const refusedFiles: Files = {
  'outside.pipe': { problem: 'outside' },
  'locked.pipe': { problem: 'unreadable', detail: 'permission denied' },
};

/** For views whose places nobody looks up. */
export const noLines = {
  linesOf: () => undefined,
  linesIn: (text: string): LineIndex => new LineIndex(text),
};
