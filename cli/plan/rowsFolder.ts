/** Rows of a part of a search on disk: found again by a run that goes on, and read by `plan --merge` at any time. */
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { FoundPoint } from '../../engine/sweep/answer.ts';
import type { Outcome } from '../../engine/sweep/evaluateRow.ts';
import type { Figures } from '../../engine/sweep/front.ts';
import { difference } from '../../engine/sweep/merge.ts';
import type { Decided } from '../../engine/sweep/sweep.ts';
import type { RefusedRows } from '../../engine/sweep/tally.ts';
import { fileProblem } from '../../platform/node/regularFile.ts';
import { isRowsHead } from '../output/planData.ts';
import { lockPart, type PartLock } from './partLock.ts';
import { lockName, rowsName, rowsNames } from './partNames.ts';
import { headLine, readRowsFile, rowLine, type RowsRead, unplacedLine } from './rowsFile.ts';
import type { RowsHead } from './rowsHead.ts';
import { sharedFront } from './sharedFront.ts';

export interface PartRows {
  /** What an earlier run decided; absent if this one begins. */
  readonly decided?: Decided & { readonly decided: number };
  /** A row is decided. `point`: if it was simulated. */
  add(row: number, outcome: Outcome, point: FoundPoint | undefined, keepsWork: boolean): void;
  addUnplaced(unplaced: readonly RefusedRows[]): void;
  /** Tells other parts what this one has found, and answers what they have. */
  share(front: readonly Figures[]): readonly Figures[];
  /** Why no more rows can be added; undefined as long as they can. */
  failure(): string | undefined;
  close(): void;
}

interface Opening {
  readonly folder: string;
  readonly head: RowsHead;
  /** Go on with rows that are there. */
  readonly resumes: boolean;
  /** Says what takes time. */
  readonly say: (what: string) => void;
}

/** Takes a part of a search for this run, or says why it cannot. */
export async function openPartRows({
  folder,
  head,
  resumes,
  say,
}: Opening): Promise<PartRows | { readonly problem: string }> {
  const name = join(folder, rowsName(head.shard));
  const unmade = makeFolder(folder);
  if (unmade !== undefined) return { problem: `The folder ${folder} cannot be made: ${unmade}.` };
  try {
    const lock = await lockPart(join(folder, lockName(head.shard)), (holder) =>
      say(`${holder} had this part. Waiting to see whether it still runs …`),
    );
    if ('problem' in lock) return { problem: `${name} is in use: ${lock.problem}.` };
    const found = earlierRows(folder, name, head, resumes);
    if (found !== undefined && 'problem' in found) {
      lock.release();
      return found;
    }
    return opened(folder, name, head, found, lock);
  } catch (error) {
    return { problem: `${name} cannot be written: ${fileProblem(error)}.` };
  }
}

/** Why there is no such folder now; undefined if there is. Folders around it are not made: where that cannot be, Node tries for ever. */
function makeFolder(folder: string): string | undefined {
  try {
    mkdirSync(folder);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return undefined;
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? `there is no folder ${dirname(folder)} to make it in`
      : fileProblem(error);
  }
}

/** Rows to go on with; undefined if there are none. */
function earlierRows(
  folder: string,
  name: string,
  head: RowsHead,
  resumes: boolean,
): RowsRead | { readonly problem: string } | undefined {
  const names = rowsNames(readdirSync(folder));
  if (names.includes(rowsName(head.shard))) {
    const found = readRowsFile(name);
    if (found === undefined)
      return { problem: `${name} does not have rows of a search. Delete it, or name another folder with --rows.` };
    if (found !== 'empty') {
      if ('problem' in found) return { problem: `${name} cannot be read: ${found.problem}.` };
      if (!resumes)
        return { problem: `${name} has rows of an earlier run. Add --resume to go on with them, or delete the file.` };
      return otherSearch(name, head, found.head) ?? found;
    }
  }
  // A part of another search beside this one would be found when the parts are merged: hours later.
  const other = names.find((each) => each !== rowsName(head.shard));
  const beside = other === undefined ? undefined : headOf(join(folder, other));
  return beside === undefined || other === undefined ? undefined : otherSearch(join(folder, other), head, beside);
}

function otherSearch(name: string, head: RowsHead, other: RowsHead): { readonly problem: string } | undefined {
  const differs = difference(head, other);
  return differs === undefined
    ? undefined
    : {
        problem: `${name} has rows of another search: ${differs}. Delete the folder, or name another one with --rows.`,
      };
}

const longestHead = 1024 * 1024;

function headOf(path: string): RowsHead | undefined {
  const descriptor = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(longestHead);
    const [line = ''] = buffer.toString('utf8', 0, readSync(descriptor, buffer)).split('\n', 1);
    const head: unknown = JSON.parse(line);
    return isRowsHead(head) ? head : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Milliseconds between two times at which rows are safe from a failure of the machine, too. */
const syncEvery = 5_000;

function opened(folder: string, name: string, head: RowsHead, found: RowsRead | undefined, lock: PartLock): PartRows {
  const descriptor = openSync(name, 'a');
  let failure: string | undefined;
  let synced = performance.now();
  const write = (line: string): void => {
    if (failure !== undefined || lock.isLost()) return;
    try {
      const bytes = Buffer.from(line);
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
      if (performance.now() - synced < syncEvery) return;
      fsyncSync(descriptor);
      synced = performance.now();
    } catch (error) {
      failure = `${name} cannot be written: ${fileProblem(error)}`;
    }
  };
  // What a kill has torn is written again.
  ftruncateSync(descriptor, found?.length ?? 0);
  if (found === undefined) write(headLine(head));
  const shared = head.shard.of === 1 ? undefined : sharedFront(folder, head);
  let hasUnplaced = found?.unplaced !== undefined;
  return {
    ...(found === undefined ? {} : { decided: found }),
    add: (row, outcome, point, keepsWork) => write(rowLine(row, outcome, point, keepsWork)),
    addUnplaced(unplaced) {
      if (!hasUnplaced) write(unplacedLine(unplaced));
      hasUnplaced = true;
    },
    share(front) {
      if (shared === undefined) return [];
      try {
        if (failure === undefined && !lock.isLost()) shared.publish(front);
        return shared.others();
      } catch {
        // What is not shared costs time, and no row.
        return [];
      }
    },
    failure: () => failure ?? (lock.isLost() ? `another run has taken ${name}` : undefined),
    close() {
      closeSync(descriptor);
      lock.release();
    },
  };
}
