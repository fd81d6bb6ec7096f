/**
 * The syntax tree of a `.pipe` file. It is total: whatever the text, there is one tree, every token of the text is in
 * `tokens` or `comments`, and every node says which tokens it covers. Offsets are UTF-16 code units, `end` exclusive.
 */

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** `error` is a run of characters that no token starts with (or an unclosed string); the parser skips it and reports it. */
export type TokenKind = 'name' | 'quantity' | 'string' | 'punctuation' | 'error';

export interface Token extends Span {
  readonly kind: TokenKind;
  readonly text: string;
}

/** `doc` is `///`, `line` is `//`, `block` is a comment between slash-star and star-slash. */
export interface Comment extends Span {
  readonly kind: 'doc' | 'line' | 'block';
  readonly text: string;
}

/**
 * Tokens of a node: indices into `SyntaxFile.tokens`, `last` inclusive; an empty node has `last < first`. Tokens of a node
 * that none of its children holds are its punctuation, or what recovery passed over inside it: then a fault says so.
 */
export interface NodeBase extends Span {
  readonly first: number;
  readonly last: number;
}

export interface SyntaxFile {
  readonly kind: 'file';
  readonly text: string;
  /** Significant tokens in order, error tokens included, comments and white space left out. */
  readonly tokens: readonly Token[];
  readonly comments: readonly Comment[];
  readonly declarations: readonly Declaration[];
  /** In order of position. */
  readonly errors: readonly SyntaxFault[];
}

/** `code` is the finding's code; `message` a whole sentence that says what was expected there. */
export interface SyntaxFault extends Span {
  readonly code: 'syntax/unexpected' | 'syntax/unclosed' | 'syntax/unit';
  readonly message: string;
  /** For `syntax/unclosed`: where the opening bracket is. */
  readonly opened?: Span;
  /** Start of an item of a block that has no more than a head: a name that may be half written. */
  readonly head?: number;
}

export interface Name extends NodeBase {
  readonly kind: 'name';
  readonly text: string;
}

// Declarations

export type BlockKeyword = 'device' | 'cluster' | 'model' | 'schedule' | 'pipeline' | 'job' | 'search' | 'expect';
export const blockKeywords: readonly BlockKeyword[] = [
  'device',
  'cluster',
  'model',
  'schedule',
  'pipeline',
  'job',
  'search',
  'expect',
];
export const declarationKeywords = ['import', 'param', 'let', ...blockKeywords] as const;

export type Declaration = ImportDeclaration | ParamDeclaration | LetDeclaration | BlockDeclaration | Skipped;

interface Documented {
  /** Text of the `///` lines right before, without the slashes, lines joined by a line feed. */
  readonly doc?: string;
}

/**
 * `import "file.pipe"` or `import { a, b } from "std:hardware"`. Without `names` everything is imported. `settings` follows
 * `with`: `with { nodes = 8 }`.
 */
export interface ImportDeclaration extends NodeBase, Documented {
  readonly kind: 'import';
  readonly names?: readonly Name[];
  readonly path?: StringLiteral;
  readonly settings?: Block;
}

/** `param m = 8 in 1..64 step 1`. */
export interface ParamDeclaration extends NodeBase, Documented {
  readonly kind: 'param';
  readonly name?: Name;
  readonly value?: Expression;
  readonly range?: Expression;
  readonly step?: Expression;
}

/** `let name = expression`. */
export interface LetDeclaration extends NodeBase, Documented {
  readonly kind: 'let';
  readonly name?: Name;
  readonly value?: Expression;
}

/** `keyword name { … }`. `keyword` is one of `blockKeywords`. */
export interface BlockDeclaration extends NodeBase, Documented {
  readonly kind: 'block';
  readonly keyword: Name;
  readonly name?: Name;
  readonly body?: Block;
}

/** Tokens that belong to no other node: what recovery passed over. Its fault is reported at or before its start. */
export interface Skipped extends NodeBase {
  readonly kind: 'skipped';
}

// Blocks

/** `{ … }` with the braces included. `closed` is false where the closing brace is missing. */
export interface Block extends NodeBase {
  readonly kind: 'body';
  readonly entries: readonly BlockItem[];
  readonly closed: boolean;
}

