/** Brings the names of imported files in. */
import type { SourceGraph, FileImport } from './sourceFiles.ts';
import { catalogue } from '../findings/catalogue.ts';
import { spellingHint } from '../findings/reporter.ts';
import { LineIndex } from '../../grammar/lines.ts';
import { type FileContext, referTo } from './context.ts';
import { claim } from './declare.ts';
import { standardNames } from './exported.ts';
import { circleNames } from '../basics/ordering.ts';
import { reportProblem } from './importProblem.ts';
import { readSettings, showSettings } from './importSettings.ts';
import type { SymbolInfo } from './resolution.ts';

/**
 * Brings the names of imported files into `context`; says what is wrong with an import, once each. `take` brings what else is known of
 * a symbol.
 */
export function applyImports<Context extends FileContext>(
  context: Context,
  graph: SourceGraph,
  file: number,
  resolved: ReadonlyMap<number, Context>,
  take: (to: Context, from: Context, symbol: string) => void,
): void {
  for (const imported of graph.files[file].imports) {
    const module = imported.file === undefined ? undefined : resolved.get(imported.file);
    const circle = imported.file === undefined ? undefined : graph.circles.get(`${file} ${imported.file}`);
    const at = imported.declaration.path ?? imported.declaration;
    if (circle !== undefined) {
      context.report.report('name/cycle', at, { circle: circleNames(circle.map(lastPart)) });
    } else if (imported.tooMany) {
      context.report.report('limit/too-large', at, {
        what: 'Imported files',
        figure: `more than ${graph.files.length.toLocaleString('en-US')}`,
        limit: context.options.limits.elements.toLocaleString('en-US'),
        setting: 'pipewright.limits.elements',
      });
    } else if (imported.problem !== undefined) reportProblem(context, at, imported.path, imported.problem);
    const settings = module === undefined ? undefined : readSettings(context, imported, module);
    const understood = circle === undefined && !imported.tooMany && imported.problem === undefined;
    // A wrong setting is the mistake, and not what it makes of the file.
    if (understood && module !== undefined && settings !== undefined) sayErrors(context, imported, module);
    if (module === undefined || settings === undefined) leaveOut(context, imported);
    else {
      bringIn(context, imported, module, (info) => {
        copy(context, module, info);
        take(context, module, info.id);
      });
      showSettings(context, imported, module, settings);
    }
  }
}

const lastPart = (uri: string): string => decodeURIComponentSafely(uri.slice(uri.lastIndexOf('/') + 1));

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Errors of an imported file are reported in that file. The import gets one finding, which says where the first of them is. It
 * never quotes its message: that repeats text of the file, which may be no `.pipe` file at all.
 */
function sayErrors(context: FileContext, { path, declaration }: FileImport, module: FileContext): void {
  const first = module.report.findings
    .filter((finding) => finding.severity === 'error' && finding.place.uri === module.uri)
    .reduce<(typeof module.report.findings)[number] | undefined>(
      (best, finding) => (best === undefined || finding.place.start < best.place.start ? finding : best),
      undefined,
    );
  if (first === undefined) return;
  const { line, character } = new LineIndex(module.syntax.text).positionAt(first.place.start);
  const { summary } = catalogue[first.code];
  const detail = `it has errors, the first in line ${line + 1}, column ${character + 1}: ${first.code} (${summary})`;
  context.report.report(
    'import/unreadable',
    declaration.path ?? declaration,
    { path, detail },
    {
      related: [{ place: first.place, message: `${summary}.` }],
    },
  );
}

/** An import that gives nothing: its names are not reported as unknown. */
function leaveOut(context: FileContext, { declaration }: FileImport): void {
  if (declaration.names === undefined) context.incomplete = true;
  for (const name of declaration.names ?? []) context.broken.add(name.text);
}

