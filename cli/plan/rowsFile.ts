/**
 * A file of decided rows: a line of JSON says what is searched, then each row that was decided has a line. Lines are only added, each
 * whole: whatever ends the program, at most the last line is torn.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { FoundPoint } from '../../engine/sweep/answer.ts';
import { rowCount } from '../../engine/sweep/axes.ts';
import type { RowWork } from '../../engine/sweep/classBound.ts';
import type { Outcome } from '../../engine/sweep/evaluateRow.ts';
import { type Decided, partRows } from '../../engine/sweep/sweep.ts';
import { createTally, type RefusedRows, type Tally } from '../../engine/sweep/tally.ts';
import { fileProblem } from '../../platform/node/regularFile.ts';
import { isPoint, isReasons, isRowsHead } from '../output/planData.ts';
import type { RowsHead } from './rowsHead.ts';

export interface RowsRead extends Decided {
  readonly head: RowsHead;
  readonly tally: Tally<FoundPoint>;
  /** Rows that have a line. */
  readonly decided: number;
  /** Rows that no placement has, by reason; absent as long as the search has not counted them. */
  readonly unplaced?: readonly RefusedRows[];
  /** Bytes of whole lines. What follows is a line that was not written to its end. */
  readonly length: number;
}

export const headLine = (head: RowsHead): string => `${JSON.stringify(head)}\n`;

export const unplacedLine = (unplaced: readonly RefusedRows[]): string => `${JSON.stringify({ unplaced })}\n`;

/** `point`: of a row that was simulated. `keepsWork`: the row is the first of its class, and a run that goes on needs its work. */
export function rowLine(row: number, outcome: Outcome, point: FoundPoint | undefined, keepsWork: boolean): string {
  const work = keepsWork && outcome.kind !== 'refused' && outcome.work !== undefined ? { work: outcome.work } : {};
  switch (outcome.kind) {
    case 'ran':
      return `${JSON.stringify({ kind: 'ran', ...point, ...work })}\n`;
    case 'over':
      return `${JSON.stringify({ kind: 'over', row, least: outcome.least, capacity: outcome.capacity, ...work })}\n`;
    case 'full':
      return `${JSON.stringify({ kind: 'full', row, peak: outcome.peak, over: outcome.over, ...work })}\n`;
    case 'dropped':
      return `${JSON.stringify({ kind: 'dropped', row, ...work })}\n`;
    case 'refused':
      return `${JSON.stringify({ kind: 'refused', row, code: outcome.code, message: outcome.message })}\n`;
  }
}

const chunkSize = 1024 * 1024;
/** A line of the program is far shorter, whatever is searched. */
const longestLine = 64 * chunkSize;
const lineFeed = 10;

/**
 * Reads a file of rows, whatever its size, in bounded memory. Undefined: it is no such file. A file without a whole line is empty:
 * its search had hardly begun.
 */
export function readRowsFile(path: string): RowsRead | 'empty' | { readonly problem: string } | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    return { problem: fileProblem(error) };
  }
  try {
    if (!fstatSync(descriptor).isFile()) return undefined;
    return readLines(descriptor);
  } catch (error) {
    return { problem: fileProblem(error) };
  } finally {
    closeSync(descriptor);
  }
}

function readLines(descriptor: number): ReturnType<typeof readRowsFile> {
  const buffer = Buffer.allocUnsafe(chunkSize);
  let rest = Buffer.alloc(0);
  let length = 0;
  let number = 0;
  let reader: RowsReader | undefined;
  for (;;) {
    const read = readSync(descriptor, buffer);
    if (read === 0) break;
    rest = Buffer.concat([rest, buffer.subarray(0, read)]);
    let from = 0;
    for (let end = rest.indexOf(lineFeed); end >= 0; end = rest.indexOf(lineFeed, from)) {
      const line = rest.toString('utf8', from, end);
      from = end + 1;
      number += 1;
      if (reader === undefined) {
        const head = parsed(line);
        if (!isRowsHead(head)) return undefined;
        reader = rowsReader(head);
      } else if (!reader.take(parsed(line)))
        return { problem: `line ${number} is not what this program writes. The file was changed or damaged` };
    }
    length += from;
    rest = rest.subarray(from);
    if (rest.length > longestLine) return undefined;
  }
  if (reader !== undefined) return reader.end(length);
  // The first line may be torn, too.
  return startOfHead.startsWith(rest.toString('utf8', 0, startOfHead.length)) ? 'empty' : undefined;
}

