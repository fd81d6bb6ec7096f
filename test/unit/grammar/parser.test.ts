import { NonTerminal } from 'chevrotain';
import type { IProduction } from 'chevrotain';
import { describe, expect, it } from 'vitest';
import { tokenize } from '../../../grammar/lexer.ts';
import { FileParser } from '../../../grammar/parser/declarations.ts';
import { Landmarks } from '../../../grammar/parser/landmarks.ts';
import { parse } from '../../../grammar/index.ts';
import { good } from './good.ts';

describe('the parser', () => {
  it('is a grammar without ambiguities, left recursion or unreachable alternatives', () => {
    expect(() => new FileParser({ skipValidations: false })).not.toThrow();
  });

  it('is described by the rules of chevrotain alone: all are reached from the file', () => {
    const rules = new FileParser({ skipValidations: true }).getGAstProductions();
    const reached = new Set<string>();
    const visit = (production: IProduction): void => {
      if (production instanceof NonTerminal) reach(production.nonTerminalName);
      else if ('definition' in production) (production.definition as IProduction[]).forEach(visit);
    };
    const reach = (name: string): void => {
      if (reached.has(name)) return;
      reached.add(name);
      rules[name]?.definition.forEach(visit);
    };
    reach('file');
    expect([...reached].toSorted()).toEqual(Object.keys(rules).toSorted());
    expect(reached.size).toBeGreaterThan(15);
  });

  it('agrees with its recovery on what may begin a value', () => {
    const samples = [...new Set(parse(good).tokens.map(({ text }) => text)), 'param', 'import', 'model', 'in', '"open'];
    for (const sample of samples) {
      const begins = new Landmarks(sample, tokenize(sample)).begins(0);
      const [declaration] = parse(`let a = ${sample}`).declarations;
      expect(declaration).toMatchObject({ kind: 'let', value: begins ? {} : { kind: 'missing' } });
      expect(declaration?.kind === 'let' && declaration.value?.kind === 'missing', sample).toBe(!begins);
    }
  });

  it('remembers nothing of the text before', () => {
    const fresh = parse(good);
    parse('model m { a = f([(');
    parse('expect t {');
    expect(parse(good)).toEqual(fresh);
  });
});
