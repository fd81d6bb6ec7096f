/** Gives each name of a file its meaning, by the schema of the key that it stands in. Reports unknown names and units, each once. */
import { spellingHint } from '../findings/reporter.ts';
import type { BlockDeclaration, Call, Entry, Expression, Name, Quantity } from '../../grammar/syntax.ts';
import { type FileContext, refer, referTo, symbolId } from './context.ts';
import { findFigure, figures } from './figures.ts';
import { findFunction, functionId, functionNames, type FunctionContext } from './functions.ts';
import { blocks, keysOf, type BlockName, type KeySchema, type ValueSchema } from './schema.ts';
import type { Place } from '../plan.ts';
import type { SymbolInfo } from './resolution.ts';
import { findUnit, nearestUnit } from './units.ts';

/** What names may mean besides those of the file: parameters and variables of a schedule, members of a model. */
interface Scope {
  readonly locals?: ReadonlyMap<string, string>;
  /** Layers of the model; absent where the model is not known, then names are not looked up. */
  readonly layers?: ReadonlyMap<string, SymbolInfo>;
  readonly modelName?: string;
}

const noScope: Scope = {};
/** Deeper expressions are left unlinked; the parser allows far less. */
const deepest = 1000;

/** Links all declarations of the file; pauses after each. */
export function* linkFile(context: FileContext): Generator<void, void> {
  for (const declaration of context.syntax.declarations) {
    if (declaration.kind === 'let') linkValue(context, declaration.value, noScope);
    else if (declaration.kind === 'param') {
      linkValue(context, declaration.value, noScope);
      linkValue(context, declaration.range, noScope);
      linkValue(context, declaration.step, noScope);
    } else if (declaration.kind === 'block') linkBlock(context, declaration);
    yield;
  }
}

function linkBlock(context: FileContext, block: BlockDeclaration): void {
  const keyword = block.keyword.text as BlockName;
  if (!(keyword in blocks) || block.body === undefined) return;
  if (keyword === 'expect') return linkExpect(context, block);
  let scope: Scope = noScope;
  const id = block.name === undefined ? undefined : symbolId(keyword as SymbolInfo['kind'], block.name.text);
  if (keyword === 'model')
    scope = { layers: id === undefined ? undefined : context.members.get(id), modelName: block.name?.text };
  if (keyword === 'schedule') scope = { locals: scheduleVariables(context) };
  if (keyword === 'pipeline') scope = modelScope(context, block);
  linkEntries(context, keyword, block.body.entries, scope, id);
}

/** Names that a schedule's expressions are given: counts of the pipeline that uses it. */
export const variableDocs: Readonly<Record<string, string>> = {
  stages: 'Number of stages of the pipeline, chunks of a device counted apart.',
  devices: 'Number of pipeline ranks.',
  microbatches: 'Microbatches of one iteration.',
};

function scheduleVariables(context: FileContext): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(variableDocs).map(([name, doc]) => {
      const id = symbolId('variable', name);
      if (!context.symbols.has(id)) context.symbols.set(id, { id, name, kind: 'variable', doc });
      return [name, id] as const;
    }),
  );
}

function modelScope(context: FileContext, block: BlockDeclaration): Scope {
  for (const item of block.body?.entries ?? []) {
    const value = item.kind === 'entry' && item.key.text === 'model' ? item.values?.[0] : undefined;
    if (value?.kind === 'name')
      return { layers: context.members.get(symbolId('model', value.text)), modelName: value.text };
  }
  return noScope;
}

type Items = NonNullable<BlockDeclaration['body']>['entries'];

function linkEntries(
  context: FileContext,
  block: BlockName,
  items: Items,
  scope: Scope,
  owner: string | undefined,
  depth = 0,
): void {
  if (depth > deepest) return;
  const keys = keysOf(block);
  if (block === 'cluster' || block === 'node')
    scope = { ...scope, locals: declareSwitches(context, items, scope, owner) };
  for (const item of items) {
    if (item.kind !== 'entry') continue;
    const key = keys.get(item.key.text);
    if (key === undefined) continue;
    const { parameters, index, ends, values } = item;
    if (key.parameters !== undefined) linkWords(context, item, key, scope);
    const named = parameters !== undefined && key.parameters === undefined;
    const inner = named ? { ...scope, locals: withParameters(context, item, scope, owner) } : scope;
    if (index !== undefined) for (const one of index) linkValue(context, one, inner);
    if (ends !== undefined) for (const one of ends) linkExpression(context, one, { kind: 'devices' }, inner, 0);
    if (values !== undefined) for (const one of values) linkExpression(context, one, key.value, inner, 0);
    if (item.body !== undefined && key.block !== undefined)
      linkEntries(context, key.block, item.body.entries, inner, owner, depth + 1);
  }
}

