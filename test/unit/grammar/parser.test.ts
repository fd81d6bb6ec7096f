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

  it('takes time in proportion to the text', () => {
    const cost = (text: string): number => {
      const times = Array.from({ length: 5 }, () => {
        const start = process.cpuUsage().user;
        parse(text);
        return process.cpuUsage().user - start;
      });
      return Math.min(...times);
    };
    const text = good.repeat(60);
    cost(text);
    // Sixteen times the text; twice that, and then some, before it counts as more than proportional.
    expect(cost(text.repeat(16)) / Math.max(cost(text), 1000)).toBeLessThan(60);
  });
});
