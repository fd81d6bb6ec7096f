import { CompletionItemKind } from 'vscode-languageserver';
import { findFigure } from '../../engine/language/figures.ts';
import { meaningOf, parameterText } from '../../engine/language/functionRow.ts';
import { functions, inExpressions, isIn, takesNames, type FunctionParameter } from '../../engine/language/functions.ts';
import {
  functionContext,
  operations,
  valueKindOf,
  type FunctionContext,
  type Targets,
  type ValueKind,
} from '../../engine/language/kinds.ts';
import { scheduleNumbers } from '../../engine/language/reservedNames.ts';
import { declaredIn, wordsOf, type KeySchema } from '../../engine/language/schema.ts';
import { keyAround, keyOf, valueSchemaOf, type CallAt, type Cursor, type Nesting } from '../text/cursor.ts';
import { calledFunction } from '../text/signatures.ts';
import type { SymbolInfo } from '../../engine/language/resolution.ts';
import { loopNames, membersOf, ownFunction, testedSchedule } from '../ownFunctions.ts';
import type { View } from '../view.ts';
import { functionOffer, symbolOffer, wordOffer, type Offer } from './offer.ts';
import { importable } from './importable.ts';
import { byUse } from './usual.ts';
import { membersFor, othersOf, symbolsOf } from './symbols.ts';

export const functionsOf = (context: FunctionContext): readonly Offer[] =>
  byUse(
    functions.filter((functionSchema) => isIn(functionSchema, context)),
    ({ name }) => name,
  ).map(functionOffer);
const wordsFor = (parameter: FunctionParameter): readonly Offer[] =>
  (parameter.words ?? []).map((name) => wordOffer({ name, doc: meaningOf(parameter, name) }));

/** `gpu[0]`, `F[0]`. */
const targetOffers = ({ noun, names, example }: Targets): readonly Offer[] =>
  names.map(({ name, doc }) => ({
    label: name,
    doc,
    kind: noun === 'operation' ? CompletionItemKind.Event : CompletionItemKind.Variable,
    snippet: `${name}[${example === undefined ? '$1' : `\${1:${example}}`}]`,
  }));

/** Functions of any expression are allowed in it, too. */
const mixes = (row: ValueKind): boolean => row.arguments === 'items' || row.throughout === true;

/** What a key takes; without a key, any expression. */
export function valueOffers(view: View, cursor: Cursor, key: KeySchema | undefined): readonly Offer[] {
  const value = key?.value;
  const { offers, targets } = valueKindOf(value);
  const declared = declaredIn(value);
  const written = offers.flatMap((offered): readonly Offer[] => {
    switch (offered) {
      case 'words':
        return [
          ...wordsOf(value).map(wordOffer),
          // The preference of a device lists the operations of `greedy(prefer = …)`.
          ...(key?.name === 'prefer' ? declaredSymbols(view, cursor).map(symbolOffer) : []),
        ];
      case 'numbers':
        return numbers(view, cursor);
      case 'layers':
        return membersFor(view, cursor, 'layer').map(symbolOffer);
      case 'declarations':
        return declared === undefined ? [] : othersOf(view, cursor, [declared]).map(symbolOffer);
      case 'functions':
        // In a schedule numbers and operations are written in one place.
        return [...functionsOf(functionContext(value)), ...(mixes(valueKindOf(value)) ? functionsOf('value') : [])];
      case 'targets':
        return targets === undefined ? [] : [...targetOffers(targets), ...declaredOperations(view, cursor)];
    }
  });
  // What comes with the language is written with its import.
  return declared === undefined ? written : [...written, ...importable(view, declared)];
}

/** Operations that the schedule around declares. */
const declaredSymbols = (view: View, { blocks: [outer] }: Pick<Cursor, 'blocks'>): readonly SymbolInfo[] =>
  outer?.name === 'schedule' ? membersOf(view, `schedule:${outer.declaration.name?.text ?? ''}`, ['operation']) : [];

/** The same as a row writes them. */
function declaredOperations(view: View, { blocks: [outer] }: Cursor): readonly Offer[] {
  return outer === undefined
    ? []
    : declaredSymbols(view, { blocks: [outer] }).map((symbol) => ({
        ...symbolOffer(symbol),
        snippet: `${symbol.name}[$1]`,
      }));
}

/** Names that stand for numbers here. */
export function numbers(view: View, cursor: Cursor): readonly Offer[] {
  const [outer] = cursor.blocks;
  const tested = testedSchedule(view, cursor);
  const inSchedule = outer?.name === 'schedule';
  const own = inSchedule ? membersOf(view, `schedule:${outer.declaration.name?.text ?? ''}`, ['param', 'let']) : [];
  const given =
    inSchedule || tested !== undefined
      ? scheduleNumbers.map(({ name }) => name).filter((name) => inSchedule || name !== 'iterations')
      : [];
  const names = inSchedule ? [...loopNames(cursor), ...parametersOf(cursor), ...given] : given;
  return [
    ...names.map((name) => ({ label: name, kind: CompletionItemKind.Variable })),
    ...own.filter((symbol) => symbol.name !== cursor.entry?.name?.text).map(memberOffer),
    ...(tested === undefined ? [] : membersOf(view, tested.id, ['param']).map(symbolOffer)),
    ...othersOf(view, cursor, ['param', 'let']).map(symbolOffer),
  ];
}

/** A `let` with parameters is offered as a call. */
const memberOffer = (symbol: SymbolInfo): Offer => {
  const { parameters } = symbol;
  if (parameters === undefined) return symbolOffer(symbol);
  const places = parameters.map((name, at) => `\${${at + 1}:${name}}`);
  return { ...symbolOffer(symbol), snippet: `${symbol.name}(${places.join(', ')})` };
};

