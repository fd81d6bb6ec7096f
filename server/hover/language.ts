/** Hovers over the language itself: keys, keywords, words, units, functions. */
import { show } from '../../engine/basics/quantities.ts';
import { figures, scheduleFigures, testWords } from '../../engine/language/figures.ts';
import { meaningOf, parameterText } from '../../engine/language/functionRow.ts';
import type { FunctionSchema } from '../../engine/language/functions.ts';
import {
  pageOfBlock,
  pageOfFigure,
  pageOfFunction,
  pageOfKey,
  pageOfUnit,
} from '../../engine/language/referencePages.ts';
import { keyText } from '../../engine/language/keyFacts.ts';
import { functionContext, valueKinds } from '../../engine/language/kinds.ts';
import {
  blocks,
  declarationDocs,
  findKey,
  wordsOf,
  type BlockName,
  type KeySchema,
} from '../../engine/language/schema.ts';
import { findUnit } from '../../engine/language/units.ts';
import type { Entry, Span, SyntaxNode } from '../../grammar/index.ts';
import { holds } from '../text/convert.ts';
import { signatureLabel } from '../../engine/language/signatures.ts';
import { calledFunction } from '../text/signatures.ts';
import { code, reference, sections } from './markdown.ts';

export interface Text {
  readonly span: Span;
  readonly text: string;
}

/** `25GB/s`: what it is in base units, and what the unit means. */
export function hoverQuantity(path: readonly SyntaxNode[], docs?: string, figured?: string): Text | undefined {
  const node = path.at(-1);
  if (node?.kind !== 'quantity' || node.unit === '') return undefined;
  const unit = findUnit(node.unit);
  if (unit === undefined) return undefined;
  const value = show(node.value * unit.scale, unit.dimension);
  return {
    span: node,
    text: sections(
      `**${value}**`,
      `\`${unit.name}\`: ${unit.doc}`,
      figured,
      reference(docs, pageOfUnit(unit.dimension)),
    ),
  };
}

/** A key in a block, or the keyword of a declaration. `figured`: what the file makes of it. */
export function hoverKey(
  path: readonly SyntaxNode[],
  offset: number,
  docs?: string,
  figured?: string,
): Text | undefined {
  const declaration = path.find(
    (node) => node.kind === 'block' || node.kind === 'param' || node.kind === 'let' || node.kind === 'import',
  );
  const keys = keysOn(path);
  const last = keys.at(-1);
  if (last !== undefined && holds(last.entry.key, offset))
    return last.key === undefined
      ? undefined
      : { span: last.entry.key, text: keyHover(last.key, last.block, docs, figured) };
  if (declaration?.kind === 'block' && holds(declaration.keyword, offset))
    return {
      span: declaration.keyword,
      text: sections(
        code(`${declaration.keyword.text} NAME { … }`),
        declarationDocs[declaration.keyword.text],
        reference(docs, pageOfBlock(declaration.keyword.text)),
      ),
    };
  const keyword = declaration?.kind;
  if (
    declaration === undefined ||
    keyword === undefined ||
    keyword === 'block' ||
    offset > declaration.start + keyword.length
  )
    return undefined;
  return {
    span: { start: declaration.start, end: declaration.start + keyword.length },
    text: sections(declarationDocs[keyword], reference(docs, pageOfBlock(keyword))),
  };
}

const keyHover = (key: KeySchema, block: BlockName | undefined, docs: string | undefined, figured?: string): string =>
  sections(
    code(key.example),
    keyText(key),
    figured,
    block === undefined ? undefined : reference(docs, pageOfKey(block, key.name)),
  );

interface KeyOn {
  readonly entry: Entry;
  readonly key?: KeySchema;
  readonly block?: BlockName;
}