/** `compute(fp8)`, `efficiency(fp8, 16GFLOP)`: what stands in the parentheses is a word of the key, or a value where it takes sizes. */
function linkWords(context: FileContext, { key, parameters = [] }: Entry, schema: KeySchema, scope: Scope): void {
  const words = (schema.parameters ?? []).map((one) => one.name);
  for (const one of parameters) {
    const isName = one.kind === 'name';
    if (isName && words.includes(one.text)) continue;
    if (schema.sizes !== undefined && (!isName || words.length === 0 || context.names.has(one.text)))
      linkValue(context, one, scope);
    else if (isName) unknown(context, one, key.text === 'overlap' ? 'group' : 'number format', words);
  }
}

/** Switches of a cluster or node: names for the links of the block and of the nodes in it. */
function declareSwitches(
  context: FileContext,
  items: Items,
  scope: Scope,
  owner: string | undefined,
): ReadonlyMap<string, string> {
  const locals = new Map(scope.locals);
  const own = new Map<string, Place>();
  for (const item of items) {
    if (item.kind !== 'entry' || item.key.text !== 'switch' || item.body === undefined) continue;
    const { name } = item;
    if (name === undefined || name.end <= name.start) continue;
    const earlier = own.get(name.text);
    if (earlier !== undefined) {
      const related = [{ place: earlier, message: 'First declared here.' }];
      context.report.report('name/duplicate', name, { kind: 'switch', name: name.text }, { related });
      continue;
    }
    const id = `switch:${owner ?? ''}/${item.first}/${name.text}`;
    const place = context.report.place(name);
    own.set(name.text, place);
    const extent = context.report.place(item);
    const { doc } = item;
    context.symbols.set(id, {
      id,
      name: name.text,
      kind: 'switch',
      container: owner,
      declaration: place,
      extent,
      doc,
    });
    referTo(context, place, id);
    locals.set(name.text, id);
  }
  return locals;
}

function withParameters(
  context: FileContext,
  entry: Entry,
  scope: Scope,
  owner: string | undefined,
): ReadonlyMap<string, string> {
  const locals = new Map(scope.locals);
  for (const one of entry.parameters ?? []) {
    if (one.kind !== 'name') {
      linkValue(context, one, scope);
      continue;
    }
    const id = `parameter:${owner ?? ''}/${entry.first}/${one.text}`;
    const of = entry.key.text === 'row' ? 'Number of the device, from 0.' : 'Number of the stage, from 0.';
    const declaration = context.report.place(one);
    context.symbols.set(id, { id, name: one.text, kind: 'parameter', container: owner, declaration, doc: of });
    referTo(context, declaration, id);
    locals.set(one.text, id);
  }
  return locals;
}

/** Links an expression that stands for a number, a link, a range or a list of them. */
function linkValue(context: FileContext, expression: Expression | undefined, scope: Scope): void {
  if (expression !== undefined) linkExpression(context, expression, undefined, scope, 0);
}

/** `schema` undefined: any value. */
function linkExpression(
  context: FileContext,
  expression: Expression,
  schema: ValueSchema | undefined,
  scope: Scope,
  depth: number,
): void {
  if (depth > deepest) return;
  // Nearly all values are quantities: they do without the closures below.
  if (expression.kind === 'quantity') checkUnit(context, expression);
  else linkComposed(context, expression, schema, scope, depth);
}

function linkComposed(
  context: FileContext,
  expression: Exclude<Expression, Quantity>,
  schema: ValueSchema | undefined,
  scope: Scope,
  depth: number,
): void {
  const inner = (one: Expression) => linkExpression(context, one, schema, scope, depth + 1);
  const value = (one: Expression) => linkExpression(context, one, undefined, scope, depth + 1);
  switch (expression.kind) {
    case 'missing':
    case 'string':
      return;
    case 'group':
      return inner(expression.inner);
    case 'list':
      return expression.items.forEach((one) => inner(one));
    case 'unary':
      return value(expression.operand);
    case 'binary':
      value(expression.left);
      return value(expression.right);
    case 'range':
      value(expression.from);
      return value(expression.to);
    case 'name':
      return linkName(context, expression, schema, scope);
    case 'index':
      linkTarget(context, expression.target, schema, scope);
      return expression.arguments.forEach((one) => value(one.value));
    case 'call':
      return linkCall(context, expression, schema, scope, depth);
  }
}

