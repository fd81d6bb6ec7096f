import { describe, expect, it } from 'vitest';
import { FileParser } from '../../../grammar/parser/declarations.ts';
import { parse } from '../../../grammar/index.ts';
import { good } from './good.ts';

describe('the parser', () => {
  it('is a grammar without ambiguities, left recursion or unreachable alternatives', () => {
    expect(() => new FileParser({ skipValidations: false })).not.toThrow();
  });

  it('remembers nothing of the text before', () => {
    const fresh = parse(good);
    parse('model m { a = f([(');
    parse('expect t {');
    expect(parse(good)).toEqual(fresh);
  });
});
