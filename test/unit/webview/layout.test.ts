import * as fc from '../../support/property.ts';
import { describe, expect, it, test } from 'vitest';
import { type Layout, gutterFor, inside, layoutFor } from '../../../webview/view/scene/layout.ts';
import { type OpenSheet, type Room, bars, roomFor } from '../../../webview/view/scene/room.ts';

interface Page {
  readonly width: number;
  readonly height: number;
  readonly rows: number;
  readonly hasParams: boolean;
  readonly memoryShown: boolean;
  readonly above?: number;
  readonly sheet?: OpenSheet;
}
const pages = fc.record({
  width: fc.integer({ min: 200, max: 3000 }),
  height: fc.integer({ min: 100, max: 2000 }),
  rows: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 100_000 })),
  hasParams: fc.boolean(),
  memoryShown: fc.boolean(),
});

/** What the timeline area of a page gets: what the bars leave. */
function arranged(page: Page): { readonly room: Room; readonly stage: number; readonly layout: Layout } {
  const room = roomFor(page);
  const around = (['figures', 'params', 'detail', 'status'] as const).filter((bar) => room[bar]);
  const sheet = page.sheet === undefined ? 0 : room.sheet;
  const taken = around.reduce((sum, bar) => sum + bars[bar], bars.toolbar + (page.above ?? 0) + sheet);
  const stage = page.height - taken;
  return { room, stage, layout: layoutFor(page.width, stage, page.rows, page.memoryShown, room.overview) };
}

