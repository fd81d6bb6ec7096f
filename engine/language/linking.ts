/** Gives each name of a file its meaning, by the schema of the key around it. Reports unknown names and units, each once. */
import { table } from '../basics/table.ts';
import type { BlockDeclaration, Entry, Expression } from '../../grammar/syntax.ts';
import { type FileContext, refer, referTo, symbolId } from './context.ts';
import { isFigure } from './figureEntry.ts';
import { linkExpect } from './linkExpect.ts';
import { linkSearch } from './linkSearch.ts';
import { linkExpression, linkKinds, linkValue, refersToDeclared } from './linkExpressions.ts';
import { unknown } from './unknownNames.ts';
import { blocks, keysOf, type BlockName, type KeySchema } from './schema.ts';
import {
  declareParameter,
  declareVariable,
  deepest,
  localId,
  type Locals,
  noScope,
  scheduleLocals,
  type Scope,
  withLocals,
} from './scopes.ts';
import type { Place } from '../values/plan.ts';
import type { SymbolInfo } from './resolution.ts';

/** Links all declarations of the file; pauses after each. */
export function* linkFile(context: FileContext): Generator<void, void> {
  for (const declaration of context.declarations) {
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
  if (keyword === 'search') return linkSearch(context, block);
  let scope: Scope = noScope;
  const id = block.name === undefined ? undefined : symbolId(keyword as SymbolInfo['kind'], block.name.text);
  if (keyword === 'model')
    scope = { layers: id === undefined ? undefined : context.members.get(id), modelName: block.name?.text };
  if (keyword === 'schedule')
    scope = { locals: scheduleLocals(context, id), ...(context.open.has(id ?? '') ? { open: true } : {}) };
  if (keyword === 'pipeline') scope = modelScope(context, block);
  const isKnown = context.names.get(block.name?.text ?? '')?.declaration?.start === block.name?.start;
  const around = id !== undefined && isKnown ? { ...scope, around: { id, first: block.first } } : scope;
  linkEntries(context, keyword, block.body.entries, around, id);
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
  // Such an entry is reported, and what uses it as a name is no second mistake.
  for (const item of block === 'schedule' ? items : [])
    if (item.kind === 'entry' && item.values !== undefined && !keys.has(item.key.text))
      context.broken.add(item.key.text);
  for (const item of items) {
    if (item.kind !== 'entry') continue;
    const key = keys.get(item.key.text);
    if (key === undefined) continue;
    if (isFigure(item)) {
      linkExpression(context, item.values[0], key.value, scope, 0);
      continue;
    }
    const { parameters, index, ends, values, range, step, condition } = item;
    if (key.parameters !== undefined) linkWords(context, item, key, scope, owner);
    const named = parameters !== undefined && key.parameters === undefined;
    const outer = block === 'operation' ? { ...scope, parametersFor: withParameter(context, item) } : scope;
    const inner = named
      ? { ...outer, locals: withParameters(context, item, key, scope, owner, block === 'operation') }
      : outer;
    if (index !== undefined) for (const expression of index) linkValue(context, expression, inner);
    if (ends !== undefined) for (const end of ends) linkExpression(context, end, { kind: 'devices' }, inner, 0);
    for (const value of values ?? [])
      if (!isFree(item, value, inner)) linkExpression(context, value, key.value, inner, 0);
    for (const part of [range, step, condition]) linkValue(context, part, inner);
    if (item.body !== undefined && key.block !== undefined)
      linkEntries(context, key.block, item.body.entries, inner, owner, depth + 1);
  }
}

/** `compute(fp8)`, `efficiency(fp8, 16GFLOP)`: the parentheses hold a word of the key, or a value if the key takes sizes. */
function linkWords(
  context: FileContext,
  { parameters = [] }: Entry,
  schema: KeySchema,
  scope: Scope,
  owner: string | undefined,
): void {
  const words = (schema.parameters ?? []).map((parameter) => parameter.name);
  const stages =
    schema.stages === true ? (context.members.get(owner ?? '') ?? new Map<string, SymbolInfo>()) : undefined;
  for (const parameter of parameters) {
    const isName = parameter.kind === 'name';
    const stage = isName ? stages?.get(parameter.text) : undefined;
    if (isName && stage !== undefined) {
      refer(context, parameter, stage.id);
      continue;
    }
    if (isName && words.includes(parameter.text)) continue;
    if (schema.sizes !== undefined && (!isName || words.length === 0 || context.names.has(parameter.text)))
      linkValue(context, parameter, scope);
    else if (isName && stages !== undefined) unknown(context, parameter, 'stage', stages.keys());
    else if (isName) unknown(context, parameter, nounOf(schema), words);
  }
}

/** What a name in the parentheses of a key should be. */
function nounOf({ name, sizes }: KeySchema): string {
  if (name === 'overlap') return 'group';
  return sizes === 'number' ? 'name' : 'number format';
}

/** Switches of a cluster or node: names for the links of the block and of the nodes in it. */
function declareSwitches(context: FileContext, items: Items, scope: Scope, owner: string | undefined): Locals {
  const locals = new Map<string, string>();
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
    const id = localId('switch', scope, item, name.text);
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
  return withLocals(scope.locals, locals);
}

function withParameters(
  context: FileContext,
  entry: Entry,
  { leading }: KeySchema,
  scope: Scope,
  owner: string | undefined,
  ofOperation: boolean,
): Locals {
  const locals = new Map<string, string>();
  for (const [index, parameter] of (entry.parameters ?? []).entries()) {
    if (entry.key.text === 'slot' && index === 0) {
      linkKinds(context, parameter, scope, true);
      continue;
    }
    if (index === 0 && leading !== undefined) {
      if (entry.key.text === 'allow' && parameter.kind === 'name' && refersToDeclared(context, parameter, scope))
        continue;
      const words = leading.map(({ name }) => name);
      if (parameter.kind === 'name' && !words.includes(parameter.text)) unknown(context, parameter, 'operation', words);
      continue;
    }
    if (parameter.kind !== 'name') {
      linkValue(context, parameter, scope);
      continue;
    }
    // `row(last)` is reported where it is read: the number of this name is meant.
    const hidden = entry.key.text === 'row' ? scope.locals?.get(parameter.text) : undefined;
    if (hidden !== undefined) context.used.add(hidden);
    const id = localId('parameter', scope, entry, parameter.text);
    // Of a row it is reported where the row is read.
    const declare =
      owner?.startsWith('schedule:') !== true || entry.key.text === 'row' ? declareParameter : declareVariable;
    declare(
      context,
      parameter,
      id,
      owner,
      ofOperation ? (operationParameters[parameter.text] ?? '') : parameterDoc(entry, index, parameter.text),
    );
    locals.set(parameter.text, id);
  }
  return withLocals(scope.locals, locals);
}

const microbatchAt: Readonly<Record<string, number>> = table({ on: 1, slot: 2, time: 2, tokens: 0, documents: 0 });

/** Parameters of the keys of an `operation` go by their names. */
const operationParameters: Readonly<Record<string, string>> = table({
  d: 'Number of the device that runs the operation, from 0.',
  s: 'Number of the stage that the operation belongs to, from 0.',
  j: 'Number of the operation, from 0: `j` in `NAME[j]`.',
});

const parameterDoc = ({ key, name, parameters = [] }: Entry, index: number, text: string): string => {
  if (key.text === 'let') return `Parameter of \`${name?.text ?? ''}\`.`;
  // `slot(loss, j)` of an operation has no stage.
  const isMicrobatch = key.text === 'slot' && index === 1 && parameters.length === 2 && text === 'j';
  if (isMicrobatch || microbatchAt[key.text] === index) return 'Number of the microbatch, from 0.';
  if (key.text === 'time' && index === 3) return 'Number of the part of the sequence, from 0.';
  return ['row', 'prefer', 'limit'].includes(key.text)
    ? 'Number of the device, from 0.'
    : 'Number of the stage, from 0.';
};

const words: Readonly<Record<string, string | undefined>> = table({ slot: 'free', offload: 'host' });

/** `slot(W) = free`, `offload = host`: a word, unless the schedule declares the name. */
const isFree = ({ key }: Entry, value: Expression, { locals }: Scope): boolean =>
  value.kind === 'name' && words[key.text] === value.text && locals?.has(value.text) !== true;

/** Parameters of keys of an operation that do not take the device and the stage alone. */
const parametersOf: Readonly<Record<string, readonly string[] | undefined>> = table({
  after: ['d', 's', 'j'],
  before: ['d', 's', 'j'],
  on: ['s', 'j'],
  time: ['d', 's', 'j'],
});

/** `after = F[j]` is probably `after(j) = F[j]`. */
const withParameter =
  ({ syntax }: FileContext, { key, parameters = [] }: Entry) =>
  (name: string): string | undefined => {
    const known = parametersOf[key.text] ?? ['d', 's'];
    const written = parameters.map(({ start, end }) => syntax.text.slice(start, end));
    return known.includes(name) ? `${key.text}(${[...written, name].join(', ')}) = …` : undefined;
  };
