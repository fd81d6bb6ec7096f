/** Which bars are around the timeline. Heights in CSS pixels, of the whole page. Pure. */
export interface Room {
  readonly figures: boolean;
  readonly params: boolean;
  readonly overview: boolean;
  readonly detail: boolean;
  readonly status: boolean;
  /** What is left for an open sheet. */
  readonly sheet: number;
}

/** Heights of the bars, as the style sheets have them. */
export const bars = { toolbar: 36, figures: 30, params: 30, overview: 12, ruler: 22, detail: 30, status: 26 } as const;

/** What a page keeps room for: rows of this height, up to this number, and a chart of this height. */
export const guaranteed = { rows: 4, row: 34, memory: 96 } as const;

/** Least height of the chart of memory. */
export const leastMemory = 64;

/** Bars make room for a sheet until it has this height. */
const leastSheet = 110;

/** In this order bars are dropped where the page is too low. */
const dropped = ['detail', 'params', 'overview', 'status', 'figures'] as const;

/** What is open over or under the timeline: the details, an explanation, the shape of a schedule. */
export interface OpenSheet {
  /** Share of the page that the timeline keeps. */
  readonly share: number;
  /** The line of the selection belongs to it. */
  readonly keepsDetail: boolean;
}

export interface RoomWanted {
  readonly height: number;
  /** Rows of the timeline; undefined while there is none. */
  readonly rows: number | undefined;
  readonly hasParams: boolean;
  readonly memoryShown: boolean;
  /** Height of what else is over the timeline. */
  readonly above?: number;
  readonly sheet?: OpenSheet;
}

export function roomFor({ height, rows, hasParams, memoryShown, above = 0, sheet }: RoomWanted): Room {
  const shown = { figures: true, params: hasParams, overview: true, detail: true, status: true };
  const chart = sheet === undefined ? guaranteed.memory : leastMemory;
  const wantedRows = Math.min(rows ?? guaranteed.rows, guaranteed.rows) * guaranteed.row;
  /** What the timeline and the bars take. */
  const taken = (): number => {
    const timeline = bars.ruler + (shown.overview ? bars.overview : 0) + wantedRows + (memoryShown ? chart : 0);
    const around = (['figures', 'params', 'detail', 'status'] as const).filter((bar) => shown[bar]);
    const sum = around.reduce((total, bar) => total + bars[bar], bars.toolbar + above);
    return sum + Math.max(timeline, (sheet?.share ?? 0) * height);
  };
  const wanted = height - (sheet === undefined ? 0 : leastSheet);
  for (const bar of dropped) {
    if (taken() <= wanted) break;
    if (bar !== 'detail' || sheet?.keepsDetail !== true) shown[bar] = false;
  }
  return { ...shown, sheet: Math.max(0, height - taken()) };
}
