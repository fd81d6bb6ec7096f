import { scrolledRow } from './viewport.ts';

/** Places in the timeline area, in CSS pixels from its upper left corner. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Names are left of `left`; time runs from `left` over `plot` pixels. */
  readonly left: number;
  readonly plot: number;
  readonly overview: Band;
  readonly ruler: Band;
  readonly rows: Band;
  /** Height 0 where there is no room. */
  readonly memory: Band;
}
export interface Band {
  readonly y: number;
  readonly height: number;
}

const gutter = 136;
const rightMargin = 16;
const leastRow = 54;
const mostRow = 76;
const memory = { preferred: 170, least: 104, most: 340 };

export function layoutFor(width: number, height: number, rows: number, memoryShown: boolean): Layout {
  const left = Math.min(gutter, Math.floor(width / 3));
  const overview = { y: 8, height: 30 };
  const ruler = { y: 42, height: 26 };
  const top = ruler.y + ruler.height;
  const room = Math.max(0, height - top);
  const preferredRow = Math.max(leastRow, Math.min(mostRow, Math.floor((room - memory.preferred) / Math.max(1, rows))));
  const wanted = rows * preferredRow;
  const leastMemory = !memoryShown || room < 220 ? 0 : Math.max(memory.least, Math.min(memory.most, room - wanted));
  const most = Math.max(0, Math.min(room - leastMemory, Math.max(wanted, preferredRow)));
  // Rows to be scrolled: whole ones, no sliver of the next.
  const scrolled = scrolledRow(most, rows);
  const rowsHeight = scrolled === undefined || most < scrolled ? most : most - (most % scrolled);
  const memoryHeight = leastMemory === 0 ? 0 : leastMemory + (most - rowsHeight);
  return {
    width,
    height,
    left,
    plot: Math.max(1, width - left - rightMargin),
    overview,
    ruler,
    rows: { y: top, height: rowsHeight },
    memory: { y: top + rowsHeight, height: memoryHeight },
  };
}

export const inside = (band: Band, y: number): boolean => y >= band.y && y < band.y + band.height;
