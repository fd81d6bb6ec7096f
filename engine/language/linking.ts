/** Gives each name of a file its meaning, by the schema of the key around it. Reports unknown names and units, each once. */
import { spellingHint } from '../findings/reporter.ts';
import type { BlockDeclaration, Call, Entry, Expression, Name, Quantity } from '../../grammar/syntax.ts';
import { type FileContext, refer, referTo, symbolId } from './context.ts';
import { findFigure, figures } from './figures.ts';
import { findFunction, functionId, functionNames } from './functions.ts';
import { functionContext, operations, valueKindOf, type FunctionContext, type Targets } from './kinds.ts';
import {
  blocks,
  declaredIn,
  dimensionIn,
  keysOf,
  wordsOf,
  type BlockName,
  type KeySchema,
  type ValueSchema,
} from './schema.ts';
import type { Dimension, Place } from '../plan.ts';
import type { SymbolInfo } from './resolution.ts';
import { countsLike, findUnit, nearestUnit, unitsLike } from './units.ts';

/** What names may mean in addition to the names of the file: parameters and variables of a schedule, members of a model. */
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
  if (keyword === 'schedule') scope = { locals: scheduleLocals(context, id) };
  if (keyword === 'pipeline') scope = modelScope(context, block);
  linkEntries(context, keyword, block.body.entries, scope, id);
}

/** Names that a schedule's expressions are given: counts of the pipeline that uses it. */
export const variableDocs: Readonly<Record<string, string>> = {
  stages: 'Number of stages of the pipeline, counting each chunk of a device.',
  devices: 'Number of pipeline ranks.',
  microbatches: 'Microbatches of one iteration.',
};

/** The given names, and those that the schedule itself declares. */
function scheduleLocals(context: FileContext, schedule: string | undefined): ReadonlyMap<string, string> {
  const locals = new Map<string, string>();
  for (const [name, doc] of Object.entries(variableDocs)) {
    const id = symbolId('variable', name);
    if (!context.symbols.has(id)) context.symbols.set(id, { id, name, kind: 'variable', doc });
    locals.set(name, id);
  }
  const members = schedule === undefined ? undefined : context.members.get(schedule);
  for (const [name, { id }] of members ?? []) locals.set(name, id);
  return locals;
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
    const { parameters, index, ends, values, range, step, condition } = item;
    if (key.parameters !== undefined) linkWords(context, item, key, scope);
    const named = parameters !== undefined && key.parameters === undefined;
    const inner = named ? { ...scope, locals: withParameters(context, item, scope, owner) } : scope;
    if (index !== undefined) for (const expression of index) linkValue(context, expression, inner);
    if (ends !== undefined) for (const end of ends) linkExpression(context, end, { kind: 'devices' }, inner, 0);
    if (values !== undefined) for (const value of values) linkExpression(context, value, key.value, inner, 0);
    for (const part of [range, step, condition]) linkValue(context, part, inner);
    if (item.body !== undefined && key.block !== undefined)
      linkEntries(context, key.block, item.body.entries, inner, owner, depth + 1);
  }
}

