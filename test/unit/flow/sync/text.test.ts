import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import { reportText } from '../../../../cli/output/reportText.ts';
import { runOf, type Shape } from './fixture.ts';

const groups = (shape: Shape): string => {
  const { plan, run } = runOf(shape);
  return reportText(plan, run, 120, picocolors.createColors(false)).split('\nGroups\n')[1] ?? '';
};

test('the report says what ranks send, how long it takes and what of it is exposed, on the device where that is most', () => {
  // 4 layers of 125 MiB over two ranks and 25 GB/s: 4 · 125 MiB in 21 ms.
  expect(groups({ weights: [125] })).toMatch(
    /^ {2}gradients {2}500 MiB {2}21 ms {2}exposed 21 ms \(\d.*%\) on gpu\[0\]\n$/,
  );
  expect(groups({ weights: [125], sync: 'overlap' })).toMatch(/500 MiB {2}21 ms {2}exposed 5\.24 ms/);
  expect(groups({ data: 1 })).toBe('');
});
