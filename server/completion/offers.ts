/** Chooses by the cursor's place what is offered. */
import { CompletionItemKind } from 'vscode-languageserver';
import { functionNames } from '../../engine/language/functions.ts';
import { functionContext } from '../../engine/language/kinds.ts';
import { figures, scheduleFigures, testWords } from '../../engine/language/figures.ts';
import { findKey, declarationDocs } from '../../engine/language/schema.ts';
import type { View } from '../view.ts';
import { declarationOffers, keyOffers } from './keys.ts';
import { keywordOffer, symbolOffer, type Offer } from './offer.ts';
import { symbolsOf } from './symbols.ts';
import { dimensionsAt, unitOffers } from './units.ts';
import { testedSchedule } from '../ownFunctions.ts';
import { argumentOffers, functionsOf, numbers, valueOffers } from './values.ts';
import { nestingAt, valueSchemaOf, type Cursor } from '../text/cursor.ts';

const due = (found: readonly Offer[]): readonly Offer[] => found.map((offer) => ({ ...offer, unasked: true }));

export function offers(view: View, cursor: Cursor): readonly Offer[] {
  if (cursor.wordKind !== 'quantity')
    return byDimension(view, cursor, cursor.blocks.length === 0 ? atTop(view, cursor) : inBlock(view, cursor));
  // `1f` may become `1f1b`: names of policies begin with digits too.
  const typed = view.syntax.text.slice(cursor.word.start, cursor.offset);
  const functions = cursor.before?.text === '=' ? functionNames(functionContext(valueSchemaOf(cursor))) : [];
  return functions.some((name) => name.startsWith(typed))
    ? inBlock(view, cursor).filter((offer) => offer.label.startsWith(typed))
    : unitOffers(view, cursor);
}

/** Numbers that the place cannot take by themselves come last: a time where microbatches are counted. */
function byDimension(view: View, cursor: Cursor, found: readonly Offer[]): readonly Offer[] {
  const taken = cursor.before?.text === '(' ? undefined : dimensionsAt(view, cursor);
  if (taken === undefined) return found;
  const rank = ({ dimension }: Offer): number =>
    dimension === undefined || taken.includes(dimension) ? 0 : dimension !== 'number' ? 2 : taken.length === 0 ? 0 : 1;
  return found.toSorted((a, b) => rank(a) - rank(b));
}

/** Tokens after which a value must follow. */
const expectsValue = new Set([
  '=',
  ',',
  '+',
  '-',
  '*',
  '/',
  '<',
  '<=',
  '>',
  '>=',
  '==',
  '!=',
  'and',
  'or',
  '..',
  '..<',
  '(',
  '[',
  '--',
]);

function atTop(view: View, cursor: Cursor): readonly Offer[] {
  const { before, declaration } = cursor;
  const inDeclaration = declaration !== undefined && before !== undefined && before.start >= declaration.start;
  if (inDeclaration && (declaration.kind === 'param' || declaration.kind === 'let')) {
    if (expectsValue.has(before.text) || before.text === 'in' || before.text === 'step')
      return due(valueOffers(view, cursor, undefined));
    if (before === view.syntax.tokens[declaration.first] || before === tokenOf(view, declaration.name?.first))
      return [];
    if (declaration.kind === 'param' && !firstOnLine(view, cursor)) return afterParam(declaration);
  }
  if (inDeclaration && declaration.kind === 'block' && declaration.body === undefined)
    return namesAfter(view, declaration.keyword.text, before.text);
  return firstOnLine(view, cursor) ? declarationOffers(view) : [];
}

/** What comes behind `expect` and `search`: names that are declared elsewhere. */
function namesAfter(view: View, keyword: string, before: string): readonly Offer[] {
  if (before !== keyword) return [];
  if (keyword === 'expect') return due(symbolsOf(view, ['pipeline', 'schedule']).map(symbolOffer));
  return keyword === 'search' ? due(symbolsOf(view, ['pipeline']).map(symbolOffer)) : [];
}

const tokenOf = (view: View, index: number | undefined) =>
  index === undefined ? undefined : view.syntax.tokens[index];

