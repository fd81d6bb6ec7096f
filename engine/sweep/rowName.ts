/** Names of rows. The number of a row is its place in one search: after a change of the file or the options it may be another row. */
import type { Axis } from '../definitions/search.ts';
import { rowCount, type Settings, settingsOf } from './axes.ts';

/**
 * Six hexadecimal digits that say which settings a row has: equal on every machine, whatever the order of the keys. FNV-1a with 32 bits,
 * and the last steps of MurmurHash3, which give nearly equal settings different digits.
 */
export function fingerprintOf(settings: Settings): string {
  const words = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  let hash = 0x811c9dc5;
  for (const unit of words.toSorted().join('\n')) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash ^= hash >>> 16;
  return (hash >>> 8).toString(16).padStart(6, '0');
}

/** `172:e8fa92`, as `--write` takes it. */
export const rowName = (axes: readonly Axis[], row: number): string => `${row}:${fingerprintOf(settingsOf(axes, row))}`;

/** The rows that have a fingerprint: the first ones, if there are many. */
export function rowsNamed(axes: readonly Axis[], fingerprint: string, most: number): readonly number[] {
  const found: number[] = [];
  const rows = rowCount(axes);
  for (let row = 0; row < rows && found.length < most; row += 1)
    if (fingerprintOf(settingsOf(axes, row)) === fingerprint) found.push(row);
  return found;
}
