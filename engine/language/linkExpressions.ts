/** Gives each name of an expression its meaning, by the schema of what is around it. */
import { ruleParameters } from '../exchange/arguments.ts';
import { findPreset } from '../exchange/presets.ts';
import type { Call, Expression, Name, Quantity } from '../../grammar/syntax.ts';
import { checkUnit, takesTokens } from './checkUnit.ts';
import { type FileContext, refer, symbolId } from './context.ts';
import { findFunction, functionId, functionNames, inExpressions, isIn, type FunctionSchema } from './functions.ts';
import {
  functionContext,
  operationMeant,
  operations,
  valueKindOf,
  valueKinds,
  type FunctionContext,
  type Targets,
} from './kinds.ts';
import { declaredIn, dimensionIn, wordsOf, type ValueSchema } from './schema.ts';
import { declareVariable, deepest, localId, type Scope, withLocals } from './scopes.ts';
import { isSequence } from './sequenceForm.ts';
import { policyAdvice, shareMeant, valueElsewhere, valuesMeant } from './otherNames.ts';
import type { SymbolInfo } from './resolution.ts';
import { type Elsewhere, mostListed, reportUnknown, shownCall, unknown, unknownDeclaration } from './unknownNames.ts';

/** Links an expression that stands for a number, a link, a range or a list of them. */
export function linkValue(context: FileContext, expression: Expression | undefined, scope: Scope): void {
  if (expression !== undefined) linkExpression(context, expression, undefined, scope, 0);
}

/** `schema` undefined: any value. */
export function linkExpression(
  context: FileContext,
  expression: Expression,
  schema: ValueSchema | undefined,
  scope: Scope,
  depth: number,
): void {
  if (depth > deepest) return;
  // Nearly all values are quantities: they do without the closures below.
  if (expression.kind === 'quantity') checkUnit(context, expression, dimensionIn(schema, 'first'), takesTokens(schema));
  else linkComposed(context, expression, schema, scope, depth);
}

/** Whether functions of the kind are allowed in every part of a value. */
const isThroughout = ({ throughout, also }: ReturnType<typeof valueKindOf>): boolean =>
  throughout === true || also !== undefined;

function linkComposed(
  context: FileContext,
  expression: Exclude<Expression, Quantity>,
  schema: ValueSchema | undefined,
  scope: Scope,
  depth: number,
): void {
  const inner = (nested: Expression) => linkExpression(context, nested, schema, scope, depth + 1);
  const part = isThroughout(valueKindOf(schema)) ? schema : undefined;
  const value = (nested: Expression) => linkExpression(context, nested, part, scope, depth + 1);
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
      if (linkHyphened(context, expression, schema, scope)) return;
      for (const operand of [expression.left, expression.right]) {
        // `F[0] + B[0]` is wrong, but its names are known.
        if (valueKindOf(schema).targets === operations && isSequence(operand)) inner(operand);
        else value(operand);
      }
      return;
    case 'range':
      value(expression.from);
      value(expression.to);
      return expression.step === undefined ? undefined : value(expression.step);
    case 'name':
      return linkName(context, expression, schema, scope);
    case 'index':
      linkTarget(context, expression.target, schema, scope);
      return expression.arguments.forEach((argument) => {
        if (argument.name?.text !== 'to' || argument.value.kind !== 'name') value(argument.value);
        else if (!namesHost(context, argument.value, scope)) linkNumber(context, argument.value, scope, ['host']);
      });
    case 'call':
      return linkCall(context, expression, schema, scope, depth);
  }
}

/** `model = llama3-8b`, where a declaration is to be: other tools write names with hyphens. Whether it is reported as one name. */
function linkHyphened(
  context: FileContext,
  expression: Expression,
  schema: ValueSchema | undefined,
  scope: Scope,
): boolean {
  const { names } = valueKindOf(schema);
  if (names !== 'declaration' && names !== 'declaration or function') return false;
  const text = context.syntax.text.slice(expression.start, expression.end);
  if (!hyphened.test(text)) return false;
  linkName(context, { ...expression, kind: 'name', text }, schema, scope);
  return true;
}

const hyphened = /^\w+(?:[-.]\w+)+$/;

/** `to = host` of an E: a word, unless the name is a number. A schedule or device with this name is no number. */
const namesHost = ({ names }: FileContext, { text }: Name, { locals }: Scope): boolean =>
  text === 'host' && !['let', 'param'].includes(names.get(text)?.kind ?? '') && locals?.has(text) !== true;

