import { expect, test } from 'vitest';
import { lieApart } from '../../../webview/view/race/raceStrip.ts';

test('the difference is drawn between ends that are as far apart', () => {
  const axis = { baseline: 1.2, longest: 6 };
  expect(lieApart(1, axis, -0.2)).toBe(true);
  expect(lieApart(1.3, axis, 0.1)).toBe(true);
  // Forty periods of 157 ms against one iteration.
  expect(lieApart(6, axis, 0.157 - 1.2)).toBe(false);
  expect(lieApart(1, { longest: 6, baseline: undefined }, -0.2)).toBe(false);
  expect(lieApart(1, axis, undefined)).toBe(false);
});
