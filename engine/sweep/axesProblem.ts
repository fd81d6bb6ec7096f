/** What is wrong with the keys and values of a sweep, before any row is looked at. */
import { followingKeys } from '../language/schema/search.ts';
import { findKey, keysOf } from '../language/schema.ts';
import { parse } from '../../grammar/index.ts';
import { apply } from '../fixes/proposal.ts';
import { pipelineBody, setKey, valueOf } from '../fixes/source.ts';
import { resolve } from '../flow/resolve.ts';
import { noSearches } from '../basics/searches.ts';
import { toEnd } from '../basics/steps.ts';
import { nearest } from '../basics/spelling.ts';
import type { Axis } from '../definitions/search.ts';
import { rankKeys, rowCount, wholeKeys } from './axes.ts';
import type { SweepBase } from './base.ts';

export const axesProblem = (base: SweepBase, axes: readonly Axis[]): string | undefined =>
  toEnd(axesProblemSteps(base, axes));

/** The same in steps: each value that may be misspelled takes as long as planning the file. */
export function* axesProblemSteps(
  base: SweepBase,
  axes: readonly Axis[],
): Generator<undefined, string | undefined, void> {
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
  const { searchRows: most } = base.file.options.limits;
  if (rows > most)
    return `These values make ${rows.toLocaleString('en-US')} rows, more than ${most.toLocaleString('en-US')}. Leave out values, search fewer keys at a time, or raise the setting "pipewright.limits.searchRows" in an editor.`;
  return yield* valueProblem(base, axes);
}

/** Values that are looked at before the rows; further ones are refused with their rows. */
const mostLooked = 200;

/** What no row can take, because a value has an unknown name or is of another kind. */
const misspellings: ReadonlySet<string> = new Set(['name/unknown', 'key/unknown', 'type/mismatch']);

function* valueProblem(
  { syntax, body, pipeline, file }: SweepBase,
  axes: readonly Axis[],
): Generator<undefined, string | undefined, void> {
  const looked = axes
    .filter(({ key }) => findKey('pipeline', key)?.forms.includes('value') === true)
    .flatMap(({ key, values }) => values.map((value) => ({ key, value })))
    .filter(({ value }) => Number.isNaN(Number(value)));
  for (const { key, value } of looked.slice(0, mostLooked)) {
    yield;
    const edit = setKey(syntax.text, body, key, value);
    if (edit === undefined) continue;
    const { uri, host, options, overrides } = file;
    const { fileSize: size, findings: faults } = options.limits;
    const tried = parse(apply(syntax.text, [edit]), { size, faults });
    const triedBody = pipelineBody(tried, pipeline);
    const at = triedBody === undefined ? undefined : valueOf(triedBody, key);
    if (at === undefined) continue;
    const { findings } = resolve({ uri, syntax: tried, host, options, overrides, searches: noSearches });
    const found = findings.find(
      ({ code, place }) =>
        misspellings.has(code) && place.uri === uri && place.start >= at.start && place.end <= at.end,
    );
    if (found !== undefined) return `"${key}" cannot be "${value}". ${found.message}`;
  }
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
