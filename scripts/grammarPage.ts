/** The page of the grammar, `docs/grammar.md`: made from the rules of the parser, the table of tokens and the reserved names. */
import type { IProduction, Rule, TokenType } from 'chevrotain';
import {
  Alternation,
  Alternative,
  Lexer,
  NonTerminal,
  Option,
  Repetition,
  RepetitionMandatory,
  Terminal,
} from 'chevrotain';
import { FileParser } from '../grammar/parser/declarations.ts';
import { strength, type Operator } from '../grammar/parser/operators.ts';
import { blockKeywords } from '../grammar/syntax.ts';
import * as types from '../grammar/tokens.ts';
import { reservedNames, type ReservedKind } from '../engine/language/reservedNames.ts';

/** A rule without what only recovery reads. */
export type Part =
  | { readonly kind: 'token'; readonly type: TokenType }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Part[] }
  | { readonly kind: 'optional' | 'many' | 'some'; readonly part: Part };

/** Tokens that begin nothing: the parser passes over them and reports them. */
const recovery: readonly TokenType[] = [types.Stray, types.StrayOutsideBlocks];
/** Tokens that the parser goes on without, once it has reported that they are missing. */
const required: readonly TokenType[] = [
  types.RightParen,
  types.RightBracket,
  types.RightBrace,
  types.LeftBrace,
  types.Equals,
  types.From,
  types.Text,
];

const sequence = (parts: readonly Part[]): Part => (parts.length === 1 ? parts[0] : { kind: 'sequence', parts });
const comma: Part = { kind: 'token', type: types.Comma };
const isComma = (part: Part): boolean =>
  part.kind === 'optional' && part.part.kind === 'token' && part.part.type === types.Comma;

function partOf(production: IProduction): Part {
  if (production instanceof Terminal) return { kind: 'token', type: production.terminalType };
  if (production instanceof NonTerminal) return { kind: 'rule', name: production.nonTerminalName };
  if (production instanceof Alternative) return sequenceOf(production.definition);
  if (production instanceof Alternation) {
    const parts = production.definition.map(partOf).filter(isWritten);
    return parts.length === 1 ? parts[0] : { kind: 'choice', parts };
  }
  if (!(production instanceof Option || production instanceof Repetition || production instanceof RepetitionMandatory))
    throw new TypeError(`The page has no form for ${production.constructor.name}.`);
  const parts = production.definition.map(partOf);
  const [first, ...rest] = parts;
  if (production instanceof Option) {
    const part = sequence(parts);
    if (part.kind === 'some') return { kind: 'many', part: part.part };
    return part.kind === 'token' && required.includes(part.type) ? part : { kind: 'optional', part };
  }
  // A separator is optional to the parser, which reports one that is missing.
  if (production instanceof RepetitionMandatory)
    return { kind: 'some', part: isComma(first) ? sequence([comma, ...rest]) : sequence(parts) };
  if (production instanceof Repetition && isComma(first))
    return {
      kind: 'optional',
      part: sequence([...rest, { kind: 'many', part: sequence([comma, ...rest]) }]),
    };
  return { kind: 'many', part: sequence(parts) };
}

const sequenceOf = (definition: readonly IProduction[]): Part => sequence(withNames(definition.map(partOf)));

/** `from` follows names only. */
function withNames(parts: readonly Part[]): readonly Part[] {
  const at = parts.findIndex((part) => part.kind === 'token' && part.type === types.From);
  const before = at > 0 ? parts[at - 1] : undefined;
  if (before?.kind !== 'optional') return parts;
  const named: Part = { kind: 'optional', part: sequence([before.part, parts[at]]) };
  return [...parts.slice(0, at - 1), named, ...parts.slice(at + 1)];
}

/** A "}" without a block, and tokens that begin nothing, are no part of a good text. */
const isWritten = (part: Part): boolean =>
  part.kind !== 'token' || !(recovery.includes(part.type) || part.type === types.RightBrace);

/** The rules, from a file down to what it is made of. */
export function grammarRules(): ReadonlyMap<string, Part> {
  const rules: Record<string, Rule> = new FileParser({ skipValidations: true }).getGAstProductions();
  const found = new Map<string, Part>();
  const add = (name: string): void => {
    if (found.has(name)) return;
    const part = sequenceOf(rules[name].definition);
    found.set(name, part);
    for (const other of namesIn(part)) add(other);
  };
  add('file');
  return found;
}

const namesIn = (part: Part): readonly string[] =>
  part.kind === 'rule'
    ? [part.name]
    : part.kind === 'token'
      ? []
      : 'part' in part
        ? namesIn(part.part)
        : part.parts.flatMap(namesIn);

