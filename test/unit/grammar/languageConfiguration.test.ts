import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

interface Configuration {
  readonly wordPattern: string;
  readonly indentationRules: Readonly<Record<'increaseIndentPattern' | 'decreaseIndentPattern', string>>;
  readonly onEnterRules: readonly { readonly beforeText: string; readonly action: { readonly appendText?: string } }[];
}
const file = path.resolve(import.meta.dirname, '../../../grammar/language-configuration.json');
const configuration = JSON.parse(readFileSync(file, 'utf8')) as Configuration;

describe('language configuration', () => {
  it('takes names that begin with a digit, and quantities, as one word', () => {
    const words = 'schedule = 1f1b(4ms, 2.5GiB, 40%) -x'.match(new RegExp(configuration.wordPattern, 'g'));
    expect(words).toEqual(['schedule', '1f1b', '4ms', '2.5GiB', '40%', 'x']);
  });

  it('sets in after an open bracket and back at a closing one', () => {
    const { increaseIndentPattern, decreaseIndentPattern } = configuration.indentationRules;
    const increases = new RegExp(increaseIndentPattern);
    expect(['model m {', '  a = f(', 'x = [ // why', 'import "a" a {'].filter((line) => !increases.test(line))).toEqual(
      [],
    );
    expect(['model m { a = 1 }', 'a = f(1)', '// {', 'a = "{"'].filter((line) => increases.test(line))).toEqual([]);
    expect(new RegExp(decreaseIndentPattern).test('  }')).toBe(true);
  });

  it('goes on with documentation on the next line', () => {
    const rule = configuration.onEnterRules.find(({ action }) => action.appendText === '/// ');
    expect(new RegExp(rule?.beforeText ?? '$^').test('  /// text')).toBe(true);
    expect(new RegExp(rule?.beforeText ?? '$^').test('  // text')).toBe(false);
  });
});
