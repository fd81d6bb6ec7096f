import { U, kindOf, stageOf } from '../../engine/values/program.ts';
import { time } from '../../engine/basics/quantities.ts';
import { deviceOf } from './blocks.ts';
import type { Picture } from './picture.ts';
import { versionOfWord } from './versions.ts';

/** An update of its stage that was over before an operation began, and whose weights the operation does not use. */
export interface MissedUpdate {
  /** Block of the newest of them. */
  readonly update: number;
  /** Version that it made, and the one that the operation uses. */
  readonly newest: number;
  readonly version: number;
  /** Seconds from the end of the update to the start of the operation. */
  readonly before: number;
}

/** Undefined if the operation uses the newest weights of its stage, or if all operations use the same. */
export function missedUpdate(picture: Picture, block: number): MissedUpdate | undefined {
  const { columns } = picture;
  const { offsets, start, end, word } = columns;
  const code = word[block];
  const version = versionOfWord(columns, code);
  if (version < 0 || kindOf(columns, code) === U) return undefined;
  const home = (of: number): number => columns.versions?.home[stageOf(columns, of)] ?? -1;
  // A device works in order, and its stages are updated nowhere else: the last update in its row is the newest.
  for (let at = block - 1; at >= offsets[deviceOf(picture, block)]; at -= 1) {
    if (word[at] < 0 || kindOf(columns, word[at]) !== U || home(word[at]) !== home(code)) continue;
    const newest = versionOfWord(columns, word[at]);
    return newest > version ? { update: at, newest, version, before: Math.max(0, start[block] - end[at]) } : undefined;
  }
  return undefined;
}

/** `uses version 3; version 4 was ready 12 ms before`. Empty for what has no version. */
export function versionWords(picture: Picture, block: number): string {
  const { columns } = picture;
  const code = columns.word[block];
  const version = versionOfWord(columns, code);
  if (version < 0) return '';
  if (kindOf(columns, code) === U) return `makes version ${version}`;
  const missed = missedUpdate(picture, block);
  if (missed === undefined) return `uses version ${version}, the newest`;
  const when =
    missed.before > columns.makespan * 1e-12 ? `ready ${time(missed.before)} before` : 'ready when it started';
  return `uses version ${version}; version ${missed.newest} was ${when}`;
}