/** A token with one text, as the text; others by name. */
function tokenText({ name, PATTERN }: TokenType): string {
  const source = PATTERN instanceof RegExp && PATTERN !== Lexer.NA ? PATTERN.source : '(';
  const isFixed = !/[()|?*+[]/.test(source.replaceAll(/\\./g, ''));
  return isFixed ? `"${source.replaceAll('\\', '')}"` : name;
}

function shown(part: Part, inner: boolean): string {
  switch (part.kind) {
    case 'token':
      return tokenText(part.type);
    case 'rule':
      return part.name;
    case 'sequence':
      return part.parts.map((each) => shown(each, true)).join(' ');
    case 'choice': {
      const text = part.parts.map((each) => shown(each, false)).join(' | ');
      return inner ? `( ${text} )` : text;
    }
    case 'optional':
      return `[ ${shown(part.part, false)} ]`;
    case 'many':
      return `{ ${shown(part.part, false)} }`;
    case 'some':
      return `${shown(part.part, false)} { ${shown(part.part, false)} }`;
  }
}

const ruleText = ([name, part]: readonly [string, Part]): string =>
  part.kind === 'choice'
    ? `${name} =\n${part.parts.map((each, at) => `  ${at === 0 ? ' ' : '|'} ${shown(each, false)}`).join('\n')}`
    : `${name} = ${shown(part, false)}`;

const operators = types.tokenTypes
  .filter(({ CATEGORIES }) => CATEGORIES?.includes(types.BinaryOperator) === true)
  .map((type) => tokenText(type).slice(1, -1));
const looseToTight = [...new Set(operators.map((each) => strength(each as Operator)))].toSorted((a, b) => a - b);

const code = (text: string): string => `\`${text}\``;
const list = (texts: readonly string[]): string => texts.map(code).join(', ');

const headings: Readonly<Record<ReservedKind, string>> = {
  number: 'numbers of the pipeline',
  operation: 'operations',
  function: 'functions',
};

function reservedRows(): readonly string[] {
  const everywhere = (Object.keys(headings) as ReservedKind[]).map((kind) => {
    const names = reservedNames.filter(({ is, only }) => is === kind && only === undefined).map(({ name }) => name);
    return `| ${headings[kind]} | ${list(names)} |`;
  });
  const some = [...new Set(reservedNames.flatMap(({ only, name }) => (only === undefined ? [] : [name])))];
  return [...everywhere, `| in a schedule whose keys take them | ${list(some)} |`];
}

export function grammarPage(): string {
  const rules = [...grammarRules()];
  return `# Grammar

The rules of \`.pipe\` files, as the parser has them. What the words mean is on the page of [the language](language.md).

\`[ a ]\` is a or nothing, \`{ a }\` is a any number of times, and \`a | b\` is one of them. Texts in quotes are written as they are; the other words are rules, or tokens of the table below. White space and line breaks may be between any two tokens.

\`\`\`text
${rules.map(ruleText).join('\n')}
\`\`\`

The rules leave five things to conditions:

- An entry has a \`=\`, a \`{\` or a \`--\`. Only \`require\` and the axes of a \`search\` block have none of them.
- \`"in"\` and \`"step"\` of an entry belong to the entries \`param\` of a schedule and to the axes of a \`search\` block.
- \`--\` joins the two ends of a \`link\`.
- \`a..b\` may have a \`"step"\` in brackets, in rows and in ranges of loops.
- In brackets, \`name in range\` is an argument of \`each\` only, and an index or a list has no names.

The parser also reads texts that are not finished: it reports a bracket, a comma or a \`=\` that is missing, and goes on behind it. [How faults are reported](language.md#errors).

## Tokens

| token | is |
| --- | --- |
| \`Word\` | ASCII letters, digits and \`_\`, with at least one letter or \`_\`: \`llama3\`, \`1f1b\`. A keyword is a name wherever no declaration begins |
| \`Quantity\` | a number and its unit without a space between: \`80GiB\`, \`3.1ms\`, \`25GB/s\`, \`40%\`, \`8\` |
| \`Text\` | characters between \`"\` on one line; \`\\\\\` keeps the next one as it is |
| \`BlockKeyword\` | ${list(blockKeywords.filter((word) => word !== 'expect'))} |
| \`BinaryOperator\` | an operator of the table below |

Comments begin with \`//\`, or are between \`/*\` and \`*/\`. \`///\` documents the declaration or entry behind it.

## Operators

From loose to tight. Operators of one row are read from left to right; a comparison does not follow another one.

| operators |
| --- |
${looseToTight.map((each) => `| ${list(operators.filter((operator) => strength(operator as Operator) === each))} |`).join('\n')}

\`-\` before a value is tighter than all of them.

## Reserved names

A schedule cannot declare these names as \`param\`, \`let\`, \`operation\`, or as a parameter.

| are | names |
| --- | --- |
${reservedRows().join('\n')}
`;
}
