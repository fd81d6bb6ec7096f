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

  it('counts bytes of UTF-8 and whole characters as an encoder does', () => {
    fc.assert(
      fc.property(text, fc.nat(40), (source, at) => {
        const [units, utf8, utf32] = [
          new LineIndex(source),
          new LineIndex(source, 'utf-8'),
          new LineIndex(source, 'utf-32'),
        ];
        const { line, character } = units.positionAt(at);
        const start = units.offsetAt({ line, character: 0 });
        const offset = start + character;
        const isInside = /[\uD800-\uDBFF]/.test(source[offset - 1] ?? '');
        if (isInside) return;
        const before = source.slice(start, offset);
        const bytes = { line, character: Buffer.byteLength(before) };
        const characters = { line, character: [...before].length };
        expect(utf8.positionAt(at)).toEqual(bytes);
        expect(utf32.positionAt(at)).toEqual(characters);
        const there = units.offsetAt({ line, character });
        expect(utf8.offsetAt(bytes)).toBe(there);
        expect(utf32.offsetAt(characters)).toBe(there);
      }),
    );
    // In the middle of a character: its start. Behind the line: its end.
    const index = new LineIndex('a😀b\nc', 'utf-8');
    expect([2, 3, 4, 5, 6, 99].map((character) => index.offsetAt({ line: 0, character }))).toEqual([1, 1, 1, 3, 4, 4]);
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