function checkUnit(context: FileContext, quantity: Quantity): void {
  if (findUnit(quantity.unit) !== undefined) return;
  const near = nearestUnit(quantity.unit);
  const token = context.syntax.tokens[quantity.last];
  const digits = token === undefined ? '' : token.text.slice(0, token.text.length - quantity.unit.length);
  context.report.report(
    'syntax/unit',
    quantity,
    { text: `Unknown unit "${quantity.unit}".${near === undefined ? '' : ` Did you mean "${near}"?`}` },
    { hint: spellingHint(near === undefined ? undefined : digits + near) },
  );
}

const contexts: Partial<Record<ValueSchema['kind'], FunctionContext>> = {
  cut: 'cut',
  schedule: 'schedule',
  shape: 'shape',
  source: 'source',
  system: 'system',
  optimizer: 'optimizer',
  placement: 'placement',
  transfer: 'transfer',
  workerSync: 'workerSync',
  gradientSync: 'gradientSync',
  fill: 'fill',
  order: 'order',
  operations: 'operations',
};

/** Words that may stand alone in a value of this schema. */
export function wordsOf(schema: ValueSchema): readonly string[] {
  if (schema.kind === 'words') return schema.words.map((one) => one.name);
  if (schema.kind === 'quantity') return (schema.words ?? []).map((one) => one.name);
  if (schema.kind === 'placement') return ['linear', 'loop', 'v_shape', 'wave', 'bidirectional'];
  return [];
}

function linkName(context: FileContext, name: Name, schema: ValueSchema | undefined, scope: Scope): void {
  switch (schema?.kind) {
    case 'any':
      return;
    case 'words':
    case 'placement': {
      const words = wordsOf(schema);
      if (!words.includes(name.text)) unknown(context, name, 'value', words);
      return;
    }
    case 'quantity':
      if (wordsOf(schema).includes(name.text)) return;
      return linkPlain(context, name, scope, wordsOf(schema));
    case 'layers':
      return linkTarget(context, name, schema, scope);
    case 'name':
      return linkDeclaration(context, name, schema.of);
    case 'schedule': {
      const own = context.names.get(name.text);
      const builtIn = findFunction('schedule', name.text) !== undefined;
      if (own?.kind === 'schedule' || (own !== undefined && !builtIn))
        return linkDeclaration(context, name, 'schedule');
      return linkFunction(context, name, 'schedule', 'policy');
    }
    case 'optimizer':
      return linkFunction(context, name, 'optimizer', 'optimizer');
    case 'source':
      return findFunction('source', name.text) === undefined || context.names.has(name.text)
        ? linkDeclaration(context, name, 'model')
        : linkFunction(context, name, 'source', 'source of layers');
    case 'system':
      return linkFunction(context, name, 'system', 'source of a device');
    case 'transfer':
      return linkFunction(context, name, 'transfer', 'transfer');
    case 'workerSync':
    case 'gradientSync':
      return linkFunction(context, name, schema.kind, 'way to synchronise');
    case 'fill':
      return linkDeclaration(context, name, 'model');
    case 'cut':
    case 'order':
    case 'shape':
      if (functionNames(contexts[schema.kind] ?? 'value').includes(name.text)) {
        linkFunction(context, name, contexts[schema.kind] ?? 'value', 'function');
        return;
      }
      return linkPlain(context, name, scope);
    default:
      return linkPlain(context, name, scope);
  }
}

function linkPlain(context: FileContext, name: Name, scope: Scope, words: readonly string[] = []): void {
  const local = scope.locals?.get(name.text);
  if (local !== undefined) return refer(context, name, local);
  const own = context.names.get(name.text);
  if (own !== undefined) return refer(context, name, own.id);
  unknown(context, name, 'name', candidates(context, words, scope));
}

/** Made while they are looked at: most unknown names of a file with many are given no suggestion. */
function* candidates(context: FileContext, words: readonly string[], { locals }: Scope): Generator<string> {
  yield* words;
  if (locals !== undefined) yield* locals.keys();
  yield* namesOf(context, 'let');
  yield* namesOf(context, 'param');
}

const byKind = new WeakMap<FileContext['names'], { readonly size: number; readonly names: Map<string, string[]> }>();

