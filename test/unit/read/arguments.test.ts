/** What a call says while its arguments are being written. */
import { expect, it } from 'vitest';
import { analyse, codesOf } from '../../support/analyse.ts';

const codes = (call: string) =>
  codesOf(analyse(`param units = 4\nmodel m {\n  sequence = 1024\n  layer l[4] = ${call}\n}`)).toSorted();

it.each([
  ['transformer(hidden = 512, heads = 8, )', ['syntax/unexpected']],
  ['transformer(hidden = 512, heads = 8, f)', ['type/mismatch']],
  ['transformer(hidden = 512, heads = 8, ffn)', ['type/mismatch']],
  ['transformer(hidden = 512, heads = 8, fff)', ['name/unknown']],
  ['transformer(hidden = 512, heads = 8, ffn =)', ['syntax/unexpected']],
  ['transformer(512, 8, )', ['syntax/unexpected']],
  // These are mistakes of their own.
  ['transformer(hidden = 512, heads = 8, 512)', ['key/duplicate']],
  ['transformer(hidden = 512, heads = 8, units)', ['key/duplicate']],
  ['transformer(hidden = 512, hidden = fff)', ['key/duplicate', 'name/unknown']],
])('one mistake has one finding: %s', (call, expected) => {
  expect(codes(call)).toEqual(expected);
});