function bringIn(
  context: FileContext,
  { path, declaration }: FileImport,
  module: FileContext,
  take: (info: SymbolInfo) => void,
): void {
  const exported = (name: string): SymbolInfo | undefined => {
    const info = module.names.get(name);
    return info?.declaration?.uri === module.uri ? info : undefined;
  };
  if (declaration.names === undefined) {
    const at = declaration.path;
    for (const name of module.names.keys()) {
      const info = exported(name);
      if (info === undefined || at === undefined) continue;
      if (claim(context, { ...at, kind: 'name', text: name }, info)) take(info);
    }
    if (module.incomplete) context.incomplete = true;
    return;
  }
  for (const name of declaration.names) {
    if (name.end <= name.start) continue;
    const info = exported(name.text);
    if (info === undefined) {
      context.broken.add(name.text);
      if (module.incomplete || module.broken.has(name.text)) continue;
      const from = standardNames().find((each) => each.name === name.text)?.path;
      const near =
        from === undefined
          ? context.report.nearest(
              name.text,
              [...module.names.keys()].filter((text) => exported(text) !== undefined),
            )
          : name.text;
      context.report.report(
        'name/unknown',
        name,
        { kind: 'name', name: name.text, nearest: near, from, where: `"${path}"` },
        { hint: from === undefined ? spellingHint(near) : undefined },
      );
    } else if (claim(context, name, info)) {
      take(info);
      referTo(context, context.report.place(name), info.id);
      // A param that its own file needs is imported to be turned.
      if (info.kind === 'param' && module.used.has(info.id)) context.used.add(info.id);
    }
  }
}

/** Takes over what is known of a name. */
function copy(context: FileContext, module: FileContext, { id }: SymbolInfo): void {
  takeOne(context.symbols, module.symbols, id);
  takeOne(context.members, module.members, id);
  for (const member of module.members.get(id)?.values() ?? [])
    context.symbols.set(member.id, module.symbols.get(member.id) ?? member);
  if (module.values.has(id)) context.values.set(id, module.values.get(id));
  const param = module.params.get(id);
  if (param === undefined) return;
  context.params.set(id, { ...param, local: false });
  const place = module.origins.get(`param:${param.name}`);
  if (place !== undefined) context.origins.set(`param:${param.name}`, place);
}

/** What one map knows of a symbol, for another. */
export function takeOne<V>(to: Map<string, V>, from: ReadonlyMap<string, V>, symbol: string): void {
  const value = from.get(symbol);
  if (value !== undefined) to.set(symbol, value);
}

/** `name/unused` for names that an import asks for by name and nothing uses. */
export function reportUnusedImports(context: FileContext): void {
  if (
    !context.syntax.declarations.some(
      (declaration) => declaration.kind === 'block' && declaration.keyword.text === 'pipeline',
    )
  )
    return;
  const wanted = kindsWanted(context);
  for (const declaration of context.syntax.declarations) {
    if (declaration.kind !== 'import') continue;
    for (const name of declaration.names ?? []) {
      const info = context.names.get(name.text);
      if (info !== undefined && wanted.has(info.kind)) continue;
      const brought = info !== undefined && info.declaration?.uri !== context.uri;
      if (brought && !context.used.has(info.id))
        context.report.report('name/unused', name, { kind: 'import', name: name.text });
    }
  }
}

/** What a pipeline of the file lacks, or names wrongly: an import that nothing uses is probably meant for it. */
function kindsWanted({ syntax, names }: FileContext): ReadonlySet<SymbolInfo['kind']> {
  const wanted = new Set<SymbolInfo['kind']>();
  for (const declaration of syntax.declarations) {
    if (declaration.kind !== 'block' || declaration.keyword.text !== 'pipeline') continue;
    for (const [key, kind] of [
      ['model', 'model'],
      ['devices', 'cluster'],
    ] as const) {
      const entry = declaration.body?.entries.find((each) => each.kind === 'entry' && each.key.text === key);
      const value = entry?.kind === 'entry' ? entry.values?.[0] : undefined;
      if (value?.kind !== 'name' || !names.has(value.text)) wanted.add(kind);
    }
  }
  return wanted;
}