export type BlockItem = Entry | Check | Skipped;

/**
 * Every entry of a block has one form: `key name[index](parameters) end -- end = value, value` or the same with `{ … }` instead
 * of `= …`. Parts that are not written are absent. Examples:
 * `forward = 4ms` (key, values) · `layer block[8] { … }` (key, name, index, body) · `gpu[4] = v100` (key, index, values) ·
 * `link gpu[0] -- gpu[1] = …` (key, ends, values) · `row(d) = F[0], B[0]` (key, parameters, values) · `stage first { … }`.
 * `tensor in 1..8 step 1` or `tensor in [1, 2]` (key, range, step) is only in searches.
 * Two forms are only in schedules: `param warmup = 3 in 1..64 step 1` (key, name, values, range, step) and
 * `require CONDITION` (key, condition). `let w(d) = 2 * d` is an entry with a name and parameters.
 */
export interface Entry extends NodeBase, Documented {
  readonly kind: 'entry';
  readonly key: Name;
  readonly name?: Name;
  readonly index?: readonly Expression[];
  readonly parameters?: readonly Expression[];
  /** Names of parameters, as in `jitter(stage = 3)`; only of the keys that take them (`namesParameters`). */
  readonly parameterNames?: readonly (Name | undefined)[];
  readonly ends?: readonly [Expression, Expression];
  /** Absent where there is no `=`; a value that is missing after `=` or `,` is a `missing` expression. */
  readonly values?: readonly Expression[];
  readonly range?: Expression;
  readonly step?: Expression;
  readonly condition?: Expression;
  readonly body?: Block;
}

/** What an `expect` block asks for: `bubble < 30%`, `valid`, `over(devices = 2..8)`. */
export interface Check extends NodeBase {
  readonly kind: 'check';
  readonly condition: Expression;
}

// Expressions

export type Expression =
  Quantity | StringLiteral | Name | List | Group | Call | Index | Unary | Binary | Range | Missing;

/** `80GiB`, `3.1ms`, `25GB/s`, `40%`, `12`. `unit` is the suffix as written, empty for a plain number. Not yet scaled. */
export interface Quantity extends NodeBase {
  readonly kind: 'quantity';
  readonly value: number;
  readonly unit: string;
}

/** `value` is the text between the quotes with escapes resolved. */
export interface StringLiteral extends NodeBase {
  readonly kind: 'string';
  readonly value: string;
}

export interface List extends NodeBase {
  readonly kind: 'list';
  readonly items: readonly Expression[];
}

/** `( … )`. */
export interface Group extends NodeBase {
  readonly kind: 'group';
  readonly inner: Expression;
}

/** An argument of a call or an index: `4` or `stage = k`. `binds`: the name takes each number of a range, `each(j in 0..3, …)`. */
export interface Argument extends NodeBase {
  readonly kind: 'argument';
  readonly name?: Name;
  readonly value: Expression;
  readonly binds?: true;
}

export interface Call extends NodeBase {
  readonly kind: 'call';
  readonly callee: Name;
  readonly arguments: readonly Argument[];
}

export interface Index extends NodeBase {
  readonly kind: 'index';
  readonly target: Name;
  readonly arguments: readonly Argument[];
}

export interface Unary extends NodeBase {
  readonly kind: 'unary';
  readonly operator: '-';
  readonly operand: Expression;
}

export type Comparison = '<' | '<=' | '>' | '>=' | '==' | '!=';
export type BinaryOperator = '+' | '-' | '*' | '/' | 'and' | 'or' | Comparison;

export interface Binary extends NodeBase {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  /** The operator's own token, for messages that point at it. */
  readonly operatorToken: number;
  readonly left: Expression;
  readonly right: Expression;
}

/** `a..b` (both ends) or `a..<b` (without the last); every second number with `step 2`, downwards with `step -1`. */
export interface Range extends NodeBase {
  readonly kind: 'range';
  readonly from: Expression;
  readonly to: Expression;
  readonly exclusive: boolean;
  readonly step?: Expression;
}

/** An expression was expected and there is none; an empty span at that place. */
export interface Missing extends NodeBase {
  readonly kind: 'missing';
}

export type SyntaxNode = SyntaxFile | Declaration | Block | BlockItem | Argument | Expression;