function linkName(context: FileContext, name: Name, schema: ValueSchema | undefined, scope: Scope): void {
  const row = valueKindOf(schema);
  const where = functionContext(schema);
  const words = wordsOf(schema).map((word) => word.name);
  switch (row.names) {
    case 'nothing':
      return;
    case 'word': {
      const known = [...words, ...(where === 'value' ? [] : functionNames(where))];
      if (known.includes(name.text)) return;
      if (words.includes('F') && refersToDeclared(context, name, scope)) return;
      if (refusesDeclared(context, name, scope)) return;
      const meant = valuesMeant(schema?.kind, name.text);
      const shown = [
        ...words,
        ...(where === 'value' ? [] : functionNames(where).map((each) => shownCall(where, each))),
      ];
      return reportUnknown(context, name, 'value', {
        near: () => (meant.length > 0 ? undefined : context.report.nearest(name.text, known)),
        words: shown.length <= mostListed ? shown : undefined,
        suggestions: meant,
      });
    }
    case 'word or number':
      return words.includes(name.text)
        ? undefined
        : linkNumber(context, name, scope, words, row.targets === operations ? operationMeant(name.text) : undefined);
    case 'layer':
      return linkTarget(context, name, schema, scope);
    case 'function':
      return linkFunction(context, name, schema);
    case 'function or number':
      if (isScheduleElsewhere(context, name, schema)) return;
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

/** `order = 1f1b`, which is reported. */
function isScheduleElsewhere(context: FileContext, name: Name, schema: ValueSchema | undefined): boolean {
  const { schedulesIn } = valueKindOf(schema);
  const { text } = name;
  if (schedulesIn === undefined || findFunction('schedule', text) === undefined) return false;
  const expected = `a rule such as \`greedy(prefer = [B, F])\`; to take over a built-in schedule, write \`${schedulesIn} = ${text}\` in the place of \`order\``;
  context.report.report('type/mismatch', name, { expected, found: `\`${text}\`` }, { hint: { kind: 'take-over' } });
  return true;
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

/** `meant`: what the name was probably to be, however it is spelled. */
function linkNumber(
  context: FileContext,
  name: Name,
  scope: Scope,
  words: readonly string[] = [],
  meant?: string,
): void {
  const local = scope.locals?.get(name.text);
  if (local !== undefined) return refer(context, name, local);
  const declared = context.names.get(name.text);
  if (declared !== undefined) return refer(context, name, declared.id);
  if (scope.open === true) return;
  const write = scope.parametersFor?.(name.text);
  reportUnknown(context, name, 'name', {
    write,
    near: () =>
      meant ??
      symbolMeant(name, scope) ??
      innermost(name, scope) ??
      context.report.nearest(name.text, candidates(context, words, scope)),
  });
}

/** For a letter, the letter that was declared last, such as the variable of a loop: all letters are spelled alike. */
function innermost({ text }: Name, { locals }: Scope): string | undefined {
  const last = [...(locals?.keys() ?? [])].at(-1);
  return text.length === 1 && last?.length === 1 ? last : undefined;
}

/** What a letter of formulas is called in a schedule. */
const letterNames = new Map([
  ['p', 'devices'],
  ['m', 'microbatches'],
  ['S', 'stages'],
]);
function symbolMeant({ text }: Name, { locals }: Scope): string | undefined {
  const meant = letterNames.get(text);
  return meant !== undefined && locals?.has(meant) === true ? meant : undefined;
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
export function namesOf({ names }: FileContext, kind: SymbolInfo['kind']): readonly string[] {
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
  if (declared === undefined) return unknownDeclaration(context, name, kind, namesOf(context, kind));
  refer(context, name, declared.id);
  if (declared.kind !== kind) {
    context.report.report('type/mismatch', name, {
      expected:
        kind === 'cluster' && declared.kind === 'device'
          ? `a cluster, such as one with \`gpu[8] = ${name.text}\``
          : `a ${kind}`,
      found: `the ${declared.kind} "${name.text}"`,
    });
  }
}

/** The name before `[…]`, or a bare layer. */
function linkTarget(context: FileContext, name: Name, schema: ValueSchema | undefined, scope: Scope): void {
  const { names, targets } = valueKindOf(schema);
  if (names === 'nothing') return;
  if (names === 'layer') return linkLayer(context, name, scope);
  const local = scope.locals?.get(name.text);
  if (targets === operations && local?.startsWith('operation:') === true) return refer(context, name, local);
  if (targets !== undefined) return linkBuiltIn(context, name, targets, declaredOperations(scope));
  const declared = context.names.get(name.text);
  if (declared !== undefined) refer(context, name, declared.id);
  else unknown(context, name, 'name', []);
}

function linkLayer(context: FileContext, name: Name, { layers, modelName }: Scope): void {
  if (layers === undefined) return;
  const layer = layers.get(name.text);
  if (layer !== undefined) return refer(context, name, layer.id);
  const listed = layers.size > 0 && layers.size <= mostListed ? [...layers.keys()] : undefined;
  unknown(context, name, 'layer', layers.keys(), modelName === undefined ? undefined : `model "${modelName}"`, listed);
}

/** Operations that the schedule around declares. */
function* declaredOperations({ locals }: Scope): Generator<string> {
  for (const [name, id] of locals?.entries() ?? []) if (id.startsWith('operation:')) yield name;
}

function linkBuiltIn(
  context: FileContext,
  name: Name,
  { noun, names }: Targets,
  /** Looked at only if the name is none of these. */
  declared: Iterable<string> = [],
): void {
  const found = names.find((target) => target.name === name.text);
  if (found === undefined) return unknown(context, name, noun, [...names.map((target) => target.name), ...declared]);
  const id = symbolId('variable', name.text);
  if (!context.symbols.has(id)) context.symbols.set(id, { id, name: name.text, kind: 'variable', doc: found.doc });
  refer(context, name, id);
}

/** Whether a rule of exchange takes bytes there, so that units of bytes are suggested. */
const sizeOfRule = (rule: string, argument: string | undefined): boolean =>
  findPreset(rule) !== undefined &&
  ruleParameters.some(({ name, kind }) => name === argument && (kind === 'size' || kind === 'credit'));

function linkCall(
  context: FileContext,
  call: Call,
  schema: ValueSchema | undefined,
  scope: Scope,
  depth: number,
): void {
  const row = valueKindOf(schema);
  if (row.names === 'nothing' || isScheduleElsewhere(context, call.callee, schema)) return;
  const local = scope.locals?.get(call.callee.text);
  if (local !== undefined) {
    refer(context, call.callee, local);
    const part = isThroughout(row) ? schema : undefined;
    for (const argument of call.arguments) linkExpression(context, argument.value, part, scope, depth + 1);
    return;
  }
  if (row.arguments === 'items' && call.callee.text === 'each') return linkEach(context, call, schema, scope, depth);
  const shared = row.names === 'declaration or function' && namesDeclaration(context, call.callee, schema);
  if (shared) linkDeclared(context, call.callee, schema);
  else if (
    scope.open !== true ||
    row.symbols === 'policy' ||
    findFunction(callContext(schema, call.callee.text), call.callee.text) !== undefined
  )
    linkFunction(context, call.callee, schema);
  // Texts are read as they are written, before names have a meaning.
  if (row.arguments === 'unread') return;
  const members = shared ? membersNamed(context, call.callee.text) : undefined;
  const known = findFunction(callContext(schema, call.callee.text), call.callee.text);
  call.arguments.forEach((argument, index) => {
    const parameter =
      argument.name === undefined
        ? known?.parameters[known.rest ? Math.min(index, known.parameters.length - 1) : index]
        : (known?.parameters.find((functionParameter) => functionParameter.name === argument.name?.text) ??
          anyName(known));
    const value = argument.value;
    const member = argument.name === undefined ? undefined : members?.get(argument.name.text);
    if (member?.kind === 'param' && argument.name !== undefined) refer(context, argument.name, member.id);
    if (value.kind === 'quantity' && sizeOfRule(call.callee.text, parameter?.name))
      return checkUnit(context, value, 'bytes');
    if (value.kind === 'name' && parameter?.name === 'kind' && refersToDeclared(context, value, scope)) return;
    if (value.kind === 'name' && row.functions === 'optimizer' && parameter?.name === 'offload') {
      const meant = Object.hasOwn(shareMeant, value.text) ? shareMeant[value.text] : undefined;
      if (meant !== undefined) return reportUnknown(context, value, 'share', { near: () => meant });
    }
    // A word of the parameter is no name; an argument of an unknown function may be one.
    const isUnknown = known === undefined && !shared;
    if (value.kind === 'name' && (parameter?.words?.includes(value.text) || isUnknown)) return;
    // That there is no such parameter is told where the call is read.
    const stray =
      argument.name !== undefined && (shared ? members !== undefined && member === undefined : parameter === undefined);
    if (value.kind === 'name' && stray && !context.names.has(value.text)) return;
    const isPlain = row.arguments === undefined && row.throughout !== true;
    if (isPlain && value.kind === 'name' && argument.name === undefined && !scope.locals?.has(value.text))
      if (meantArgument(context, value, call, known, parameter)) return;
    // The text of a built-in schedule has no parameter with words: `from` says so where it is read.
    const ofText = row.symbols === 'policy' && scope.locals !== undefined;
    if (value.kind === 'name' && parameter?.words !== undefined && !context.names.has(value.text)) {
      if (ofText) return;
      return unknown(context, value, 'value', parameter.words, undefined, parameter.words);
    }
    if (value.kind === 'list' && parameter?.words !== undefined) {
      for (const item of value.items) linkWord(context, item, parameter.words, scope);
      return;
    }
    if (row.arguments === 'operation kinds') return linkKinds(context, value, scope, true);
    if (row.arguments === 'declarations' && value.kind === 'name' && !shared)
      return linkDeclared(context, value, schema);
    if (value.kind === 'call' && parameter?.values !== undefined)
      return linkCall(context, value, { kind: parameter.values }, scope, depth + 1);
    const items =
      row.arguments === 'items' && (known === undefined || isIn(known, functionContext(schema)))
        ? operationArgument(call, index, schema)
        : isThroughout(row)
          ? schema
          : undefined;
    linkExpression(context, value, items, scope, depth + 1);
  });
}

/** The parameter of arguments that the file names: letters of a pattern. */
const anyName = (known: FunctionSchema | undefined): FunctionSchema['parameters'][number] | undefined => {
  const last = known?.rest === true ? known.parameters.at(-1) : undefined;
  return last?.values === undefined ? undefined : last;
};

/** Reports a name that stands for no value, but begins the name of an argument: `transformer(hid`. Whether it does. */
function meantArgument(
  context: FileContext,
  name: Name,
  call: Call,
  known: FunctionSchema | undefined,
  here: FunctionSchema['parameters'][number] | undefined,
): boolean {
  if (known === undefined || known.rest === true || inExpressions(known.context)) return false;
  const kind = context.names.get(name.text)?.kind;
  if (kind === 'param' || kind === 'let' || here?.words?.some((word) => word.startsWith(name.text)) === true)
    return false;
  const given = new Set(call.arguments.flatMap((argument) => argument.name?.text ?? []));
  const open = known.parameters.filter((parameter) => !given.has(parameter.name)).map((parameter) => parameter.name);
  const meant = open.includes(name.text) ? name.text : open.find((parameter) => parameter.startsWith(name.text));
  if (meant === undefined) return false;
  const value = known.parameters.find((parameter) => parameter.name === meant);
  const example = value?.example ?? value?.words?.[0] ?? value?.default ?? '…';
  context.report.report('type/mismatch', name, {
    expected: `a value, or an argument such as \`${meant} = ${example}\``,
    found: `\`${name.text}\``,
  });
  return true;
}

/** An item of a list of words; a name that the file declares is left to the reader. */
function linkWord(context: FileContext, item: Expression, words: readonly string[], scope: Scope): void {
  if (item.kind !== 'name') return linkExpression(context, item, undefined, scope, 1);
  if (words.includes(item.text)) return;
  if (context.names.has(item.text)) linkNumber(context, item, scope);
  else unknown(context, item, 'value', words, undefined, words);
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
  for (const [index, { name, value, binds }] of call.arguments.entries()) {
    // `each(j = 0..<n, …)` is reported where it is read, and `j` is no second mistake.
    const isRange = binds === true || (index === 0 && name !== undefined);
    linkExpression(context, value, isRange ? undefined : schema, inner, depth + 1);
    if (!isRange || name === undefined || name.end <= name.start) continue;
    const id = localId('parameter', inner, name, name.text);
    declareVariable(context, name, id, undefined, 'Takes each number of the range, in order.');
    inner = { ...inner, locals: withLocals(inner.locals, new Map([[name.text, id]])) };
  }
}

/** Which functions a call may name: functions of any expression too, if they mix. */
function callContext(schema: ValueSchema | undefined, name: string): FunctionContext {
  const { inExpressions, arguments: each, throughout } = valueKindOf(schema);
  const own = functionContext(schema);
  // In a schedule operations and numbers are written in one place.
  if (each === 'items' || throughout === true)
    return findFunction(own, name) === undefined && findFunction('value', name) ? 'value' : own;
  return inExpressions === true ? 'value' : own;
}

/** Functions whose first argument is a number or a condition. */
const beginsWithValue: readonly string[] = ['repeat', 'take', 'drop', 'if'];

/** Operations where the number should be mean the same as elsewhere: that they are misplaced is reported where the call is read. */
const operationArgument = (call: Call, index: number, schema: ValueSchema | undefined): ValueSchema | undefined =>
  index === 0 && beginsWithValue.includes(call.callee.text) && !isSequence(call.arguments[0].value)
    ? undefined
    : schema;

/** `[I, F, W]`. */
export function linkKinds(context: FileContext, value: Expression, scope: Scope, mayBeDeclared = false): void {
  for (const expression of value.kind === 'list' ? value.items : [value]) {
    if (expression.kind !== 'name') continue;
    const local = scope.locals?.get(expression.text);
    if (mayBeDeclared && local?.startsWith('operation:') === true) refer(context, expression, local);
    else if (!refusesDeclared(context, expression, scope))
      linkBuiltIn(context, expression, operations, mayBeDeclared ? declaredOperations(scope) : []);
  }
}

/** Whether a name is an operation that the schedule declares; then it refers to it. */
export function refersToDeclared(context: FileContext, name: Name, { locals }: Scope): boolean {
  const local = locals?.get(name.text);
  if (local?.startsWith('operation:') !== true) return false;
  refer(context, name, local);
  return true;
}

/** Whether a name is an operation that the schedule declares, where only words may be. It is reported. */
function refusesDeclared(context: FileContext, name: Name, { locals }: Scope): boolean {
  const local = locals?.get(name.text);
  if (local?.startsWith('operation:') !== true) return false;
  refer(context, name, local);
  const found = `the operation "${name.text}" of this schedule, which only rows run`;
  context.report.report('type/mismatch', name, { expected: 'a built-in operation such as F or B', found });
  return true;
}

export function linkFunction(context: FileContext, name: Name, schema: ValueSchema | undefined): void {
  const where = callContext(schema, name.text);
  const { names, functions: noun = 'function', symbols: kind = 'function' } = valueKindOf(schema);
  const found = findFunction(where, name.text);
  if (found === undefined) {
    if (context.broken.has(name.text)) {
      context.doubts.push(name);
      return;
    }
    const declares = names === 'declaration or function' ? declaredIn(schema) : undefined;
    const declared = declares === undefined ? [] : namesOf(context, declares);
    // Operations have brackets: `F[0..<4]`, not `F(0..<4)`.
    if (noun === 'function' && operationMeant(name.text) !== undefined)
      return reportUnknown(context, name, noun, { write: `${name.text}[…]`, near: () => undefined });
    const elsewhere = functionElsewhere(name, schema);
    if (elsewhere !== undefined) return reportUnknown(context, name, noun, { elsewhere, near: () => undefined });
    const advice = kind === 'policy' ? policyAdvice(name.text) : valueElsewhere(schema?.kind, name.text);
    if (advice !== undefined) return reportUnknown(context, name, noun, { advice, near: () => undefined });
    const meant = valuesMeant(schema?.kind, name.text);
    // Others are allowed here too.
    if (meant.length > 0 && (kind === 'policy' || noun === 'optimizer'))
      return reportUnknown(context, name, noun, { suggestions: meant, near: () => meant[0] });
    if (meant.length > 0)
      return reportUnknown(context, name, noun, { words: meant, suggestions: meant, near: () => undefined });
    return unknown(context, name, noun, [...functionNames(where), ...declared]);
  }
  const id = kind === 'policy' ? symbolId(kind, name.text) : functionId(found);
  if (!context.symbols.has(id))
    context.symbols.set(id, { id, name: name.text, kind, doc: found.doc, detail: signature(name.text, found) });
  refer(context, name, id);
}

/** A rule of exchange where a collective is to be, or the reverse: the key that takes it. */
function functionElsewhere({ text }: Name, schema: ValueSchema | undefined): Elsewhere | undefined {
  const { elsewhere } = valueKindOf(schema);
  if (elsewhere === undefined || findFunction(functionContext(elsewhere), text) === undefined) return undefined;
  return { key: elsewhere.key, noun: valueKinds[elsewhere.kind].functions ?? 'function' };
}

const signature = (name: string, { parameters, rest }: NonNullable<ReturnType<typeof findFunction>>): string =>
  parameters.length === 0
    ? name
    : `${name}(${parameters.map((parameter) => (parameter.default === undefined ? parameter.name : `${parameter.name} = ${parameter.default}`)).join(', ')}${rest ? ', …' : ''})`;