describe('room', () => {
  it('keeps four rows of 34 px and a chart of 96 px in every page of 320 by 424 px or more', () => {
    fc.assert(
      fc.property(pages, (page) => {
        fc.pre(page.width >= 320 && page.height >= 424);
        const { room, layout } = arranged(page);
        expect(Object.entries(room).filter(([, shown]) => shown === false)).toEqual(
          page.hasParams ? [] : [['params', false]],
        );
        if (page.rows <= 4) expect(layout.fittedRow).toBeGreaterThanOrEqual(34);
        expect(layout.rows.height).toBeGreaterThanOrEqual(Math.min(page.rows, 4) * 34 - 1e-9);
        if (page.memoryShown) expect(layout.memory.height).toBeGreaterThanOrEqual(96 - 1e-6);
      }),
    );
  });

  it('drops bars in a fixed order, and only as many as it must', () => {
    const order = ['detail', 'params', 'overview', 'status', 'figures'] as const;
    fc.assert(
      fc.property(pages, (page) => {
        const { room } = arranged(page);
        const kept = order.filter((bar) => bar !== 'params' || page.hasParams).map((bar) => room[bar]);
        expect(kept).toEqual(kept.toSorted((a, b) => Number(a) - Number(b)));
        const least = Math.min(page.rows, 4) * 34 + (page.memoryShown ? 96 : 0) + bars.toolbar + bars.ruler;
        const needed = order.filter((bar) => room[bar]).reduce((sum, bar) => sum + bars[bar], least);
        const next = order.findLast((bar) => !room[bar] && (bar !== 'params' || page.hasParams));
        if (next !== undefined) expect(needed + bars[next]).toBeGreaterThan(page.height);
        if (order.some((bar) => room[bar])) expect(needed).toBeLessThanOrEqual(page.height);
      }),
    );
  });

  it('keeps the chart of 64 px over thousands of rows that add up to a little more than their room', () => {
    const page = { width: 320, height: 424, rows: 67_092, hasParams: false, memoryShown: true };
    const { layout } = arranged({ ...page, sheet: { share: 0, keepsDetail: false } });
    expect(layout.memory.height).toBeGreaterThanOrEqual(64 - 1e-6);
  });

  it('keeps four rows of 34 px, a chart of 64 px and its share for the timeline, whatever is open', () => {
    const sheets = fc.record({ share: fc.constantFrom(0, 0.6), keepsDetail: fc.boolean() });
    fc.assert(
      fc.property(pages, sheets, (page, sheet) => {
        fc.pre(page.width >= 320 && page.height >= 424);
        const { room, stage, layout } = arranged({ ...page, sheet });
        expect(stage).toBeGreaterThanOrEqual(sheet.share * page.height - 1e-9);
        if (page.rows <= 4) expect(layout.fittedRow).toBeGreaterThanOrEqual(34);
        // More rows share the room of four, in whole pixels each.
        else expect(layout.rows.height).toBeGreaterThan(4 * 34 - Math.min(page.rows, 17));
        if (page.memoryShown) expect(layout.memory.height).toBeGreaterThanOrEqual(64 - 1e-6);
        // What is open can be read, and its line stays.
        expect(room.sheet).toBeGreaterThanOrEqual(sheet.keepsDetail ? 103 : 110);
        if (sheet.keepsDetail) expect(room.detail).toBe(true);
        // No bar goes for nothing.
        const alone = roomFor(page);
        if (room.sheet >= 110 + 116 && !sheet.keepsDetail) expect({ ...room, sheet: alone.sheet }).toEqual(alone);
      }),
    );
  });

  it('counts what else is over the timeline', () => {
    const page = { width: 420, height: 424, rows: 4, hasParams: true, memoryShown: true };
    expect(arranged({ ...page, height: 460, above: 34 }).layout.fittedRow).toBeGreaterThanOrEqual(34);
    expect(roomFor({ ...page, above: 34 })).toMatchObject({ detail: false, params: true });
    const sheet = { share: 0.6, keepsDetail: false };
    expect(roomFor({ ...page, sheet }).sheet - roomFor({ ...page, sheet, above: 34 }).sheet).toBeCloseTo(34, 9);
  });

  it('shows all rows, without a dead band and without overlaps, in any page', () => {
    fc.assert(
      fc.property(pages, (page) => {
        const { stage, layout } = arranged(page);
        const { overview, ruler, rows, memory, left, plot, width } = layout;
        expect(ruler.y).toBe(overview.y + overview.height);
        expect(rows.y).toBe(ruler.y + ruler.height);
        expect(memory.y).toBe(rows.y + rows.height);
        expect(rows.height).toBeCloseTo(layout.fittedRow * page.rows, 6);
        expect(memory.y + memory.height).toBeCloseTo(Math.max(stage, rows.y), 6);
        expect(left + plot).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('shrinks the chart to 64 px before rows, and rows to 14 px before the chart goes', () => {
    const at = (height: number) => layoutFor(600, height + bars.ruler, 4, true, false);
    for (const [room, row, chart] of [
      [232, 34, 96],
      [210, 34, 74],
      [200, 34, 64],
      [152, 22, 64],
      [120, 14, 64],
      [119, 29.75, 0],
    ] as const) {
      const layout = at(room);
      expect([layout.fittedRow, layout.memory.height], `${room} px`).toEqual([row, chart]);
    }
  });

  it('has rows of 14 to 66 px and a chart of 30 % of the stage where both fit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 320, max: 1600 }), fc.integer({ min: 4, max: 40 }), (room, rows) => {
        const { fittedRow, memory } = layoutFor(900, room + bars.ruler, rows, true, false);
        const chart = Math.max(96, Math.min(240, room * 0.3));
        expect(memory.height).toBeGreaterThanOrEqual(Math.floor(chart));
        expect(fittedRow).toBeLessThanOrEqual(66);
        // A pixel more for each row would take it from the chart.
        if (fittedRow >= 14 && fittedRow < 66) expect((fittedRow + 1) * rows).toBeGreaterThan(room - chart);
      }),
    );
  });

  it('gives names the width that the page has for them', () => {
    expect([319, 359, 360, 519, 520, 859, 860, 1179, 1180].map(gutterFor)).toEqual([
      44, 44, 62, 62, 96, 96, 112, 112, 136,
    ]);
    expect(layoutFor(90, 300, 4, true).left).toBe(30);
  });

  it('has a lane of all devices over groups where 240 px are left under the ruler', () => {
    const lane = (room: number, grouped = true) =>
      layoutFor(900, room + bars.ruler, 100, true, false, grouped).all.height;
    expect([lane(239), lane(240), lane(240, false)]).toEqual([0, 44, 0]);
  });
});

test('a band holds its first pixel, and not the first pixel of the band under it', () => {
  const band = { y: 10, height: 5 };
  expect([9.5, 10, 14.5, 15].map((y) => inside(band, y))).toEqual([false, true, true, false]);
});
