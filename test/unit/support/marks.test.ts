import * as fc from '../../support/property.ts';
import { expect, test } from 'vitest';
import { cursorOf, marks } from '../../support/marks.ts';

test('positions and findings lie in the text without marks', () => {
  const { text, at, findings } = marks('let $1a = ⟦name/unknown:b⟧ + ⟦warning type/mismatch:1ms⟧$0');
  expect(text).toBe('let a = b + 1ms');
  expect(at).toEqual([15, 4]);
  expect(findings).toEqual([
    { code: 'name/unknown', start: 8, end: 9 },
    { code: 'type/mismatch', severity: 'warning', start: 12, end: 15 },
  ]);
});

test('arrows give the text after the fix', () => {
  const { text, fixed, findings } = marks('⟦let →⟧⟦name/unused:x→⟧⟦ = 1\n→⟧let y = ⟦2→3⟧\n');
  expect(text).toBe('let x = 1\nlet y = 2\n');
  expect(fixed).toBe('let y = 3\n');
  expect(findings).toEqual([{ code: 'name/unused', start: 4, end: 5 }]);
  expect(marks('let ⟦name/unused:x⟧ = 1').fixed).toBe('let x = 1');
});

test('other files begin at their name, and one line break before the text is left out', () => {
  const { text, files } = marks('\nimport "b.pipe"$0\n//- /b.pipe\nlet a = 1\n//- /c/d.pipe\n');
  expect(text).toBe('import "b.pipe"\n');
  expect(files).toEqual({ 'b.pipe': 'let a = 1\n', 'c/d.pipe': '' });
});

test.each([
  '⟦name/unknown:a',
  'a⟧',
  '⟦a⟧',
  '⟦name/unknown:⟦name/unknown:a⟧⟧',
  '⟦fatal name/unknown:a⟧',
  '$0$0',
  '⟦a/b:$0⟧',
])('a mark that is not well formed is refused: %s', (source) => {
  expect(() => marks(source)).toThrow(/not well formed|occurs twice|neither a finding nor a fix/);
});

test('a cursor that is asked for must be there', () => {
  expect(cursorOf(marks('a$0'))).toBe(1);
  expect(() => cursorOf(marks('a$1'))).toThrow('write $0');
});

test('any text without marks stays as it is, and each mark is found where it was put', () => {
  const plain = fc.string().map((text) => text.replaceAll(/[⟦⟧→$]|\/\/- /g, ''));
  fc.assert(
    fc.property(plain, fc.array(fc.tuple(plain, plain), { maxLength: 5 }), (first, parts) => {
      const source = `.${first}${parts.map(([inside, rest]) => `⟦name/unknown:${inside}⟧${rest}`).join('')}`;
      const { text, fixed, findings, files } = marks(source);
      expect(text).toBe(`.${first}${parts.map(([inside, rest]) => inside + rest).join('')}`);
      expect(fixed).toBe(text);
      expect(files).toEqual({});
      expect(findings.map(({ start, end }) => text.slice(start, end))).toEqual(parts.map(([inside]) => inside));
    }),
  );
});
