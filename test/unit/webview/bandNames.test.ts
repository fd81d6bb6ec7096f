/** Names in the memory chart of many devices. */
import { expect, test } from 'vitest';
import { type MemoryBands, bandShares } from '../../../webview/picture/memoryBands.ts';
import type { Scene } from '../../../webview/view/scene/scene.ts';
import { labels } from '../../../webview/view/paint/labels.ts';
import { nameMemoryBands } from '../../../webview/view/paint/memoryBands.ts';

const columns = 100;
const theme = { foreground: [255, 255, 255], background: [0, 0, 0], font: 'sans-serif' };
const layout = { left: 60, plot: 500, memory: { y: 0, height: 200 } };
const scene = { theme, layout } as unknown as Scene;

/** Bands of the same levels all along: 10 %, median and 90 %. */
const bandsOf = (low: number, middle: number, high: number): MemoryBands => {
  const levels = Float64Array.from({ length: columns * bandShares.length }, (_, at) =>
    at % bandShares.length < 2 ? low : at % bandShares.length > 4 ? high : middle,
  );
  return { t0: 0, t1: 1, columns, levels };
};

function written(bands: MemoryBands, taken?: readonly [text: string, x: number, y: number]) {
  const texts: { text: string; x: number; y: number }[] = [];
  const ink = {
    measureText: (text: string) => ({ width: text.length * 6 }),
    fillRect() {},
    fillText: (text: string, x: number, y: number) => texts.push({ text, x, y }),
  } as unknown as CanvasRenderingContext2D;
  const names = labels(ink, scene);
  if (taken !== undefined) names.write(taken[0], [255, 255, 255], [[taken[1], taken[2], 'left']]);
  nameMemoryBands(scene, bands, (level) => 200 - level, names);
  return texts;
}

const overlaps = (texts: ReturnType<typeof written>): boolean =>
  texts.some((a, at) =>
    texts
      .slice(at + 1)
      .some((b) => Math.abs(a.y - b.y) < 12 && a.x < b.x + b.text.length * 6 && b.x < a.x + a.text.length * 6),
  );

test.each([
  [20, 100, 180, 3],
  [96, 100, 104, 1],
  [90, 100, 130, 2],
])('of bands at %i, %i and %i pixels, %i have a name, and none is over another', (low, middle, high, count) => {
  const texts = written(bandsOf(low, middle, high));
  expect(texts.map(({ text }) => text)[0]).toBe('median');
  expect(texts).toHaveLength(count);
  expect(overlaps(texts)).toBe(false);
});

test('they stand elsewhere if a peak has its name there', () => {
  const texts = written(bandsOf(98, 100, 102), ['peak 8.5 GiB, node[0].gpu[0]', 340, 100]);
  expect(texts.map(({ text }) => text)).toEqual(['peak 8.5 GiB, node[0].gpu[0]', 'median']);
  expect(overlaps(texts)).toBe(false);
});
