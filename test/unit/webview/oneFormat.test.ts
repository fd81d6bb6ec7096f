import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { iterationTime, moment, time } from '../../../engine/basics/quantities.ts';

const root = new URL('../../../', import.meta.url).pathname;
const files = globSync('webview/**/*.ts', { cwd: root });

it('formats a quantity in one form wherever the page shows it', () => {
  expect(files.length).toBeGreaterThan(100);
  // Digits of its own would make a figure differ between two places.
  const digits = files.flatMap((file) =>
    (
      readFileSync(root + file, 'utf8').match(/(?<![\w.])(?:time|bytes|amount)\((?:[^()]|\([^()]*\))*, \d+\)/g) ?? []
    ).map((call) => `${file}: ${call}`),
  );
  expect(digits).toEqual([]);
});

it('writes iterations and moments with four digits, and durations with three', () => {
  expect([iterationTime(0.2642456), moment(0.2642456), time(0.2642456)]).toEqual(['264.2 ms', '264.2 ms', '264 ms']);
});