/** Names of a kind. The names of a file are sorted by kind once: to filter them for each unknown name would be quadratic. */
function namesOf({ names }: FileContext, kind: SymbolInfo['kind']): readonly string[] {
  const known = byKind.get(names);
  if (known?.size === names.size) return known.names.get(kind) ?? [];
  const sorted = new Map<string, string[]>();
  for (const [name, info] of names) {
    const same = sorted.get(info.kind) ?? [];
    sorted.set(info.kind, same);
    same.push(name);
  }
  byKind.set(names, { size: names.size, names: sorted });
  return sorted.get(kind) ?? [];
}

/** A name that must be a declaration of one kind. */
export function linkDeclaration(context: FileContext, name: Name, kind: SymbolInfo['kind']): void {
  const own = context.names.get(name.text);
  if (own === undefined) return unknown(context, name, kind, namesOf(context, kind));
  refer(context, name, own.id);
  if (own.kind !== kind) {
    context.report.report('type/mismatch', name, { expected: `a ${kind}`, found: `the ${own.kind} "${name.text}"` });
  }
}

/** The name before `[…]`, or a bare layer. */
function linkTarget(context: FileContext, name: Name, schema: ValueSchema | undefined, scope: Scope): void {
  switch (schema?.kind) {
    case 'any':
      return;
    case 'layers': {
      if (scope.layers === undefined) return;
      const layer = scope.layers.get(name.text);
      if (layer !== undefined) return refer(context, name, layer.id);
      return unknown(
        context,
        name,
        'layer',
        scope.layers.keys(),
        scope.modelName === undefined ? undefined : `model "${scope.modelName}"`,
      );
    }
    case 'devices':
      return linkBuiltIn(context, name, ['gpu', 'node'], 'device');
    case 'operations':
      return linkBuiltIn(context, name, ['F', 'B', 'I', 'W'], 'operation');
    default: {
      const own = context.names.get(name.text);
      if (own !== undefined) refer(context, name, own.id);
      else unknown(context, name, 'name', []);
    }
  }
}

const builtInDocs: Readonly<Record<string, string>> = {
  gpu: 'Devices of the cluster, by running number over all nodes.',
  node: 'Nodes of the cluster, from 0.',
  F: 'Forward pass of one microbatch.',
  B: 'Whole backward pass of one microbatch.',
  I: 'Input gradient of one microbatch: the part of the backward that the stage before waits for.',
  W: 'Weight gradient of one microbatch: the part of the backward that nothing waits for.',
};

function linkBuiltIn(context: FileContext, name: Name, allowed: readonly string[], kind: string): void {
  if (!allowed.includes(name.text)) return unknown(context, name, kind, allowed);
  const id = symbolId('variable', name.text);
  if (!context.symbols.has(id))
    context.symbols.set(id, { id, name: name.text, kind: 'variable', doc: builtInDocs[name.text] });
  refer(context, name, id);
}

function linkCall(
  context: FileContext,
  call: Call,
  schema: ValueSchema | undefined,
  scope: Scope,
  depth: number,
): void {
  if (schema?.kind === 'any') return;
  const where = (schema === undefined ? undefined : contexts[schema.kind]) ?? 'value';
  const own = where === 'schedule' ? context.names.get(call.callee.text) : undefined;
  if (own?.kind === 'schedule') refer(context, call.callee, own.id);
  else if (own === undefined || findFunction(where, call.callee.text) !== undefined || where !== 'schedule') {
    const nouns: Partial<Record<FunctionContext, string>> = {
      schedule: 'policy',
      shape: 'shape',
      source: 'source of layers',
      system: 'source of a device',
      optimizer: 'optimizer',
      transfer: 'transfer',
      workerSync: 'way to synchronise',
      gradientSync: 'way to synchronise',
    };
    linkFunction(context, call.callee, where, nouns[where] ?? 'function');
  } else linkDeclaration(context, call.callee, 'schedule');
  // Its arguments are read as they are written, before names have a meaning.
  if (where === 'source' || where === 'system') return;
  const known = findFunction(where, call.callee.text);
  call.arguments.forEach((argument, index) => {
    const parameter =
      argument.name === undefined
        ? known?.parameters[known.rest ? Math.min(index, known.parameters.length - 1) : index]
        : known?.parameters.find((one) => one.name === argument.name?.text);
    const value = argument.value;
    // A word of the parameter is no name; an argument of an unknown function may be one.
    if (value.kind === 'name' && (parameter?.words?.includes(value.text) || known === undefined)) return;
    // That there is no such parameter is told where the call is read.
    const stray = argument.name !== undefined && parameter === undefined;
    if (value.kind === 'name' && stray && !context.names.has(value.text)) return;
    if (value.kind === 'name' && parameter?.words !== undefined && !context.names.has(value.text)) {
      return unknown(context, value, 'value', parameter.words);
    }
    if (where === 'order' && schema !== undefined) return linkKinds(context, value);
    if (where === 'fill' && value.kind === 'name') return linkDeclaration(context, value, 'model');
    linkExpression(
      context,
      value,
      where === 'operations' ? operationArgument(call, index, schema) : undefined,
      scope,
      depth + 1,
    );
  });
}