const startOfHead = '{"rows_file":1,';

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

interface RowsReader {
  /** Whether the line is one that a search writes. */
  take(line: unknown): boolean;
  end(length: number): RowsRead;
}

function rowsReader(head: RowsHead): RowsReader {
  const { search, shard } = head;
  const rows = partRows(rowCount(search), shard);
  const tally = createTally<FoundPoint>(search);
  const seen = new Uint8Array(Math.ceil(rows / 8));
  const works = new Map<number, RowWork>();
  let decided = 0;
  let unplaced: readonly RefusedRows[] | undefined;
  const placeOf = (row: number): number => (row - shard.index + 1) / shard.of;
  const has = (row: number): boolean => ((seen[placeOf(row) >> 3] ?? 0) & (1 << (placeOf(row) & 7))) !== 0;
  return {
    take(line) {
      if (typeof line !== 'object' || line === null) return false;
      if ('unplaced' in line) {
        if (!isReasons(line.unplaced)) return false;
        unplaced ??= line.unplaced;
        return true;
      }
      const found = outcomeOf(line);
      if (found === undefined) return false;
      const place = placeOf(found.row);
      if (!Number.isInteger(place) || place < 0 || place >= rows) return false;
      // Two runs may have decided it, if one took the place of another that was thought to be dead.
      if (has(found.row)) return true;
      seen[place >> 3] |= 1 << (place & 7);
      decided += 1;
      if ('point' in found) tally.addRan(found.point);
      else tally.add(found.row, found.outcome);
      if ('work' in line && isWork(line.work)) works.set(found.row, line.work);
      return true;
    },
    end: (length) => ({
      head,
      tally,
      has,
      workOf: (row) => works.get(row),
      decided,
      ...(unplaced === undefined ? {} : { unplaced }),
      length,
    }),
  };
}

type Found =
  | { readonly row: number; readonly point: FoundPoint }
  | { readonly row: number; readonly outcome: Exclude<Outcome, { readonly kind: 'ran' }> };

function outcomeOf(line: object): Found | undefined {
  // Keys stay in the order in which the search has them: the front of parts is the front of one run, to the byte.
  const { kind, work: _, ...found } = line as Readonly<Record<string, unknown>>;
  const { row, least, capacity, peak, over, code, message } = found;
  if (typeof row !== 'number' || !Number.isInteger(row)) return undefined;
  switch (kind) {
    case 'ran':
      return isPoint(found) ? { row, point: found } : undefined;
    case 'over':
      return typeof least === 'number' && typeof capacity === 'number'
        ? { row, outcome: { kind, least, capacity } }
        : undefined;
    case 'full':
      return typeof peak === 'number' && typeof over === 'number' ? { row, outcome: { kind, peak, over } } : undefined;
    case 'dropped':
      return { row, outcome: { kind } };
    case 'refused':
      return typeof code === 'string' && typeof message === 'string'
        ? { row, outcome: { kind, code, message } }
        : undefined;
    default:
      return undefined;
  }
}

const isWork = (work: unknown): work is RowWork =>
  hasFigures(work, ['all', 'computing']) &&
  'stored' in work &&
  hasFigures(work.stored, ['weights', 'gradients', 'optimizer', 'activation', 'data', 'ranks']);

const hasFigures = (value: unknown, keys: readonly string[]): value is object =>
  typeof value === 'object' &&
  value !== null &&
  keys.every((key) => Number.isFinite((value as Readonly<Record<string, unknown>>)[key]));
