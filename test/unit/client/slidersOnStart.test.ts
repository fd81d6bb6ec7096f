import { expect, test } from 'vitest';
import { slidersOnStart } from '../../../client/preview/memory.ts';

const uri = 'file:///a.pipe';
const now = { uri, overrides: { a: 1 }, linked: undefined };

test('a page that starts again has the sliders of its last session, if it showed this file', () => {
  expect(slidersOnStart(now, { uri, overrides: { a: 2 } })).toEqual({ a: 2 });
  expect(slidersOnStart(now, { uri: 'file:///b.pipe', overrides: { a: 2 } })).toEqual({ a: 1 });
  expect(slidersOnStart(now, { uri })).toEqual({ a: 1 });
  expect(slidersOnStart(now, undefined)).toEqual({ a: 1 });
});

test('a link that was opened meanwhile comes first, also one without sliders', () => {
  expect(slidersOnStart({ ...now, linked: { a: 3 } }, { uri, overrides: { a: 2 } })).toEqual({ a: 3 });
  expect(slidersOnStart({ ...now, linked: {} }, { uri, overrides: { a: 2 } })).toEqual({});
});
