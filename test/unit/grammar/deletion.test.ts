import { describe, expect, it } from 'vitest';
import type { Declaration, SyntaxFile } from '../../../grammar/index.ts';
import { LineIndex, parse } from '../../../grammar/index.ts';
import { good, marked } from './good.ts';
import { faultsOf, shape } from './shape.ts';

const whole = parse(good);
/** Offsets of the tokens that may be left out. */
const optional = new Set<number>();
for (let i = marked.indexOf('§'); i >= 0; i = marked.indexOf('§', i + 1)) optional.add(i - optional.size);

const nameOf = (declaration: Declaration): string =>
  declaration.kind === 'skipped'
    ? ''
    : `${declaration.kind} ${'name' in declaration ? declaration.name?.text : shape(declaration)}`;

const without = (token: number): { readonly file: SyntaxFile; readonly at: number } => {
  const { start, end } = whole.tokens[token];
  return { file: parse(`${good.slice(0, start)} ${good.slice(end)}`), at: start };
};

describe('a good file with one token left out', () => {
  it('is good to begin with', () => expect(faultsOf(whole)).toEqual([]));

  it.each(whole.tokens.map((token, i) => [i, token.text, good.slice(token.start - 15, token.end + 15)] as const))(
    'token %i %j in %j',
    (token) => {
      const { file, at } = without(token);
      const start = whole.tokens[token]?.start ?? 0;
      const holder = whole.declarations.findIndex((d) => d.first <= token && token <= d.last);
      if (optional.has(start)) expect(faultsOf(file)).toEqual([]);
      else {
        // The first fault is on the line of the token, or points at the brace that is now open.
        const lines = new LineIndex(file.text);
        const line = lines.positionAt(at).line;
        const [first] = file.errors;
        expect(first).toBeDefined();
        const owner = whole.declarations[holder];
        const near = Math.abs(lines.positionAt(first?.start ?? 0).line - line) <= 1;
        const atOpening =
          first?.code === 'syntax/unclosed' && first.start >= (owner?.start ?? Infinity) && first.start <= at;
        expect(near || atOpening, faultsOf(file).join('\n')).toBe(true);
      }
      // Every other declaration is still there, unchanged.
      const left = file.declarations.map(shape);
      for (const [i, declaration] of whole.declarations.entries()) {
        if (i !== holder) expect(left, nameOf(declaration)).toContain(shape(declaration));
      }
    },
  );
});
