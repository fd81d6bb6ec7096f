import { describe, expect, test } from 'vitest';
import { format, parse } from '../../../grammar/index.ts';
import { checkFindings } from '../../support/expected.ts';
import { good } from '../../support/goodFile.ts';
import { call } from '../cli/harness.ts';

const message = 'This is not a text file: it has a NUL character here. Save the file as UTF-8 text.';
const utf16 = Buffer.from(`\ufeff${good}`, 'utf16le').toString('utf8');
const binary = Array.from({ length: 20_000 }, (_, index) => String.fromCharCode((index * 7919) % 256)).join('');

describe('a text with a NUL character', () => {
  test.each([
    ['UTF-16', utf16],
    ['a binary file', binary],
    ['a NUL in a comment', `${good}// \0\n`],
    ['a NUL in a text', `import "\0"\n`],
  ])('%s has one fault, at the first NUL', (_, text) => {
    const { declarations, errors } = parse(text);
    const start = text.indexOf('\0');
    expect(errors).toEqual([{ code: 'syntax/unexpected', start, end: start + 1, message }]);
    expect(declarations).toEqual([]);
  });
  test('is one finding of the editor', () => {
    checkFindings(`model m { layer a }⟦syntax/unexpected:\0⟧ pipeline p { devices = \0 }`, [message]);
  });
  test('is one located line in the terminal, and is not formatted', async () => {
    const files = { 'utf16.pipe': utf16 };
    const checked = await call(['check', 'utf16.pipe'], { files });
    expect(checked.status).toBe(1);
    expect(checked.out.match(/syntax\//g)).toHaveLength(1);
    expect(checked.out).toContain(`utf16.pipe:1:4`);
    expect(checked.out).toContain(message);
    const formatted = await call(['format', 'utf16.pipe'], { files });
    expect(formatted).toMatchObject({ status: 1, out: '', err: `utf16.pipe:1:4: ${message} Not formatted.\n` });
    expect(format(parse(utf16)).ok).toBe(false);
  });
});
