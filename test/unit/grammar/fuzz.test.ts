import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { parse } from '../../../grammar/index.ts';
import { goodFile, soup } from './arbitraries.ts';
import { brokenPromises } from './shape.ts';

const runs = { numRuns: 400 };
const holds = (text: string): void => {
  expect(brokenPromises(parse(text))).toEqual([]);
};

describe('for any text the tree keeps its promises', () => {
  it('characters of any kind', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 80 }), holds), runs);
  });

  it('tokens in any order', () => {
    fc.assert(fc.property(soup, holds), runs);
  });

  it('good text, which has no fault', () => {
    fc.assert(
      fc.property(goodFile, (text) => {
        holds(text);
        expect(parse(text).errors).toEqual([]);
      }),
      runs,
    );
  });

  it('good text with a stretch replaced', () => {
    const edit = fc.tuple(goodFile, fc.nat(), fc.nat(12), fc.oneof(soup, fc.string({ maxLength: 5 })));
    fc.assert(
      fc.property(edit, ([text, at, length, inserted]) => {
        const start = text.length === 0 ? 0 : at % text.length;
        holds(text.slice(0, start) + inserted + text.slice(start + length));
      }),
      runs,
    );
  });

  it('keeps as many faults as asked for', () => {
    fc.assert(
      fc.property(soup, fc.nat(5), (text, faults) => {
        const all = parse(text).errors;
        expect(parse(text, { faults }).errors.length).toBe(Math.min(faults, all.length));
      }),
    );
  });
});
