import { expect, test } from 'vitest';
import { checkOverrides } from '../../../engine/language/overrides.ts';
import { resolveText } from '../../support/resolve.ts';

test('a param takes both ends of its range, and nothing beyond them', () => {
  const resolution = resolveText('param m = 8 in 2..16\nparam free = 3\n');
  for (const m of [2, 16]) expect(checkOverrides(resolution, { m })).toEqual([]);
  for (const m of [1, 17]) expect(checkOverrides(resolution, { m })).toEqual([`"m" is ${m}; it must be from 2 to 16.`]);
  expect(checkOverrides(resolution, { free: -1e9 })).toEqual([]);
  expect(checkOverrides(resolution, { free: Infinity })[0]).toContain('it must be a finite number.');
});
