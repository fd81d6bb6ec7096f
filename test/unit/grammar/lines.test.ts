import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { LineIndex } from '../../../grammar/index.ts';

const text = fc
  .array(fc.constantFrom('a', 'é', '😀', '\n', '\r', '\r\n'), { maxLength: 30 })
  .map((parts) => parts.join(''));

describe('LineIndex', () => {
  it('agrees with splitting the text at its line ends', () => {
    fc.assert(
      fc.property(text, (source) => {
        const index = new LineIndex(source);
        const lines = source.split(/\r\n|\r|\n/);
        expect(index.lineCount).toBe(lines.length);
        lines.forEach((line, i) => {
          const start = index.offsetAt({ line: i, character: 0 });
          expect(source.slice(start, index.offsetAt({ line: i, character: Infinity }))).toBe(line);
          expect(index.lineEnd(i)).toBe(start + line.length);
        });
      }),
    );
  });

  it('goes from offset to position and back', () => {
    fc.assert(
      fc.property(text, fc.nat(40), (source, at) => {
        const index = new LineIndex(source);
        const offset = Math.min(at, source.length);
        const insidePair = source[offset - 1] === '\r' && source[offset] === '\n';
        expect(index.offsetAt(index.positionAt(at))).toBe(insidePair ? offset - 1 : offset);
      }),
    );
  });

  it('takes what is outside as the nearest end', () => {
    const index = new LineIndex('ab\ncd');
    expect(index.positionAt(-5)).toEqual({ line: 0, character: 0 });
    expect(index.positionAt(99)).toEqual({ line: 1, character: 2 });
    expect(index.positionAt(Number.NaN)).toEqual({ line: 0, character: 0 });
    expect(index.offsetAt({ line: 0, character: 99 })).toBe(2);
    expect(index.offsetAt({ line: 9, character: 0 })).toBe(5);
    expect(index.offsetAt({ line: -1, character: 4 })).toBe(0);
    expect(index.offsetAt({ line: 1, character: -3 })).toBe(3);
  });
});