const parametersOf = (cursor: Cursor): readonly string[] =>
  (cursor.entry?.parameters ?? []).flatMap((parameter) => (parameter.kind === 'name' ? [parameter.text] : []));

/** Keys whose first argument is an operation: a letter, or one that the schedule declares. */
const takesOperation: readonly string[] = ['allow', 'slot'];

/** Inside parentheses: names of arguments not yet given, or the words and values of the one being written. */
export function argumentOffers(view: View, cursor: Cursor, nesting: Nesting): readonly Offer[] {
  const [call] = nesting.calls;
  if (call === undefined) return [];
  if (nesting.indexed) return numbers(view, cursor);
  if (cursor.blocks.at(-1)?.name === 'expect') return figureArguments(view, cursor, call);
  const key = keyAround(cursor, nesting);
  if (key !== undefined)
    return [
      ...(call.position === 0 ? (key.parameters ?? key.leading ?? []).map(wordOffer) : []),
      ...(call.position === 0 && key.stages === true ? membersFor(view, cursor, 'stage').map(symbolOffer) : []),
      ...(call.position === 0 && takesOperation.includes(key.name)
        ? declaredSymbols(view, cursor).map(symbolOffer)
        : []),
      ...(key.sizes === undefined ? [] : numbers(view, cursor)),
    ];
  const value = valueSchemaOf(cursor);
  const row = valueKindOf(value);
  const own = ownFunction(view, call.callee);
  const schema = own ?? calledFunction(functionContext(value), call.callee.text);
  if (schema === undefined) return [];
  const [name, equals] = call.argument;
  const named = equals?.text === '=' ? schema.parameters.find((parameter) => parameter.name === name?.text) : undefined;
  if (named !== undefined) return parameterOffers(view, cursor, named, row);
  // Operations and lists go on with what the key takes: `zip(F[…], B[…])`.
  if (row.arguments === 'items' && own === undefined) return valueOffers(view, cursor, keyOf(cursor));
  if (row.throughout === true && own === undefined) {
    const parameter = schema.parameters[Math.min(call.position, schema.parameters.length - 1)];
    if (parameter?.words !== undefined)
      return [
        ...wordsFor(parameter),
        ...(parameter.words.includes('E') ? declaredSymbols(view, cursor).map(symbolOffer) : []),
      ];
    return schema.context === 'value' ? valueOffers(view, cursor, keyOf(cursor)) : numbers(view, cursor);
  }
  const declared = declaredIn(value);
  if (row.arguments === 'declarations' && declared !== undefined) return symbolsOf(view, [declared]).map(symbolOffer);
  const mayBeNamed = !inExpressions(schema.context) && schema.rest !== true;
  const last = schema.parameters.at(-1);
  if (schema.rest === true && last?.meanings !== undefined)
    return Object.entries(last.meanings).map(([word, doc]) => wordOffer({ name: word, doc }));
  const fresh = schema.parameters.filter((parameter) => !call.given.includes(parameter.name));
  const started = call.argument.length > 0;
  // `plan(alpa)`: words of an argument that has to be written and needs no name.
  const here = own === undefined ? schema.parameters[call.position] : undefined;
  return [
    ...(here?.optional === false && fresh.includes(here) ? wordsFor(here) : []),
    ...(mayBeNamed && !started ? fresh.map(argumentName) : []),
    ...(takesNames(schema) ? [] : numbers(view, cursor)),
    ...(started || schema.context !== 'value' ? [] : functionsOf('value')),
  ];
}

const argumentName = (parameter: FunctionParameter): Offer => ({
  label: parameter.name,
  kind: CompletionItemKind.Property,
  detail: parameter.default === undefined ? undefined : `default ${parameter.default}`,
  doc: parameterText(parameter),
  text: `${parameter.name} = `,
  snippet: `${parameter.name} = $1`,
  ...(parameter.words === undefined && parameter.values === undefined ? {} : { opens: 'values' }),
});

function parameterOffers(view: View, cursor: Cursor, parameter: FunctionParameter, row: ValueKind): readonly Offer[] {
  // A rule has no U: it updates at the end of each iteration.
  if (row.arguments === 'operation kinds')
    return [
      ...operations.names.filter(({ name }) => name !== 'U').map(wordOffer),
      ...declaredSymbols(view, cursor).map(symbolOffer),
    ];
  const called = parameter.values === undefined ? [] : functionsOf(functionContext({ kind: parameter.values }));
  if (parameter.words !== undefined) return [...wordsFor(parameter), ...called];
  return numbers(view, cursor);
}

/** `peak_memory(stage = first)`, `over(devices = 2..8)`. */
function figureArguments(view: View, cursor: Cursor, call: CallAt): readonly Offer[] {
  const [name, equals] = call.argument;
  const tested = testedSchedule(view, cursor);
  if (tested !== undefined && equals?.text === '=')
    return call.callee.text === 'over' ? symbolsOf(view, ['param', 'let']).map(symbolOffer) : numbers(view, cursor);
  if (tested !== undefined && call.callee.text === 'over') {
    const parameters = membersOf(view, tested.id, ['param']).map((symbol) => symbol.name);
    return ['devices', 'microbatches', ...parameters]
      .filter((text) => !call.given.includes(text))
      .map((text) => ({ label: text, kind: CompletionItemKind.Property, text: `${text} = `, snippet: `${text} = $1` }));
  }
  if (equals?.text === '=') return name?.text === 'stage' ? membersFor(view, cursor, 'stage').map(symbolOffer) : [];
  if (call.argument.length > 0) return [];
  return (findFigure(call.callee.text)?.by ?? []).map((text) => ({
    label: text,
    kind: CompletionItemKind.Property,
    text: `${text} = `,
    snippet: `${text} = $1`,
  }));
}
