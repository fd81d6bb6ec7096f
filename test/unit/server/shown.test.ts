import { expect, test } from 'vitest';
import { createShown } from '../../../server/shown.ts';

test('a document is shown until the editor leaves out three refreshes, or closes it', () => {
  const shown = createShown();
  expect(shown.has('a')).toBe(false);
  for (const uri of ['a', 'b', 'c']) shown.asked(uri);
  shown.refreshed();
  shown.refreshed();
  expect(['a', 'b', 'c'].map(shown.has)).toEqual([true, true, true]);
  shown.asked('a');
  shown.closed('c');
  shown.refreshed();
  expect(['a', 'b', 'c'].map(shown.has)).toEqual([true, false, false]);
  shown.refreshed();
  shown.refreshed();
  expect(shown.has('a')).toBe(false);
  shown.asked('a');
  expect(shown.has('a')).toBe(true);
});
