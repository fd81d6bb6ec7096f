import { expect, it } from 'vitest';
import { exampleCards } from '../../../scripts/exampleCards.ts';
import { exampleText } from '../../support/example.ts';

it('cards of an empty file show the figures of the simulated example, and need no other file', () => {
  const cards = exampleCards();
  expect(cards.map(({ name }) => name)).toEqual(['quickstart', 'llama3-70b', 'data-parallel', 'custom-schedule']);
  for (const { name, lines } of cards) {
    const text = exampleText(`${name}.pipe`);
    expect(lines).toBe(text.split('\n').length - 1);
    expect(text).not.toMatch(/import .*\.pipe"/);
  }
  const [quickstart] = cards;
  // 8 microbatches and 4 stages of 24 ms, and a little more for the transfers: 3 idle slots of 11.
  expect(quickstart.iteration).toBeCloseTo(11 * 0.024, 3);
  expect(quickstart.bubble).toBeCloseTo(3 / 11, 2);
  expect(quickstart.csv[3]).toBe('3F0,3B0,3F1,3B1');
  // fc6, the 14th layer, has 411 MB, which 8 ranks exchange in 2 · 7/8 · 411 MB / (6 GB/s) = 120 ms of 220.4 ms.
  const [lane] = cards[2].lanes ?? [];
  expect((lane.match(/5/g)?.length ?? 0) / lane.length).toBeCloseTo(120 / 220.4, 1);
  expect(lane.slice(0, Math.floor((58.4 / 220.4) * lane.length)).trim()).toBe('');
  expect(cards.filter(({ lanes }) => lanes !== undefined)).toHaveLength(1);
  // Every device runs 8 forwards and 8 backwards, each begun by a small letter.
  for (const row of quickstart.rows) {
    expect(row.match(/f/g)).toHaveLength(8);
    expect(row.match(/i/g)).toHaveLength(8);
    const idle = row.match(/ /g)?.length ?? 0;
    expect(idle / row.length).toBeCloseTo(3 / 11, 1);
  }
});