/** Entries around a node with their keys and blocks, outermost first. */
function keysOn(path: readonly SyntaxNode[]): readonly KeyOn[] {
  const found: KeyOn[] = [];
  let block: BlockName | undefined;
  for (const node of path) {
    if (node.kind === 'block')
      block = Object.hasOwn(blocks, node.keyword.text) ? (node.keyword.text as BlockName) : undefined;
    if (node.kind !== 'entry') continue;
    const key = block === undefined ? undefined : findKey(block, node.key.text);
    found.push({ entry: node, key, ...(block === undefined ? {} : { block }) });
    block = key?.block;
  }
  return found;
}

/** The name of a function, or of one of its arguments. */
export function hoverCallee(path: readonly SyntaxNode[], offset: number, docs: string | undefined): Text | undefined {
  const call = path.findLast((node) => node.kind === 'call');
  if (call?.kind !== 'call') return undefined;
  const schema = calledFunction(functionContext(keysOn(path).at(-1)?.key?.value), call.callee.text);
  if (holds(call.callee, offset))
    return schema === undefined ? undefined : { span: call.callee, text: functionText(schema, docs) };
  const argument = path.findLast((node) => node.kind === 'argument');
  if (argument?.kind !== 'argument' || argument.name === undefined || !holds(argument.name, offset)) return undefined;
  const parameter = schema?.parameters.find((functionParameter) => functionParameter.name === argument.name?.text);
  if (parameter === undefined) return undefined;
  return { span: argument.name, text: sections(`**${parameter.name}**`, parameterText(parameter)) };
}

export function functionText(schema: FunctionSchema, docs: string | undefined): string {
  const page = schema.context === 'value' ? undefined : valueKinds[schema.context].page;
  const more = docs !== undefined && page !== undefined ? `[How it is derived](${docs}${page})` : undefined;
  return sections(code(signatureLabel(schema)), schema.doc, more, reference(docs, pageOfFunction(schema)));
}

/** What a word means as an argument of the call around it: `modules(mlp)`, `adam(shard = distributed)`. */
function meaningIn(path: readonly SyntaxNode[], word: string): string | undefined {
  const call = path.findLast((node) => node.kind === 'call');
  if (call?.kind !== 'call') return undefined;
  const schema = calledFunction(functionContext(keysOn(path).at(-1)?.key?.value), call.callee.text);
  const argument = path.findLast((node) => node.kind === 'argument');
  const name = argument?.kind === 'argument' ? argument.name?.text : undefined;
  const parameter = schema?.parameters.find(
    (each) => each.words?.includes(word) === true && (name === undefined || each.name === name),
  );
  return parameter === undefined ? undefined : meaningOf(parameter, word);
}

/** A word of a key (`bf16`) or a figure of an `expect`. `inTest`: the block tests a schedule. */
export function hoverWord(path: readonly SyntaxNode[], inTest: boolean, docs?: string): Text | undefined {
  const node = path.at(-1);
  if (node?.kind !== 'name') return undefined;
  const { entry, key } = keysOn(path).at(-1) ?? {};
  const words = entry?.parameters?.includes(node) ? key?.parameters : wordsOf(key?.value);
  const word = words?.find((candidate) => candidate.name === node.text);
  if (word !== undefined) return { span: node, text: sections(`**${word.name}**`, word.doc) };
  // A function without its arguments, among words: `recompute = full`.
  const schema =
    key === undefined || !words?.length ? undefined : calledFunction(functionContext(key.value), node.text);
  if (schema?.bare === true && schema.context !== 'value' && path.at(-2)?.kind === 'entry')
    return { span: node, text: functionText(schema, undefined) };
  const meaning = meaningIn(path, node.text);
  if (meaning !== undefined) return { span: node, text: sections(`**${node.text}**`, meaning) };
  const known = inTest ? [...scheduleFigures, ...testWords] : figures;
  const figure = path.some(({ kind }) => kind === 'check') ? known.find(({ name }) => name === node.text) : undefined;
  return figure === undefined
    ? undefined
    : { span: node, text: sections(code(figure.example), figure.doc, reference(docs, pageOfFigure(figure.name))) };
}