/** `compute(fp8)`, `efficiency(fp8, 16GFLOP)`: the parentheses hold a word of the key, or a value if the key takes sizes. */
function linkWords(context: FileContext, { key, parameters = [] }: Entry, schema: KeySchema, scope: Scope): void {
  const words = (schema.parameters ?? []).map((parameter) => parameter.name);
  for (const parameter of parameters) {
    const isName = parameter.kind === 'name';
    if (isName && words.includes(parameter.text)) continue;
    if (schema.sizes !== undefined && (!isName || words.length === 0 || context.names.has(parameter.text)))
      linkValue(context, parameter, scope);
    else if (isName) unknown(context, parameter, key.text === 'overlap' ? 'group' : 'number format', words);
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
  const declared = new Map<string, Place>();
  for (const item of items) {
    if (item.kind !== 'entry' || item.key.text !== 'switch' || item.body === undefined) continue;
    const { name } = item;
    if (name === undefined || name.end <= name.start) continue;
    const earlier = declared.get(name.text);
    if (earlier !== undefined) {
      const related = [{ place: earlier, message: 'First declared here.' }];
      context.report.report('name/duplicate', name, { kind: 'switch', name: name.text }, { related });
      continue;
    }
    const id = `switch:${owner ?? ''}/${item.first}/${name.text}`;
    const place = context.report.place(name);
    declared.set(name.text, place);
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
  for (const parameter of entry.parameters ?? []) {
    if (parameter.kind !== 'name') {
      linkValue(context, parameter, scope);
      continue;
    }
    const id = `parameter:${owner ?? ''}/${entry.first}/${parameter.text}`;
    declareParameter(context, parameter, id, owner, parameterDoc(entry));
    locals.set(parameter.text, id);
  }
  return locals;
}

const parameterDoc = ({ key, name }: Entry): string => {
  if (key.text === 'let') return `Parameter of \`${name?.text ?? ''}\`.`;
  return key.text === 'row' ? 'Number of the device, from 0.' : 'Number of the stage, from 0.';
};

function declareParameter(
  context: FileContext,
  name: Name,
  id: string,
  container: string | undefined,
  doc: string,
): void {
  const declaration = context.report.place(name);
  context.symbols.set(id, { id, name: name.text, kind: 'parameter', container, declaration, doc });
  referTo(context, declaration, id);
  context.links.set(name, id);
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
  if (expression.kind === 'quantity') checkUnit(context, expression, dimensionIn(schema, 'first'));
  else linkComposed(context, expression, schema, scope, depth);
}

function linkComposed(
  context: FileContext,
  expression: Exclude<Expression, Quantity>,
  schema: ValueSchema | undefined,
  scope: Scope,
  depth: number,
): void {
  const inner = (nested: Expression) => linkExpression(context, nested, schema, scope, depth + 1);
  const value = (nested: Expression) => linkExpression(context, nested, undefined, scope, depth + 1);
  switch (expression.kind) {
    case 'missing':
    case 'string':
      return;
    case 'group':
      return inner(expression.inner);
    case 'list':
      return expression.items.forEach((item) => inner(item));
    case 'unary':
      return value(expression.operand);
    case 'binary':
      value(expression.left);
      return value(expression.right);
    case 'range':
      value(expression.from);
      value(expression.to);
      return expression.step === undefined ? undefined : value(expression.step);
    case 'name':
      return linkName(context, expression, schema, scope);
    case 'index':
      linkTarget(context, expression.target, schema, scope);
      return expression.arguments.forEach((argument) => value(argument.value));
    case 'call':
      return linkCall(context, expression, schema, scope, depth);
  }
}

/** `dimension`: what the key takes, if that is one dimension. Units of it are suggested rather than others that are spelled alike. */
function checkUnit(context: FileContext, quantity: Quantity, dimension: Dimension | undefined): void {
  if (findUnit(quantity.unit) !== undefined) return;
  const nearest = nearestUnit(quantity.unit);
  const fits = dimension === undefined || nearest === undefined || findUnit(nearest)?.dimension === dimension;
  const token = context.syntax.tokens[quantity.last];
  const digits = token === undefined ? '' : token.text.slice(0, token.text.length - quantity.unit.length);
  if (dimension === 'number') return noUnit(context, quantity);
  const near = fits ? (nearest === undefined ? [] : [nearest]) : unitsLike(quantity.unit, dimension).slice(0, 2);
  context.report.report(
    'syntax/unit',
    quantity,
    {
      text: `Unknown unit "${quantity.unit}".${near.length === 0 ? '' : ` Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`}`,
    },
    near.length === 0 ? {} : { hint: { kind: 'spelling', suggestions: near.map((name) => digits + name) } },
  );
}

/** `8K` where a plain number is expected. */
function noUnit(context: FileContext, quantity: Quantity): void {
  const suggestions = countsLike(quantity.value, quantity.unit).map(String);
  const meant = suggestions.length === 0 ? '' : ` Did you mean ${suggestions.join(' or ')}?`;
  const text = `Unknown unit "${quantity.unit}". This is a plain number.${meant}`;
  context.report.report(
    'syntax/unit',
    quantity,
    { text },
    suggestions.length === 0 ? {} : { hint: { kind: 'spelling', suggestions } },
  );
}

function linkName(context: FileContext, name: Name, schema: ValueSchema | undefined, scope: Scope): void {
  const row = valueKindOf(schema);
  const where = functionContext(schema);
  const words = wordsOf(schema).map((word) => word.name);
  switch (row.names) {
    case 'nothing':
      return;
    case 'word': {
      const known = [...words, ...(where === 'value' ? [] : functionNames(where))];
      if (!known.includes(name.text)) unknown(context, name, 'value', known);
      return;
    }
    case 'word or number':
      return words.includes(name.text) ? undefined : linkNumber(context, name, scope, words);
    case 'layer':
      return linkTarget(context, name, schema, scope);
    case 'function':
      return linkFunction(context, name, schema);
    case 'function or number':
      return findFunction(where, name.text) === undefined
        ? linkNumber(context, name, scope)
        : linkFunction(context, name, schema);
    case 'declaration':
      return linkDeclared(context, name, schema);
    case 'declaration or function':
      return namesDeclaration(context, name, schema)
        ? linkDeclared(context, name, schema)
        : linkFunction(context, name, schema);
    case 'declaration, no function':
      return findFunction(where, name.text) === undefined || context.names.has(name.text)
        ? linkDeclared(context, name, schema)
        : linkFunction(context, name, schema);
  }
}

/** Whether a name that declarations and functions share means a declaration, be it one of the wrong kind. */
function namesDeclaration(context: FileContext, name: Name, schema: ValueSchema | undefined): boolean {
  const declared = context.names.get(name.text);
  if (declared === undefined) return false;
  return declared.kind === declaredIn(schema) || findFunction(functionContext(schema), name.text) === undefined;
}

function linkDeclared(context: FileContext, name: Name, schema: ValueSchema | undefined): void {
  const kind = declaredIn(schema);
  if (kind !== undefined) linkDeclaration(context, name, kind);
}

function linkNumber(context: FileContext, name: Name, scope: Scope, words: readonly string[] = []): void {
  const local = scope.locals?.get(name.text);
  if (local !== undefined) return refer(context, name, local);
  const declared = context.names.get(name.text);
  if (declared !== undefined) return refer(context, name, declared.id);
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
  const declared = context.names.get(name.text);
  if (declared === undefined) return unknown(context, name, kind, namesOf(context, kind));
  refer(context, name, declared.id);
  if (declared.kind !== kind) {
    context.report.report('type/mismatch', name, {
      expected: `a ${kind}`,
      found: `the ${declared.kind} "${name.text}"`,
    });
  }
}

/** The name before `[…]`, or a bare layer. */
function linkTarget(context: FileContext, name: Name, schema: ValueSchema | undefined, scope: Scope): void {
  const { names, targets } = valueKindOf(schema);
  if (names === 'nothing') return;
  if (names === 'layer') return linkLayer(context, name, scope);
  if (targets !== undefined) return linkBuiltIn(context, name, targets);
  const declared = context.names.get(name.text);
  if (declared !== undefined) refer(context, name, declared.id);
  else unknown(context, name, 'name', []);
}

function linkLayer(context: FileContext, name: Name, { layers, modelName }: Scope): void {
  if (layers === undefined) return;
  const layer = layers.get(name.text);
  if (layer !== undefined) return refer(context, name, layer.id);
  unknown(context, name, 'layer', layers.keys(), modelName === undefined ? undefined : `model "${modelName}"`);
}

function linkBuiltIn(context: FileContext, name: Name, { noun, names }: Targets): void {
  const found = names.find((target) => target.name === name.text);
  if (found === undefined)
    return unknown(
      context,
      name,
      noun,
      names.map((target) => target.name),
    );
  const id = symbolId('variable', name.text);
  if (!context.symbols.has(id)) context.symbols.set(id, { id, name: name.text, kind: 'variable', doc: found.doc });
  refer(context, name, id);
}

function linkCall(
  context: FileContext,
  call: Call,
  schema: ValueSchema | undefined,
  scope: Scope,
  depth: number,
): void {
  const row = valueKindOf(schema);
  if (row.names === 'nothing') return;
  const local = scope.locals?.get(call.callee.text);
  if (local !== undefined) {
    refer(context, call.callee, local);
    for (const argument of call.arguments) linkExpression(context, argument.value, undefined, scope, depth + 1);
    return;
  }
  if (row.arguments === 'items' && call.callee.text === 'each') return linkEach(context, call, schema, scope, depth);
  const shared = row.names === 'declaration or function' && namesDeclaration(context, call.callee, schema);
  if (shared) linkDeclared(context, call.callee, schema);
  else linkFunction(context, call.callee, schema);
  // Texts are read as they are written, before names have a meaning.
  if (row.arguments === 'unread') return;
  const members = shared ? membersNamed(context, call.callee.text) : undefined;
  const known = findFunction(callContext(schema, call.callee.text), call.callee.text);
  call.arguments.forEach((argument, index) => {
    const parameter =
      argument.name === undefined
        ? known?.parameters[known.rest ? Math.min(index, known.parameters.length - 1) : index]
        : known?.parameters.find((functionParameter) => functionParameter.name === argument.name?.text);
    const value = argument.value;
    const member = argument.name === undefined ? undefined : members?.get(argument.name.text);
    if (member?.kind === 'param' && argument.name !== undefined) refer(context, argument.name, member.id);
    // A word of the parameter is no name; an argument of an unknown function may be one.
    if (value.kind === 'name' && (parameter?.words?.includes(value.text) || known === undefined)) return;
    // That there is no such parameter is told where the call is read.
    const stray = argument.name !== undefined && parameter === undefined;
    if (value.kind === 'name' && stray && !context.names.has(value.text)) return;
    if (value.kind === 'name' && parameter?.words !== undefined && !context.names.has(value.text)) {
      return unknown(context, value, 'value', parameter.words, undefined, parameter.words);
    }
    if (row.arguments === 'operation kinds') return linkKinds(context, value);
    if (row.arguments === 'declarations' && value.kind === 'name') return linkDeclared(context, value, schema);
    const items =
      row.arguments === 'items' && known?.context === functionContext(schema)
        ? operationArgument(call, index, schema)
        : undefined;
    linkExpression(context, value, items, scope, depth + 1);
  });
}

/** What a declaration that arguments are given to declares: parameters of a schedule. */
function membersNamed(context: FileContext, name: string): ReadonlyMap<string, SymbolInfo> | undefined {
  const declared = context.names.get(name);
  return declared === undefined ? undefined : context.members.get(declared.id);
}

/** `each(j in 0..<n, F[j])`: the range knows the names around it, the operations also know `j`. */
function linkEach(
  context: FileContext,
  call: Call,
  schema: ValueSchema | undefined,
  scope: Scope,
  depth: number,
): void {
  linkFunction(context, call.callee, schema);
  let inner = scope;
  for (const { name, value, binds } of call.arguments) {
    linkExpression(context, value, binds === true ? undefined : schema, inner, depth + 1);
    if (binds !== true || name === undefined || name.end <= name.start) continue;
    const id = `parameter:each/${name.first}/${name.text}`;
    declareParameter(context, name, id, undefined, 'Takes each number of the range, in order.');
    inner = { ...inner, locals: new Map(inner.locals).set(name.text, id) };
  }
}

/** Which functions a call may name: functions of any expression too, if they mix. */
function callContext(schema: ValueSchema | undefined, name: string): FunctionContext {
  const { inExpressions, arguments: each } = valueKindOf(schema);
  const own = functionContext(schema);
  // In a schedule operations and numbers are written in one place.
  if (each === 'items') return findFunction(own, name) === undefined && findFunction('value', name) ? 'value' : own;
  return inExpressions === true ? 'value' : own;
}

/** Functions whose first argument is a number or a condition. */
const beginsWithValue: readonly string[] = ['repeat', 'take', 'drop', 'if'];

const operationArgument = (call: Call, index: number, schema: ValueSchema | undefined): ValueSchema | undefined =>
  index === 0 && beginsWithValue.includes(call.callee.text) ? undefined : schema;

/** `[I, F, W]`. */
function linkKinds(context: FileContext, value: Expression): void {
  for (const expression of value.kind === 'list' ? value.items : [value]) {
    if (expression.kind === 'name') linkBuiltIn(context, expression, operations);
  }
}

function linkFunction(context: FileContext, name: Name, schema: ValueSchema | undefined): void {
  const where = callContext(schema, name.text);
  const { names, functions: noun = 'function', symbols: kind = 'function' } = valueKindOf(schema);
  const found = findFunction(where, name.text);
  if (found === undefined) {
    const declares = names === 'declaration or function' ? declaredIn(schema) : undefined;
    const declared = declares === undefined ? [] : namesOf(context, declares);
    return unknown(context, name, noun, [...functionNames(where), ...declared]);
  }
  const id = kind === 'policy' ? symbolId(kind, name.text) : functionId(found);
  if (!context.symbols.has(id))
    context.symbols.set(id, { id, name: name.text, kind, doc: found.doc, detail: signature(name.text, found) });
  refer(context, name, id);
}

const signature = (name: string, { parameters, rest }: NonNullable<ReturnType<typeof findFunction>>): string =>
  parameters.length === 0
    ? name
    : `${name}(${parameters.map((parameter) => (parameter.default === undefined ? parameter.name : `${parameter.name} = ${parameter.default}`)).join(', ')}${rest ? ', …' : ''})`;

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
      figures.map((figure) => figure.name),
    );
  const id = symbolId('variable', name.text);
  if (!context.symbols.has(id)) context.symbols.set(id, { id, name: name.text, kind: 'variable', doc: found.doc });
  refer(context, name, id);
}

function unknown(
  context: FileContext,
  name: Name,
  kind: string,
  candidates: Iterable<string>,
  where?: string,
  /** All words that are allowed there, where they are few. */
  words?: readonly string[],
): void {
  if (name.end <= name.start) return;
  const mayBeImported = ['name', 'device', 'cluster', 'model', 'pipeline', 'policy'].includes(kind);
  if (mayBeImported && (context.incomplete || context.broken.has(name.text))) return;
  const near = context.report.nearest(name.text, candidates);
  context.report.report(
    'name/unknown',
    name,
    { kind, name: name.text, nearest: near, where, words },
    { hint: spellingHint(near) },
  );
}
