/** Advice on a long text that is wrong: how often its tokens are looked at. */
import { expect, test } from 'vitest';
import { slipsOf } from '../../../engine/language/otherSyntax.ts';
import { parse } from '../../../grammar/index.ts';

test.each([
  ['a long sum', (length: number) => `F[j % 2${' + 0'.repeat(length)}]`, 1],
  ['a remainder after the other', (length: number) => `F[j${' % 2'.repeat(length)}]`, 200],
])('%s is read in proportion to its length', (_, row, most) => {
  const syntax = parse(`schedule mine { row(d) = ${row(1_000)} }`, { size: 1e6, faults: 1_000 });
  let reads = 0;
  const tokens = new Proxy(syntax.tokens, {
    get(target, key) {
      reads += 1;
      const found: unknown = Reflect.get(target, key);
      return found;
    },
  });
  const found = slipsOf({ ...syntax, tokens });
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeLessThanOrEqual(most);
  expect(reads).toBeLessThan(20 * most * syntax.tokens.length);
});
