/**
 * The token table of the language: what the lexer tries, in order. The parser and the TextMate grammar are both
 * built on it, so that colours and meaning cannot drift apart.
 */
import { Lexer, createToken } from 'chevrotain';
import type { TokenType } from 'chevrotain';
import { blockKeywords } from './syntax.ts';

// Sources of the patterns, shared with the TextMate grammar.
const unitLetter = '[A-Za-z\\u00b5\\u03bc]';
const digits = '\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?';
/** No letter, digit, `%` or decimal part may follow: `1f1b` is a name, not `1f` and a rest. */
const quantityEnd = '(?![\\w%\\u00b5\\u03bc]|\\.\\d)';

export const patterns = {
  number: digits,
  quantity: `${digits}(?:${unitLetter}+\\/s|\\/s|%|${unitLetter}+)?${quantityEnd}`,
  malformed: '\\d[\\w%\\u00b5\\u03bc]*(?:\\.\\d[\\w%\\u00b5\\u03bc]*)*',
  name: '(?:[A-Za-z_]\\w*|\\d+[A-Za-z_]\\w*)',
  string: '"[^"\\\\\\r\\n]*(?:\\\\[^\\r\\n][^"\\\\\\r\\n]*)*"',
  unclosedString: '"[^\\r\\n]*',
  docComment: '\\/\\/\\/(?!\\/)[^\\r\\n]*',
  lineComment: '\\/\\/[^\\r\\n]*',
  blockComment: '\\/\\*[\\s\\S]*?(?:\\*\\/|(?![\\s\\S]))',
} as const;

const all: TokenType[] = [];
const token = (name: string, pattern: string | RegExp, categories: TokenType[] = [], more: object = {}): TokenType => {
  const type = createToken({
    name,
    pattern: typeof pattern === 'string' ? new RegExp(pattern) : pattern,
    categories,
    ...more,
  });
  all.push(type);
  return type;
};
const category = (name: string, categories: TokenType[] = []): TokenType => {
  const type = createToken({ name, pattern: Lexer.NA, categories });
  all.push(type);
  return type;
};

// Categories: what a token may serve as.
/** Any name: the contextual keywords are ordinary names wherever a declaration does not begin. */
export const Word = category('Word');
export const BinaryOperator = category('BinaryOperator');
/** What begins no declaration, and is no "}": recovery outside blocks passes over it. */
export const StrayOutsideBlocks = category('StrayOutsideBlocks');
/** What neither begins an entry nor ends a block: recovery passes over it. */
export const Stray = category('Stray', [StrayOutsideBlocks]);
/** A whole or an unclosed string. */
export const Text = category('Text');

token('Space', '\\s+', [], { group: Lexer.SKIPPED });
export const DocComment = token('DocComment', patterns.docComment, [], { group: 'comments' });
export const LineComment = token('LineComment', patterns.lineComment, [], { group: 'comments' });
export const BlockComment = token('BlockComment', patterns.blockComment, [], { group: 'comments', line_breaks: true });

export const Quantity = token('Quantity', patterns.quantity, [Stray]);

const plain = [Word, StrayOutsideBlocks];
export const Name = createToken({ name: 'Name', pattern: new RegExp(patterns.name), categories: plain });
const keyword = (name: string, pattern: string, categories = [Word]): TokenType =>
  token(name, pattern, categories, { longer_alt: Name });
export const Import = keyword('Import', 'import');
export const Param = keyword('Param', 'param');
export const Let = keyword('Let', 'let');
/** `expect` holds checks, every other block entries. */
export const Expect = keyword('Expect', 'expect');
export const BlockKeyword = keyword(
  'BlockKeyword',
  `(?:${blockKeywords.filter((word) => word !== 'expect').join('|')})`,
);
export const In = keyword('In', 'in', plain);
export const Step = keyword('Step', 'step', plain);
export const From = keyword('From', 'from', plain);
export const With = keyword('With', 'with', plain);
export const Require = keyword('Require', 'require', plain);
/** Operators between conditions; names in other places. */
export const And = keyword('And', 'and', [BinaryOperator, ...plain]);
export const Or = keyword('Or', 'or', [BinaryOperator, ...plain]);
all.push(Name);

/** A number run into something that is no unit, such as `4.5.6`. Never reaches the parser. */
export const Malformed = token('Malformed', patterns.malformed);
export const ClosedString = token('ClosedString', patterns.string, [Text, Stray]);
export const UnclosedString = token('UnclosedString', patterns.unclosedString, [Text, Stray]);

export const LeftBrace = token('LeftBrace', '\\{', [Stray]);
export const RightBrace = token('RightBrace', '\\}');
export const LeftBracket = token('LeftBracket', '\\[', [Stray]);
export const RightBracket = token('RightBracket', '\\]', [Stray]);
export const LeftParen = token('LeftParen', '\\(', [Stray]);
export const RightParen = token('RightParen', '\\)', [Stray]);
export const Comma = token('Comma', ',', [Stray]);
export const Semicolon = token('Semicolon', ';');
// The longer of two operators with one beginning comes first.
export const RangeBelow = token('RangeBelow', '\\.\\.<', [BinaryOperator, Stray]);
export const RangeTo = token('RangeTo', '\\.\\.', [BinaryOperator, Stray]);
export const Link = token('Link', '--', [Stray]);
export const Plus = token('Plus', '\\+', [BinaryOperator, Stray]);
export const Minus = token('Minus', '-', [BinaryOperator, Stray]);
export const Times = token('Times', '\\*', [BinaryOperator, Stray]);
export const Divide = token('Divide', '\\/', [BinaryOperator, Stray]);
export const AtMost = token('AtMost', '<=', [BinaryOperator, Stray]);
export const Below = token('Below', '<', [BinaryOperator, Stray]);
export const AtLeast = token('AtLeast', '>=', [BinaryOperator, Stray]);
export const Above = token('Above', '>', [BinaryOperator, Stray]);
export const Same = token('Same', '==', [BinaryOperator, Stray]);
export const Different = token('Different', '!=', [BinaryOperator, Stray]);
export const Equals = token('Equals', '=', [Stray]);

export const tokenTypes: readonly TokenType[] = all;
