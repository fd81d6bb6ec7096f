/** `with { nodes = 8 }` behind an import: params of the imported file, set anew for this import alone. */
import { spellingHint } from '../findings/reporter.ts';
import type { Entry, Expression } from '../../grammar/syntax.ts';
import { walk } from '../../grammar/walk.ts';
import { type ParamPlan, paths } from '../values/plan.ts';
import { show } from '../basics/quantities.ts';
import { type FileContext, referTo } from './context.ts';
import { fits } from './dimensions.ts';
import { evaluate } from './expressions.ts';
import { literalOf } from './literal.ts';
import { linkValue } from './linkExpressions.ts';
import type { SymbolInfo } from './resolution.ts';
import { noScope } from './scopes.ts';
import { settingsName } from './settingsName.ts';
import type { FileImport } from './sourceFiles.ts';
import { phraseOf } from './units.ts';
import { wrongDimension } from './valueFaults.ts';

/** Settings of an import by the symbol of the param; `undefined` if one is wrong, which has been reported. */
export function readSettings(
  context: FileContext,
  { declaration, path }: FileImport,
  module: FileContext,
): ReadonlyMap<string, number> | undefined {
  const found = new Map<string, number>();
  const written = new Map<string, Entry>();
  let wrong = declaration.settings?.closed === false;
  for (const item of declaration.settings?.entries ?? []) {
    if (item.kind !== 'entry') {
      wrong = true;
      continue;
    }
    const { key } = item;
    const earlier = written.get(key.text);
    if (earlier !== undefined) {
      const related = [{ place: context.report.place(earlier.key), message: 'This one is used.' }];
      context.report.report(
        'key/duplicate',
        key,
        { key: key.text, block: 'import' },
        { related, hint: { kind: 'remove' } },
      );
      continue;
    }
    written.set(key.text, item);
    const info = paramNamed(context, item, module, path);
    const value = info === undefined ? undefined : settingOf(context, item, module.params.get(info.id));
    if (info === undefined || value === undefined) wrong = true;
    else found.set(info.id, value);
  }
  return wrong ? undefined : found;
}

/** The param of the imported file that a setting names. */
function paramNamed(context: FileContext, { key }: Entry, module: FileContext, path: string): SymbolInfo | undefined {
  const own = (info: SymbolInfo | undefined) => (info?.declaration?.uri === module.uri ? info : undefined);
  const info = own(module.names.get(key.text));
  if (info?.kind === 'param') {
    // The file itself may have something else of this name.
    const id = context.names.has(key.text) ? `setting:${key.start}/${info.id}` : info.id;
    context.symbols.set(id, { ...(module.symbols.get(info.id) ?? info), id });
    referTo(context, context.report.place(key), id);
    return info;
  }
  if (info !== undefined) {
    const expected = `a param of "${path}"`;
    context.report.report('type/mismatch', key, { expected, found: `${info.kind} "${key.text}"` });
  } else if (!module.incomplete && !module.broken.has(key.text)) {
    const params = [...module.names.values()].filter((each) => each.kind === 'param' && own(each) !== undefined);
    const names = params.map(({ name }) => name);
    const near = context.report.nearest(key.text, names);
    context.report.report(
      'name/unknown',
      key,
      { kind: 'param', name: key.text, nearest: near, where: `"${path}"`, words: names.length > 0 ? names : undefined },
      { hint: spellingHint(near) },
    );
  }
  return undefined;
}

/** The value of a setting, checked against the param as its file declares it. */
function settingOf(context: FileContext, entry: Entry, param: ParamPlan | undefined): number | undefined {
  const [value, second] = entry.values ?? [];
  if (value === undefined || second !== undefined || entry.index !== undefined || entry.parameters !== undefined) {
    context.report.report('type/mismatch', entry.key, {
      expected: `one value, such as \`${entry.key.text} = ${param?.default ?? 8}\``,
      found: value === undefined ? 'none' : 'something else',
    });
    return undefined;
  }
  if (value.kind === 'missing') return undefined;
  if (hasNames(value)) {
    context.report.report('type/mismatch', value, {
      expected: 'a number with its unit',
      found: 'a name: an imported file cannot read names of the file that imports it',
    });
    return undefined;
  }
  linkValue(context, value, noScope);
  const found = evaluate(context, value);
  if (found === undefined || param === undefined) return undefined;
  const { dimension, min = -Infinity, max = Infinity } = param;
  if (found.kind !== 'measure' || !fits(found.dimension, dimension))
    return wrongDimension(
      context,
      value,
      dimension,
      found.kind === 'measure' ? phraseOf[found.dimension] : 'no number',
    );
  if (found.value >= min && found.value <= max) return found.value;
  context.report.report('value/range', value, {
    what: `"${entry.key.text}"`,
    value: show(found.value, dimension),
    allowed:
      max === Infinity ? `at least ${show(min, dimension)}` : `from ${show(min, dimension)} to ${show(max, dimension)}`,
  });
  return undefined;
}

/** Whether a value needs more than numbers. */
export function hasNames(value: Expression): boolean {
  let found = false;
  walk(value, ({ kind }) => {
    found ||= kind === 'name' || kind === 'string';
  });
  return found;
}

/** Sliders for what an import sets: under the name of the param if it is imported too, otherwise as `LIBRARY.PARAM`. */
export function showSettings(
  context: FileContext,
  { declaration }: FileImport,
  module: FileContext,
  settings: ReadonlyMap<string, number>,
): void {
  for (const [id, value] of settings) {
    const param = module.params.get(id);
    if (param === undefined) continue;
    const { names } = declaration;
    const imported = names === undefined || names.some(({ text }) => text === param.name);
    const name = imported ? param.name : `${settingsName(declaration)}.${param.name}`;
    const entry = declaration.settings?.entries.find((item) => item.kind === 'entry' && item.key.text === param.name);
    const local = literalOf(entry?.kind === 'entry' ? entry.values?.[0] : undefined) !== undefined;
    context.params.set(imported ? id : `param:${name}`, { ...param, name, default: value, local });
    if (entry !== undefined) context.origins.set(paths.param(name), context.report.place(entry));
  }
}
