/** What is wrong with the keys and values of a sweep, before any row is looked at. */
import { followingKeys } from '../language/schema/search.ts';
import { findKey, keysOf } from '../language/schema.ts';
import { nearest } from '../spelling.ts';
import type { Axis } from '../definitions/search.ts';
import { rankKeys, rowCount, wholeKeys } from './axes.ts';
import { mostRows } from './limits.ts';
import type { SweepBase } from './base.ts';

export function axesProblem(base: SweepBase, axes: readonly Axis[]): string | undefined {
  if (axes.length === 0)
    return 'There is nothing to search. Name keys and their values, such as "tensor = [1, 2, 4, 8], pipeline = [1, 2, 4, 8]".';
  const { params } = base;
  for (const { key, values } of axes) {
    const reason = keyProblem(key, params);
    if (reason !== undefined) return reason;
    if (base.file.overrides !== undefined && key in base.file.overrides)
      return `"${key}" is searched, and --set gives it a value. Leave out one of them.`;
    if (values.length === 0) return `"${key}" has no value, so there is no row. Give it at least one.`;
    const isWhole = wholeKeys.some((whole) => whole === key);
    const wrong = isWhole ? values.find((value) => !/^[1-9]\d{0,8}$/u.test(value)) : undefined;
    if (wrong !== undefined) return `"${key}" takes whole numbers of at least 1, not "${wrong}".`;
  }
  const rows = rowCount(axes);
  if (rows > mostRows)
    return `These values make ${rows.toLocaleString('en-US')} rows, more than ${mostRows.toLocaleString('en-US')}. Leave out values, or search fewer keys at a time.`;
  return undefined;
}

function keyProblem(key: string, params: readonly string[]): string | undefined {
  if (wholeKeys.some((whole) => whole === key) || params.includes(key)) return undefined;
  const follows = followingKeys[key];
  if (follows !== undefined) return `"${key}" cannot be searched: ${follows}.`;
  const schema = findKey('pipeline', key);
  if (schema?.forms.includes('value') === true) return undefined;
  const known = [...new Set([...wholeKeys, ...rankKeys, ...searchedKeys(), ...params])];
  const near = nearest(key, known);
  return `"${key}" is no key that can be searched.${near === undefined ? ` These can: ${known.join(', ')}.` : ` Did you mean "${near}"?`}`;
}

/** Keys of a pipeline that a sweep may try. */
export const searchedKeys = (): readonly string[] =>
  [...keysOf('pipeline').values()]
    .filter(({ name, forms }) => forms.includes('value') && followingKeys[name] === undefined)
    .map(({ name }) => name);