const afterParam = (declaration: { readonly range?: unknown; readonly step?: unknown }): readonly Offer[] => [
  ...(declaration.range === undefined
    ? [keywordOffer('in', 'Least and greatest value, for the slider.', 'in ${1:1}..${2:64}')]
    : []),
  ...(declaration.step === undefined ? [keywordOffer('step', declarationDocs['param'] ?? '', 'step ${1:1}')] : []),
];

function firstOnLine(view: View, cursor: Cursor): boolean {
  const line = view.syntax.text.lastIndexOf('\n', cursor.word.start - 1) + 1;
  return view.syntax.text.slice(line, cursor.word.start).trim() === '';
}

function inBlock(view: View, cursor: Cursor): readonly Offer[] {
  const block = cursor.blocks.at(-1);
  const { before, entry } = cursor;
  if (block === undefined || before === undefined) return [];
  const from = Math.max(block.body.start, entry?.start ?? 0);
  const nesting = nestingAt(view.syntax, cursor.index, from);
  if (nesting.calls.length > 0) return due(argumentOffers(view, cursor, nesting));
  if (block.name === 'expect' && testedSchedule(view, cursor) !== undefined) return inTest(view, cursor);
  if (block.name === 'expect')
    return expectsValue.has(before.text)
      ? due(valueOffers(view, cursor, undefined))
      : startsEntry(view, cursor)
        ? figureOffers
        : [];
  if (block.name === 'search' && entry !== undefined && (before.text === 'in' || !startsEntry(view, cursor))) {
    if (entry.key.text === 'subject_to') return figureOffers;
    const listed = nesting.indexed || before.text === 'in' || expectsValue.has(before.text);
    return listed ? due(valueOffers(view, cursor, findKey('search', entry.key.text))) : [];
  }
  if (nesting.indexed) return due(valueOffers(view, cursor, undefined));
  if (expectsValue.has(before.text))
    return entry === undefined ? [] : due(valueOffers(view, cursor, findKey(block.name, entry.key.text)));
  if (block.name === 'schedule' && before.text === 'require')
    return due([...numbers(view, cursor), ...functionsOf('value')]);
  if (entry?.key.text === 'param' && (before.text === 'in' || before.text === 'step'))
    return due(numbers(view, cursor));
  const inParam = entry?.key.text === 'param' && entry.values !== undefined && !firstOnLine(view, cursor);
  if (!startsEntry(view, cursor)) return [];
  return inParam ? [...afterParam(entry), ...keyOffers(block)] : keyOffers(block);
}

/** In an `expect` of a schedule. */
function inTest(view: View, cursor: Cursor): readonly Offer[] {
  const { before } = cursor;
  if (before === undefined || !expectsValue.has(before.text)) return startsEntry(view, cursor) ? testOffers : [];
  const at = view.syntax.tokens[cursor.index - 2];
  if (at?.text === 'order') return due(functionsOf('schedule'));
  return due([...numbers(view, cursor), ...functionsOf('value')]);
}

/** Behind a whole entry, or at the block's start; not behind a key that waits for its `=`. */
function startsEntry(view: View, { before, entry }: Cursor): boolean {
  if (before === undefined) return false;
  if (before.text === '{' || before.text === '}' || before.text === ';') return true;
  if (before.kind === 'punctuation' && before.text !== ')' && before.text !== ']') return false;
  if (entry === undefined) return true;
  const whole = entry.values !== undefined || entry.body !== undefined || entry.range !== undefined;
  const behind = before.start > (view.syntax.tokens[entry.last]?.start ?? -1);
  return whole || behind;
}

const testOffers: readonly Offer[] = [...testWords, ...scheduleFigures].map(({ name, example, doc }) => ({
  label: name,
  kind: CompletionItemKind.Property,
  detail: example,
  doc,
  ...(name === 'over' ? { snippet: 'over(devices = ${1:2..8}, microbatches = ${2:1..32})' } : {}),
}));

const figureOffers: readonly Offer[] = figures.map((figure) => ({
  label: figure.name,
  kind: CompletionItemKind.Property,
  detail: figure.example,
  doc: figure.doc,
}));
