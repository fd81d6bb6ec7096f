import { describe, expect, it } from 'vitest';
import { loupePlace } from '../../../webview/view/scene/loupePlace.ts';

const rows = { left: 100, top: 50, width: 600, height: 300 };
const size = { width: 300, height: 120 };

describe('place of a loupe', () => {
  it('is the corner of the rows away from the pointer', () => {
    expect(loupePlace(size, rows, 600, { x: 120, y: 60 }, [])).toEqual([390, 220]);
    expect(loupePlace(size, rows, 600, { x: 600, y: 300 }, [])).toEqual([110, 60]);
  });

  it('is free of the tooltip and of the row that it enlarges, if any place is', () => {
    const tip = { left: 300, top: 120, width: 420, height: 240 };
    const row = { ...rows, top: 50, height: 60 };
    expect(loupePlace(size, rows, 600, { x: 120, y: 60 }, [tip, row])).toEqual([390, 470]);
    expect(loupePlace(size, rows, 600, { x: 120, y: 60 }, [row])).toEqual([390, 220]);
  });
});
