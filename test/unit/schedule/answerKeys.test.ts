import { expect, it } from 'vitest';
import { listKey } from '../../../engine/policies/answers.ts';

it('a key of values writes equal ones that follow each other once, and ends where one is no number', () => {
  expect(listKey([1, 1, 2, 1])).toBe('2×1,1×2,1×1');
  expect(listKey([NaN, NaN, 1])).toBe('2×NaN,1×1');
  expect(listKey([])).toBe('');
});
