import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { badgePlaces, badgeRadius, underBlocks } from '../../../webview/view/paint/badgePlaces.ts';

const area = { left: 0, right: 400, top: 0, bottom: 400 };
const places = (x: number, y: number) =>
  fc.record({ x: fc.integer({ min: 0, max: x }), y: fc.integer({ min: 0, max: y }) });

describe('the numbers of a chain', () => {
  it('lie under the blocks of their row, and above the foot of the last one', () => {
    const shape = { bandTop: 5, bandHeight: 26 };
    expect(underBlocks(66, shape, 400)).toBe(26 + badgeRadius + 3);
    // A low row in the midst of others, and the last one.
    expect(underBlocks(34, shape, 400)).toBe(29);
    expect(underBlocks(34, shape, 29)).toBe(29 - badgeRadius);
    expect(underBlocks(34, shape, -60)).toBe(29);
  });

  it('never cover each other, and stay in sight', () => {
    fc.assert(
      fc.property(fc.array(places(400, 400), { maxLength: 24 }), fc.integer({ min: 1, max: 40 }), (wanted, grain) => {
        const found = badgePlaces(
          wanted.map(({ x, y }) => ({ x: x - (x % grain), y: y - (y % (10 * grain)) })),
          area,
        );
        for (const [index, place] of found.entries()) {
          expect(place.x >= area.left && place.x <= area.right && place.y >= area.top && place.y <= area.bottom).toBe(
            true,
          );
          for (const other of found.slice(index + 1))
            expect(Math.hypot(place.x - other.x, place.y - other.y)).toBeGreaterThan(2 * badgeRadius);
        }
      }),
    );
  });

  it('stay where they are if they have room, and go back in time if not', () => {
    const apart = [0, 100, 200].map((x) => ({ x, y: 50 }));
    expect(badgePlaces(apart, area)).toEqual(apart);
    const found = badgePlaces(
      [300, 301, 300, 299].map((x) => ({ x, y: 50 })),
      area,
    );
    expect(found.every(({ y }) => y === 50)).toBe(true);
    found.slice(1).forEach(({ x }, index) => {
      expect(found[index].x - x).toBeGreaterThan(2 * badgeRadius);
      expect(found[index].x - x).toBeLessThan(4 * badgeRadius);
    });
  });

  it('stay out of sight if their steps are', () => {
    const outside = [
      { x: -20, y: 50 },
      { x: -20, y: 50 },
    ];
    expect(badgePlaces(outside, area)).toEqual(outside);
  });
});