/** `repeat(n, …)` starts with a number. */
const operationArgument = (call: Call, index: number, schema: ValueSchema | undefined): ValueSchema | undefined =>
  call.callee.text === 'repeat' && index === 0 ? undefined : schema;

/** `[I, F, W]`. */
function linkKinds(context: FileContext, value: Expression): void {
  for (const one of value.kind === 'list' ? value.items : [value]) {
    if (one.kind === 'name') linkBuiltIn(context, one, ['F', 'B', 'I', 'W'], 'operation');
  }
}

function linkFunction(context: FileContext, name: Name, where: FunctionContext, noun: string): void {
  const found = findFunction(where, name.text);
  if (found === undefined) {
    const own = where === 'schedule' ? namesOf(context, 'schedule') : [];
    return unknown(context, name, noun, [...functionNames(where), ...own]);
  }
  const kind = where === 'schedule' ? 'policy' : 'function';
  const id = kind === 'policy' ? symbolId(kind, name.text) : functionId(found);
  if (!context.symbols.has(id))
    context.symbols.set(id, { id, name: name.text, kind, doc: found.doc, detail: signature(name.text, found) });
  refer(context, name, id);
}

const signature = (name: string, { parameters, rest }: NonNullable<ReturnType<typeof findFunction>>): string =>
  parameters.length === 0
    ? name
    : `${name}(${parameters.map((one) => (one.default === undefined ? one.name : `${one.name} = ${one.default}`)).join(', ')}${rest ? ', …' : ''})`;

function linkExpect(context: FileContext, block: BlockDeclaration): void {
  if (block.name !== undefined) linkDeclaration(context, block.name, 'pipeline');
  const stages = block.name === undefined ? undefined : context.members.get(symbolId('pipeline', block.name.text));
  for (const item of block.body?.entries ?? []) {
    if (item.kind !== 'check') continue;
    const { condition } = item;
    if (condition.kind !== 'binary') {
      if (condition.kind === 'name') linkFigure(context, condition);
      continue;
    }
    for (const side of [condition.left, condition.right]) linkSide(context, side, stages);
  }
}

/** One side of a comparison: a figure, or a value. */
function linkSide(context: FileContext, side: Expression, stages: ReadonlyMap<string, SymbolInfo> | undefined): void {
  if (side.kind === 'group') return linkSide(context, side.inner, stages);
  if (side.kind === 'name' && !context.names.has(side.text)) return linkFigure(context, side);
  if (side.kind !== 'call' || findFunction('value', side.callee.text) !== undefined)
    return linkValue(context, side, noScope);
  linkFigure(context, side.callee);
  for (const { name, value } of side.arguments) {
    if (name?.text === 'stage' && value.kind === 'name') {
      const stage = stages?.get(value.text);
      if (stage !== undefined) refer(context, value, stage.id);
      else if (stages !== undefined && !context.names.has(value.text)) unknown(context, value, 'stage', stages.keys());
      else if (context.names.has(value.text)) linkValue(context, value, noScope);
    } else linkValue(context, value, noScope);
  }
}

function linkFigure(context: FileContext, name: Name): void {
  const found = findFigure(name.text);
  if (found === undefined)
    return unknown(
      context,
      name,
      'figure',
      figures.map((one) => one.name),
    );
  const id = symbolId('variable', name.text);
  if (!context.symbols.has(id)) context.symbols.set(id, { id, name: name.text, kind: 'variable', doc: found.doc });
  refer(context, name, id);
}

function unknown(context: FileContext, name: Name, kind: string, candidates: Iterable<string>, where?: string): void {
  if (name.end <= name.start) return;
  const mayBeImported = ['name', 'device', 'cluster', 'model', 'pipeline', 'policy'].includes(kind);
  if (mayBeImported && (context.incomplete || context.broken.has(name.text))) return;
  const near = context.report.nearest(name.text, candidates);
  context.report.report(
    'name/unknown',
    name,
    { kind, name: name.text, nearest: near, where },
    { hint: spellingHint(near) },
  );
}
