import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import {
  type Bounds,
  type Viewport,
  carryOver,
  clampViewport,
  keptViewport,
  initialViewport,
  panBy,
  resized,
  restoredViewport,
  reveal,
  scaleRows,
  timeAt,
  zoomAt,
} from '../../../webview/view/scene/viewport.ts';

const bounds: Bounds = { makespan: 10, rows: 20, width: 1000, height: 300 };
const start = initialViewport(bounds);

/** The pixel of a time, the opposite of `timeAt`. */
const xOf = (view: Viewport, width: number, time: number): number => ((time - view.t0) / (view.t1 - view.t0)) * width;

describe('view', () => {
  it('keeps the time under the pointer where it is when zoomed', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1000, noNaN: true }),
        fc.double({ min: 1, max: 50, noNaN: true }),
        (x, factor) => {
          const time = timeAt(start, bounds.width, x);
          const zoomed = clampViewport(zoomAt(start, time, factor), bounds);
          expect(xOf(zoomed, bounds.width, time)).toBeCloseTo(x, 4);
        },
      ),
    );
  });

  it('is zoomed until the shortest operation fills half of the width, and no more', () => {
    const limited: Bounds = { ...bounds, shortest: () => 0.25 };
    const zoomed = clampViewport(zoomAt(initialViewport(limited), 5, 1000), limited);
    expect([zoomed.t0, zoomed.t1]).toEqual([4.75, 5.25]);
    // An iteration of one operation is in sight as a whole.
    const single = clampViewport(zoomAt(start, 5, 2), { ...bounds, shortest: () => 10 });
    expect([single.t0, single.t1]).toEqual([0, 10]);
  });

  it('never leaves the timeline', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e3, max: 1e3, noNaN: true }),
        fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
        fc.double({ min: -1e4, max: 1e4, noNaN: true }),
        (pan, factor, scroll) => {
          const view = clampViewport({ ...panBy(zoomAt(start, 5, factor), pan), scroll }, bounds);
          expect(view.t0).toBeGreaterThanOrEqual(0);
          expect(view.t1).toBeLessThanOrEqual(bounds.makespan + 1e-9);
          expect(view.t1).toBeGreaterThan(view.t0);
          expect(view.scroll).toBeGreaterThanOrEqual(0);
          expect(view.scroll).toBeLessThanOrEqual(Math.max(0, view.rowHeight * bounds.rows - bounds.height));
        },
      ),
    );
  });

  it('brings a block into sight and leaves the view alone when it is', () => {
    const zoomed = clampViewport(zoomAt(start, 1, 8), bounds);
    const moved = clampViewport(reveal(zoomed, bounds, 19, 8, 8.2), bounds);
    expect(moved.t0).toBeLessThanOrEqual(8);
    expect(moved.t1).toBeGreaterThanOrEqual(8.2);
    expect(moved.scroll + bounds.height).toBeGreaterThanOrEqual(20 * moved.rowHeight);
    expect(reveal(moved, bounds, 19, 8, 8.2)).toEqual(moved);
  });

  it('keeps the row under the pointer when rows grow', () => {
    const view = { ...start, scroll: 40 };
    const row = (of: typeof view) => (of.scroll + 100) / of.rowHeight;
    expect(row(scaleRows(view, 100, 1.5))).toBeCloseTo(row(view));
  });

  it('fits any number of rows', () => {
    const many = { ...bounds, rows: 4000 };
    expect(initialViewport(many).rowHeight * 4000).toBeLessThanOrEqual(bounds.height + 1e-9);
    expect(initialViewport(bounds).rowHeight * 20).toBeLessThanOrEqual(bounds.height);
  });

  it('gives rows the height that fits a stage of another size, unless another was chosen', () => {
    const four = { ...bounds, rows: 4, height: 300 };
    const smaller = { ...four, height: 220 };
    expect(resized(initialViewport(four), four, smaller).rowHeight).toBe(55);
    const chosen = { ...initialViewport(four), rowHeight: 60 };
    expect(resized(chosen, four, smaller).rowHeight).toBe(60);
    const many = { ...bounds, rows: 4000 };
    const fitted = resized(initialViewport(many), many, { ...many, height: 200 });
    expect(fitted.rowHeight * 4000).toBeCloseTo(200);
  });

  it('keeps the height of rows over reloads only where it was chosen', () => {
    const four = { ...bounds, rows: 4, height: 300 };
    const smaller = { ...four, height: 220 };
    expect(restoredViewport(keptViewport(initialViewport(four), four), smaller)).toEqual(initialViewport(smaller));
    const chosen = { ...initialViewport(four), rowHeight: 60 };
    expect(restoredViewport(keptViewport(chosen, four), smaller)).toEqual(chosen);
    expect(restoredViewport({ ...chosen, t0: 11 }, smaller)).toBeUndefined();
  });

  it('shows all of a timeline of over twice or under half the length, with rows and scroll as they were', () => {
    const zoomed = clampViewport({ ...zoomAt(start, 2, 5), scroll: 60 }, bounds);
    const kept = { rowHeight: zoomed.rowHeight, scroll: zoomed.scroll };
    for (const [makespan, all] of [
      [20.1, true],
      [19.9, false],
      [5.1, false],
      [4.9, true],
    ] as const) {
      const { t0, t1, ...rows } = carryOver(zoomed, bounds, { ...bounds, makespan });
      expect(rows).toEqual(kept);
      expect([t0, t1]).toEqual(all ? [0, makespan] : [zoomed.t0, zoomed.t1]);
    }
  });

  it('carries zoom and scroll over to a timeline of like length, and the whole to a whole', () => {
    const zoomed = clampViewport({ ...zoomAt(start, 2, 5), scroll: 60 }, bounds);
    expect(carryOver(zoomed, bounds, { ...bounds, makespan: 11 })).toEqual(zoomed);
    for (const makespan of [6, 11, 31]) expect(carryOver(start, bounds, { ...bounds, makespan }).t1).toBe(makespan);
    expect(carryOver(zoomed, bounds, { ...bounds, rows: 4 })).toEqual(
      clampViewport(initialViewport({ ...bounds, rows: 4 }), { ...bounds, rows: 4 }),
    );
  });
});

describe('rows that must not be too low', () => {
  const open: Bounds = { ...bounds, rows: 40, leastRow: 12 };

  it('are scrolled where they do not fit', () => {
    expect(initialViewport(open).rowHeight).toBe(12);
    expect(clampViewport({ ...initialViewport(open), rowHeight: 3, scroll: 1e6 }, open)).toMatchObject({
      rowHeight: 12,
      scroll: 40 * 12 - open.height,
    });
  });

  it('fill the height where they fit', () => {
    expect(initialViewport({ ...open, rows: 10 }).rowHeight).toBe(30);
  });
});
