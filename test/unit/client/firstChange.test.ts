import { expect, test } from 'vitest';
import { firstChange } from '../../../client/preview/firstChange.ts';

test.each([
  ['a\nb\nc', 'a\nb\nc', undefined],
  ['a\r\nb', 'a\nb', undefined],
  ['a\n  schedule   = 1f1b\n', 'a\n  schedule = zb_h1\n', 'line 2: schedule = 1f1b → schedule = zb_h1'],
  ['a', 'a\nb', 'line 2: no such line → b'],
  ['a\nb', 'a', 'line 2: b → no such line'],
  ['a\n\nb', 'a\nx\nb', 'line 2: an empty line → x'],
  ['x'.repeat(80), 'y', `line 1: ${'x'.repeat(59)}… → y`],
])('the first change from %j to %j', (before, after, expected) => {
  expect(firstChange(before, after)).toBe(expected);
});
