import { describe, expect, it } from 'vitest';
import { nodeAt, parse, walk } from '../../../grammar/index.ts';
import { children } from '../../../grammar/walk.ts';
import { good } from './good.ts';

/** The kinds on the way to the cursor `|`. */
const path = (marked: string): readonly string[] => {
  const at = marked.indexOf('|');
  return nodeAt(parse(marked.replace('|', '')), at).map(({ kind }) => kind);
};

describe('walk', () => {
  it('visits each node once, parents first and in order of position', () => {
    const file = parse(good);
    const starts: number[] = [];
    const names: string[] = [];
    walk(file, (node, parent) => {
      if (parent !== undefined) expect(children(parent)).toContain(node);
      if (node.kind === 'name') {
        names.push(node.text);
        starts.push(node.start);
      }
    });
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    const keywords = new Set(['import', 'param', 'let', 'in', 'step', 'from']);
    const tokens = file.tokens.filter(({ kind, text }) => kind === 'name' && !keywords.has(text));
    expect(names.filter((name) => !keywords.has(name))).toEqual(tokens.map(({ text }) => text));
  });

  it('leaves out what is below where told to', () => {
    const kinds: string[] = [];
    walk(parse('let a = f(1)'), (node) => {
      kinds.push(node.kind);
      return node.kind !== 'call';
    });
    expect(kinds).toEqual(['file', 'let', 'name', 'call']);
  });
});

describe('nodeAt', () => {
  it.each([
    ['let |a = 1', ['file', 'let', 'name']],
    ['let a| = 1', ['file', 'let', 'name']],
    ['let a =| 1', ['file', 'let']],
    ['let a = -|b', ['file', 'let', 'unary', 'name']],
    ['model m { a = f(x = 4|0) }', ['file', 'block', 'body', 'entry', 'call', 'argument', 'quantity']],
    ['model m { a =| }', ['file', 'block', 'body', 'entry', 'missing']],
    ['model m { a = 1 | }', ['file', 'block', 'body']],
    ['model m { a = b[1]|c = 2 }', ['file', 'block', 'body', 'entry', 'name']],
    ['|', ['file']],
  ])('%j', (marked, kinds) => expect(path(marked)).toEqual(kinds));

  it('finds nothing outside the text', () =>
    expect(nodeAt(parse('let a = 1'), 99).map(({ kind }) => kind)).toEqual(['file']));
});
