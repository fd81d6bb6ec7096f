import { describe, expect, test } from 'vitest';
import { csvField, csvLine } from '../../../server/text/csvField.ts';
import * as fc from '../../support/property.ts';
import { call, good } from '../cli/harness.ts';

/** The fields of one line, read by RFC 4180. */
function fieldsOf(line: string): readonly string[] {
  const fields = [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,"\r\n]*))/g)];
  return fields.map(([, inQuotes, plain]) => inQuotes?.replaceAll('""', '"') ?? plain);
}

describe('a field', () => {
  test.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['::error::', '"::error::"'],
    ['=HYPERLINK("http://x")', '"\'=HYPERLINK(""http://x"")"'],
    ['+1+cmd', "'+1+cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['  -2+3', "'  -2+3"],
    ['＝1', "'＝1"],
    ['-1.5e-7', '-1.5e-7'],
    ['+3', '+3'],
    ['-', "'-"],
    ['gpu[0]=5', 'gpu[0]=5'],
  ])('%s is written %s', (text, written) => {
    expect(csvField(text)).toBe(written);
  });

  test('of any text is no formula, and a line gives back what was written', () =>
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom(...'=+-@ ",:a1.e') }), { minLength: 1 }), (texts) => {
        const read = fieldsOf(csvLine(texts).replace(/\r\n$/, ''));
        expect(read.map((field) => field.replace(/^'/, ''))).toEqual(texts);
        for (const field of read)
          expect(/^\s*[=@]/.test(field) || (/^\s*[+-]/.test(field) && Number.isNaN(Number(field))), field).toBe(false);
      }),
    ));
});

const name = '=HYPERLINK(1).pipe';

test.each([
  ['compare', ['--schedules', '1f1b,gpipe', '--format', 'csv', name]],
  ['compare of pipelines', ['--format', 'csv', name]],
])('%s writes the name of a file as text', async (_, args) => {
  const { out } = await call(['compare', ...args], { files: { [name]: good } });
  expect(out.split('\r\n')[1].startsWith("'=HYPERLINK(1).pipe,")).toBe(true);
});
