import { bars, guaranteed, leastMemory } from './room.ts';
import { type RowMap, rowForEach } from './rowMap.ts';

/** Places in the timeline area, in CSS pixels from its upper left corner. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Names are left of `left`; time runs from `left` over `plot` pixels. */
  readonly left: number;
  readonly plot: number;
  /** Height 0 where there is no room. */
  readonly overview: Band;
  readonly ruler: Band;
  /** The devices taken together. Height 0 if no row mixes devices, and where there is no room. */
  readonly all: Band;
  readonly rows: Band;
  /** Which devices are in which row. */
  readonly map: RowMap;
  /** Height of a row that makes all rows fit: the first view has it. Under `leastRow`, devices are grouped. */
  readonly fittedRow: number;
  /** Height 0 where there is no room. */
  readonly memory: Band;
}
export interface Band {
  readonly y: number;
  readonly height: number;
}

export const leastRow = 14;
const mostRow = 66;
/** With a lane of exchanges under its blocks. If there is one device, its row is the whole picture. */
const mostLaneRow = { single: 190, of: 112 };
const memoryShare = 0.3;
const memorySizes = { least: leastMemory, preferred: guaranteed.memory, most: 240 };
/** The lane of all devices, and the room from which on it is there. */
const allSize = { height: 44, room: 240 };
/** Rows under this height may be any fraction of a pixel: edges are no longer seen. */
const wholePixels = 8;
/** Thousands of rows, each a fraction of a pixel, add up to a little more or less than their room. */
const roundOff = 1e-6;

/**
 * `overviewShown`: false where the page is too low for it (`roomFor`). `mixed`: rows mix the operations of several devices.
 * `lanes`: rows show what they exchange.
 */
export function layoutFor(
  width: number,
  height: number,
  rows: number,
  memoryShown: boolean,
  overviewShown = true,
  mixed = false,
  lanes = false,
): Layout {
  const left = Math.min(gutterFor(width), Math.floor(width / 3));
  const overview = { y: 0, height: overviewShown ? bars.overview : 0 };
  const ruler = { y: overview.height, height: bars.ruler };
  const foot = ruler.y + ruler.height;
  const all = { y: foot, height: mixed && height - foot >= allSize.room ? allSize.height : 0 };
  const top = all.y + all.height;
  const room = Math.max(0, height - top);
  const overChart = memoryShown ? rowHeight(room, rows, lanes) : 0;
  const rest = memoryShown && rows > 0 ? Math.max(0, room - overChart * rows) : 0;
  // All that the rows leave is the chart, and without it the rows take all: no dead band under them.
  const chart = rest >= memorySizes.least - roundOff ? rest : 0;
  const rowsHeight = room - chart;
  const fittedRow = chart > 0 ? overChart : rows === 0 ? 0 : room / rows;
  return {
    width,
    height,
    left,
    plot: Math.max(1, width - left - (width < 860 ? 10 : 16)),
    overview,
    ruler,
    all,
    rows: { y: top, height: rowsHeight },
    map: rowForEach(rows),
    fittedRow,
    memory: { y: top + rowsHeight, height: chart },
  };
}

/** Of rows over the chart of memory. */
function rowHeight(room: number, rows: number, lanes: boolean): number {
  if (rows === 0) return 0;
  const few = Math.min(rows, guaranteed.rows);
  const { least, preferred, most } = memorySizes;
  // Where the room is small the chart shrinks first, then rows, then the chart goes.
  let memory = Math.max(preferred, Math.min(most, room * memoryShare));
  if (room - memory < few * guaranteed.row) memory = Math.max(least, Math.min(preferred, room - few * guaranteed.row));
  if (room - memory < few * leastRow) memory = 0;
  const tallest = lanes ? mostLaneRow[rows === 1 ? 'single' : 'of'] : mostRow;
  return whole(Math.min(tallest, (room - memory) / rows));
}

const whole = (height: number): number => (height >= wholePixels ? Math.floor(height) : height);

/** Width of the names, by the width of the timeline area. */
export function gutterFor(width: number): number {
  if (width < 360) return 44;
  if (width < 520) return 62;
  if (width < 860) return 96;
  return width < 1180 ? 112 : 136;
}

export const inside = (band: Band, y: number): boolean => y >= band.y && y < band.y + band.height;
