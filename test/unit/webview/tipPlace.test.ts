import { describe, expect, it } from 'vitest';
import { tipPlace } from '../../../webview/view/scene/tipPlace.ts';
import * as fc from '../../support/property.ts';

const area = { width: 1000, height: 600 };
const size = { width: 240, height: 160 };

describe('place of a tooltip', () => {
  it('is right of the pointer and under it', () => {
    expect(tipPlace(size, area, { x: 100, y: 100 })).toEqual([116, 118]);
    expect(tipPlace(size, area, { x: 900, y: 590 })).toEqual([648, 436]);
  });

  it('is under the row of the selection, or over it', () => {
    expect(tipPlace(size, area, { x: 100, y: 100 }, [{ from: 80, to: 146 }])).toEqual([116, 150]);
    expect(tipPlace(size, area, { x: 100, y: 500 }, [{ from: 480, to: 546 }])).toEqual([116, 316]);
  });

  it('leaves the row of the pointer free, too, if it has a place then', () => {
    const selected = { from: 80, to: 146 };
    expect(tipPlace(size, area, { x: 100, y: 200 }, [selected, { from: 180, to: 246 }])).toEqual([116, 250]);
    // Between the two there is no room, and under the second one neither.
    expect(
      tipPlace(size, { width: 1000, height: 330 }, { x: 100, y: 200 }, [selected, { from: 180, to: 246 }]),
    ).toEqual([116, 166]);
  });

  it('covers neither the row nor the pointer if any place is free of both', () => {
    const free = (
      { height }: { readonly height: number },
      spans: readonly (readonly [number, number])[],
      tall: number,
    ) =>
      Array.from({ length: tall }, (_, top) => top).some(
        (top) =>
          top >= 4 &&
          top + height <= tall - 4 &&
          spans.every(([from, to]) => top >= to + 4 || top + height <= from - 4),
      );
    const pixels = (most: number) => fc.integer({ min: 0, max: most });
    fc.assert(
      fc.property(
        pixels(400),
        pixels(300),
        pixels(500),
        pixels(900),
        pixels(900),
        pixels(66),
        (w, h, x, y, from, row) => {
          const box = { width: 100 + w, height: 60 + h };
          const page = { width: 520, height: 900 };
          const kept = { from, to: from + row };
          const [left, top] = tipPlace(box, page, { x, y }, [kept]);
          const across = left <= x && x <= left + box.width;
          const spans = [[kept.from, kept.to] as const, ...(across ? [[y - 8, y + 14] as const] : [])];
          if (!free(box, spans, page.height)) return;
          for (const [a, b] of spans) expect(top >= b || top + box.height <= a).toBe(true);
          expect(top).toBeGreaterThanOrEqual(4);
          expect(top + box.height).toBeLessThanOrEqual(page.height - 4);
        },
      ),
    );
  });
});
