import { CompletionItemKind } from 'vscode-languageserver';
import { findFigure } from '../../engine/language/figures.ts';
import { functions, type FunctionContext, type FunctionParameter } from '../../engine/language/functions.ts';
import type { KeySchema } from '../../engine/language/schema.ts';
import { writtenLetters } from '../../engine/program.ts';
import { functionContext, keyAround, valueSchemaOf, type CallAt, type Cursor, type Nesting } from '../cursor.ts';
import { calledFunction } from '../features/signatureHelp.ts';
import type { View } from '../view.ts';
import { functionOffer, symbolOffer, wordOffer, type Offer } from './offer.ts';
import { membersFor, symbolsOf } from './symbols.ts';

const functionsOf = (context: FunctionContext): readonly Offer[] =>
  functions.filter((one) => one.context === context).map(functionOffer);
const words = (names: readonly string[]): readonly Offer[] => names.map((name) => wordOffer({ name }));

const operationOffers: readonly Offer[] = [
  ...writtenLetters.map((letter) => ({ label: letter, kind: CompletionItemKind.Event, snippet: `${letter}[$1]` })),
  ...functionsOf('operations'),
];

/** What a key takes; without a key, any expression. */
export function valueOffers(view: View, cursor: Cursor, key: KeySchema | undefined): readonly Offer[] {
  const value = key?.value;
  switch (value?.kind) {
    case 'words':
      return value.words.map(wordOffer);
    case 'name':
      return symbolsOf(view, [value.of]).map(symbolOffer);
    case 'layers':
      return membersFor(view, cursor, 'layer').map(symbolOffer);
    case 'schedule':
      return [...symbolsOf(view, ['schedule']).map(symbolOffer), ...functionsOf('schedule')];
    case 'source':
      return [...symbolsOf(view, ['model']).map(symbolOffer), ...functionsOf('source')];
    case 'system':
    case 'shape':
    case 'cut':
    case 'optimizer':
    case 'transfer':
    case 'workerSync':
    case 'gradientSync':
    case 'order':
      return functionsOf(value.kind);
    case 'fill':
      return [...symbolsOf(view, ['model']).map(symbolOffer), ...functionsOf('fill')];
    case 'link':
      return [...numbers(view, cursor), ...functionsOf('link')];
    case 'placement':
      return [...words(['linear', 'v_shape']), ...functionsOf('placement')];
    case 'devices':
      return ['gpu', 'node'].map((name) => ({
        label: name,
        kind: CompletionItemKind.Variable,
        snippet: `${name}[\${1:0}]`,
      }));
    case 'operations':
      return operationOffers;
    case 'any':
      return [];
    case 'quantity':
      return [...(value.words ?? []).map(wordOffer), ...numbers(view, cursor), ...functionsOf('value')];
    default:
      return [...numbers(view, cursor), ...functionsOf('value')];
  }
}

/** Names that stand for numbers here. */
function numbers(view: View, cursor: Cursor): readonly Offer[] {
  const outer = cursor.blocks[0]?.name;
  const given = outer === 'schedule' ? ['stages', 'devices', 'microbatches', ...parametersOf(cursor)] : [];
  return [
    ...given.map((name) => ({ label: name, kind: CompletionItemKind.Variable })),
    ...symbolsOf(view, ['param', 'let']).map(symbolOffer),
  ];
}

const parametersOf = (cursor: Cursor): readonly string[] =>
  (cursor.entry?.parameters ?? []).flatMap((one) => (one.kind === 'name' ? [one.text] : []));

/** Inside parentheses: names of arguments not yet given, or the words and values of the one being written. */
export function argumentOffers(view: View, cursor: Cursor, nesting: Nesting): readonly Offer[] {
  const [call] = nesting.calls;
  if (call === undefined) return [];
  if (nesting.indexed) return numbers(view, cursor);
  if (cursor.blocks.at(-1)?.name === 'expect') return figureArguments(view, cursor, call);
  const key = keyAround(cursor, nesting);
  if (key !== undefined)
    return [
      ...(call.position === 0 ? (key.parameters ?? []).map(wordOffer) : []),
      ...(key.sizes === undefined ? [] : numbers(view, cursor)),
    ];
  const context = functionContext(valueSchemaOf(cursor));
  const schema = calledFunction(context, call.callee.text);
  if (schema === undefined) return [];
  const [name, equals] = call.argument;
  const named = equals?.text === '=' ? schema.parameters.find((one) => one.name === name?.text) : undefined;
  if (named !== undefined) return parameterOffers(view, cursor, named, context);
  // Operations and lists go on with what the key takes: `zip(F[…], B[…])`.
  if (context === 'operations') return operationOffers;
  if (context === 'fill') return symbolsOf(view, ['model']).map(symbolOffer);
  const takesNames = schema.context !== 'value' && schema.context !== 'link' && schema.rest !== true;
  const fresh = schema.parameters.filter((one) => !call.given.includes(one.name));
  const started = call.argument.length > 0;
  return [
    ...(takesNames && !started ? fresh.map(argumentName) : []),
    ...(schema.context === 'shape' ? [] : numbers(view, cursor)),
    ...(started || schema.context !== 'value' ? [] : functionsOf('value')),
  ];
}

const argumentName = (parameter: FunctionParameter): Offer => ({
  label: parameter.name,
  kind: CompletionItemKind.Property,
  detail: parameter.default === undefined ? undefined : `default ${parameter.default}`,
  doc: parameter.doc,
  text: `${parameter.name} = `,
  snippet: `${parameter.name} = $1`,
});

function parameterOffers(
  view: View,
  cursor: Cursor,
  parameter: FunctionParameter,
  context: FunctionContext,
): readonly Offer[] {
  if (context === 'order') return words(writtenLetters);
  if (parameter.words !== undefined) return words(parameter.words);
  return numbers(view, cursor);
}

/** `peak_memory(stage = first)`. */
function figureArguments(view: View, cursor: Cursor, call: CallAt): readonly Offer[] {
  const [name, equals] = call.argument;
  if (equals?.text === '=') return name?.text === 'stage' ? membersFor(view, cursor, 'stage').map(symbolOffer) : [];
  if (call.argument.length > 0) return [];
  return (findFigure(call.callee.text)?.by ?? []).map((one) => ({
    label: one,
    kind: CompletionItemKind.Property,
    text: `${one} = `,
    snippet: `${one} = $1`,
  }));
}
