import { wholeKeys } from '../engine/sweep/axes.ts';
import { searchedKeys } from '../engine/sweep/axesProblem.ts';
import { findKey } from '../engine/language/schema.ts';
import { checkOverrides, paramsWords, paramValue } from '../engine/language/overrides.ts';
import type { Dimension } from '../engine/values/plan.ts';
import type { Resolution } from '../engine/language/resolution.ts';
import { type Entry, parse } from '../grammar/index.ts';
import { splitList } from './splitList.ts';
import { findUnit, nearestUnit, phraseOf } from '../engine/language/units.ts';

/** Values for params, in base units, and the dimensions that they were written in. */
export interface Overrides {
  readonly values: Readonly<Record<string, number>>;
  readonly dimensions: ReadonlyMap<string, Dimension>;
  /** As the call writes them. */
  readonly texts: ReadonlyMap<string, string>;
  /** The first setting that is none. */
  readonly wrong?: string;
}

/** `--set name=value`: value is a number with an optional unit, as written in the file. Name may be `PIPELINE.PARAMETER`. */
export function readOverrides(settings: readonly string[]): Overrides | { readonly problem: string } {
  const values = new Map<string, number>();
  const dimensions = new Map<string, Dimension>();
  const texts = new Map<string, string>();
  let wrong: string | undefined;
  for (const setting of settings) {
    const parts = /^\s*([A-Za-z_]\w*|\w+\.[A-Za-z_]\w*)\s*=\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(\S*)\s*$/u.exec(
      setting,
    );
    if (parts === null) {
      wrong ??= setting;
      continue;
    }
    const [, name, number, suffix] = parts;
    const unit = findUnit(suffix);
    if (unit === undefined) {
      const guess = nearestUnit(suffix);
      const hint = guess === undefined ? '' : ` Did you mean "${guess}"?`;
      return { problem: `Unknown unit "${suffix}" (--set ${setting}).${hint}` };
    }
    if (values.has(name)) return { problem: `--set gives "${name}" twice.` };
    values.set(name, Number(number) * unit.scale);
    dimensions.set(name, unit.dimension);
    texts.set(name, `${number}${suffix}`);
  }
  return { values: Object.fromEntries(values), dimensions, texts, ...(wrong === undefined ? {} : { wrong }) };
}

/** What of a file is needed to say why its params cannot take values. */
interface SetFile {
  readonly resolution: Resolution;
  readonly text: string;
}

/** Why the file's params cannot take these values: no setting, no such param, another dimension, out of range. */
export function overrideProblem({ resolution, text }: SetFile, overrides: Overrides): string | undefined {
  const { values, dimensions, texts, wrong } = overrides;
  const { params } = resolution.plan;
  if (wrong !== undefined) {
    const [, name = '', asked = ''] = /^\s*(\w+)\s*=?\s*(.*?)\s*$/su.exec(wrong) ?? [];
    const own = params.find((param) => param.name === name) ?? params[0];
    const example = own === undefined ? '' : `, such as ${own.name}=${paramValue(own)}`;
    const hint = otherOption(name, asked, text);
    return `--set takes NAME=VALUE with a number${example}, not "${wrong}".${hint === '' && own === undefined ? paramsWords([]) : hint}`;
  }
  const mixed = params.find((param) => {
    const given = dimensions.get(param.name);
    return given !== undefined && given !== param.dimension && !(given === 'number' && param.dimension === 'share');
  });
  if (mixed !== undefined) {
    const given = dimensions.get(mixed.name) ?? 'number';
    return `"${mixed.name}" is ${phraseOf[mixed.dimension]}, now ${paramValue(mixed)}, and --set gives ${phraseOf[given]}.`;
  }
  const unknown = Object.keys(values).find((name) => !params.some((param) => param.name === name));
  const written = {
    inFile: (block: string, key: string) => valueIn(text, key, block),
    asked: (name: string) => texts.get(name),
  };
  const [problem] = checkOverrides(resolution, values, written);
  return problem === undefined || unknown === undefined
    ? problem
    : `${problem}${otherOption(unknown, texts.get(unknown) ?? '', text)}`;
}

/** The value that a file writes for a key: in its first pipeline, or in the first block of another kind, that has the key. */
function valueIn(text: string, key: string, keyword = 'pipeline'): string | undefined {
  for (const block of parse(text).declarations) {
    if (block.kind !== 'block' || block.keyword.text !== keyword) continue;
    const entry = block.body?.entries.find(
      (item): item is Entry => item.kind === 'entry' && item.key.text === key && item.index === undefined,
    );
    const value = entry?.values?.[0];
    if (value !== undefined) return text.slice(value.start, value.end);
  }
  return undefined;
}

/** The option that tries other values of a key that is no param; empty for another name. `asked`: the value of the call. */
function otherOption(name: string, asked: string, text: string): string {
  if (name === 'engine') return ' For a pipeline without `engine`, use --engine.';
  const isSearched = [...wholeKeys, ...searchedKeys()].includes(name);
  if (!isSearched) return '';
  const usual = searchedExample(name);
  const isNumber = (value: string): boolean => /^\d+(\.\d+)?$/.test(value);
  const own = [...new Set([valueIn(text, name) ?? '', asked])].filter(
    (value) => /^[\w.]+(\(.*\))?$/su.test(value) && isNumber(value) === usual.every(isNumber),
  );
  // Of values that neither the file nor the call has, the usual ones.
  const all = own.length > 1 ? own : [...new Set([...own, ...usual])];
  const values = (all.every(isNumber) ? all.toSorted((x, y) => Number(x) - Number(y)) : all).join(', ');
  return ` To try values of this key, use pipewright plan FILE --over "${name} = [${values}]".${name === 'schedule' ? ` To compare schedules, use pipewright compare FILE --schedules "${values}".` : ''}`;
}

/** Usual values of a key that is searched, as its example has them. */
const searchedExample = (name: string): readonly string[] =>
  splitList(/\[(.*)\]$/u.exec(findKey('search', name)?.example ?? '')?.[1] ?? '');
