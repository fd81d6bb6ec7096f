/** Parts of a search as `plan --merge` reads them: folders of rows, files of rows, and answers as JSON. */
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { partAnswer, type PlanAnswer } from '../../engine/sweep/answer.ts';
import { shownPath, staysInProject } from '../host.ts';
import type { Io } from '../io.ts';
import { readPlanJson } from '../output/planData.ts';
import { readOperand } from '../readOperand.ts';
import { rowsNames } from './partNames.ts';
import { readRowsFile } from './rowsFile.ts';

type Parts = { readonly parts: readonly PlanAnswer[] } | { readonly problem: string };

/** The parts that a path names, complete or not. */
export function readParts(path: string, io: Io): Parts {
  const place = resolve(io.cwd, path);
  if (path !== '-' && isFolder(place)) {
    const names = rowsNames(readdirSync(place));
    if (names.length === 0)
      return { problem: `${shownPath(path)} has no rows of a search. Write them with "plan … --rows".` };
    const parts: PlanAnswer[] = [];
    for (const name of names) {
      const part = readPart(join(path, name), io);
      if ('problem' in part) return part;
      parts.push(...part.parts);
    }
    return { parts };
  }
  return readPart(path, io);
}

const isFolder = (place: string): boolean => statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;

function readPart(path: string, io: Io): Parts {
  const place = resolve(io.cwd, path);
  // A pipe gives its text once.
  const isFile = path !== '-' && statSync(place, { throwIfNoEntry: false })?.isFile() === true;
  if (isFile && staysInProject(path, io)) {
    const rows = readRowsFile(place);
    if (rows === 'empty') return { parts: [] };
    if (rows !== undefined && 'problem' in rows)
      return { problem: `${shownPath(path)} cannot be read: ${rows.problem}.` };
    if (rows !== undefined) return { parts: [partAnswer(rows.head, rows)] };
  }
  const read = readOperand(path, io);
  if ('problem' in read) return read;
  const part = readPlanJson(read.text);
  return part === undefined
    ? {
        problem: `${shownPath(path)} is not a part of a search. Write parts with "plan … --shard 1/4 --rows FOLDER", or with --format json.`,
      }
    : { parts: [part] };
}
