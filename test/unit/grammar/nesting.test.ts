import { describe, expect, it } from 'vitest';
import { format, nodeAt, parse, walk } from '../../../grammar/index.ts';
import type { SyntaxNode } from '../../../grammar/index.ts';
import { brokenPromises } from './shape.ts';

const repeat = (piece: string, units: number): string => piece.repeat(Math.ceil(units / piece.length));

/** What every reader of the tree does; overflows the stack where the tree is too high. */
const height = (node: SyntaxNode): number => {
  let highest = 0;
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) for (const item of value) highest = Math.max(highest, isNode(item) ? height(item) : 0);
    else if (isNode(value)) highest = Math.max(highest, height(value));
  }
  return highest + 1;
};
const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'kind' in value && 'first' in value;

describe('a long text of one thing', () => {
  const openers = [
    '{',
    '[',
    '(',
    '-',
    '- ',
    'f(',
    'a[',
    'a{',
    'a{\n',
    'f(\n',
    '[a=',
    '(-',
    'f(x=',
    'f(1,\n',
    'model a {',
    'a[0](b){',
  ];
  const others = [
    '}',
    ')',
    '])',
    '([',
    '(]',
    '1+',
    '1 ',
    'a ',
    'a = ',
    'a\n',
    ',',
    '@',
    '"',
    '"\\"',
    '/*',
    '// \n',
    '/// x\n',
    ';',
    'let a = ',
    '--',
    'import ',
    'a..',
    '1*2+',
    '1<',
    '😀',
  ];
  const heads = ['', 'let a = ', 'model m { ', 'model m { a = ', 'expect t { '];

  const isReadable = (text: string): void => {
    const file = parse(text);
    expect(file.errors.length).toBeLessThanOrEqual(1000);
    expect(Math.max(0, ...file.declarations.map(height))).toBeLessThan(1500);
    expect(nodeAt(file, text.length).length).toBeLessThan(1500);
    let count = 0;
    walk(file, () => void count++);
    expect(count).toBeGreaterThan(0);
  };

  it.each([...openers, ...others])('%j', (piece) => {
    for (const head of heads) isReadable(head + repeat(piece, 6000));
  });

  it.each(['{', '(', 'f(', 'a\n', '@'])('a quarter of a megabyte of %j', (piece) => {
    isReadable(`model m { a = ${repeat(piece, 250_000)}`);
  });

  it.each(openers)('%j on a small scale leaves a good tree', (piece) => {
    for (const head of heads) expect(brokenPromises(parse(head + repeat(piece, 2000)))).toEqual([]);
  });
});

describe('depth', () => {
  const nested = (depth: number, open: string, close: string): string =>
    `let a = ${open.repeat(depth)}1${close.repeat(depth)}`;

  it.each([
    ['(', ')'],
    ['[', ']'],
    ['f(', ')'],
    ['f(x = ', ')'],
  ])('%j nests 200 deep and no deeper', (open, close) => {
    expect(parse(nested(200, open, close)).errors).toEqual([]);
    const { errors } = parse(`${nested(201, open, close)}\nlet b = 2`);
    expect(errors.map(({ message }) => message)).toEqual(['Brackets are nested deeper than 200 here.']);
  });

  it('goes on behind what was too deep', () => {
    const { declarations, errors } = parse(`${nested(5000, '(', ')')}\nlet b = 2`);
    expect(errors).toHaveLength(1);
    expect(declarations.at(-1)).toMatchObject({ kind: 'let', name: { text: 'b' } });
  });

  it('reports a chain of operators that is too long once', () => {
    const { errors, declarations } = parse(`let a = ${'1 + '.repeat(100_000)}1\nlet b = 2`);
    expect(errors.map(({ message }) => message)).toEqual([
      'More than 200 operators and brackets depend on each other here; name parts of the expression with "let".',
    ]);
    expect(declarations).toHaveLength(2);
    expect(parse(`let a = ${'1 + '.repeat(200)}1`).errors).toEqual([]);
  });

  it('formats as deep as it reads', () => {
    const blocks = `model m ${'{ a '.repeat(200)}= 1 ${'}'.repeat(200)}`;
    const file = parse(blocks);
    expect(file.errors).toEqual([]);
    expect(format(file).ok).toBe(true);
  });
});
