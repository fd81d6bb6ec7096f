/** Which bars are around the timeline. Heights in CSS pixels, of the whole page. Pure. */
export interface Room {
  readonly figures: boolean;
  readonly params: boolean;
  readonly overview: boolean;
  readonly detail: boolean;
  readonly status: boolean;
}

/** Heights of the bars, as the style sheets have them. */
export const bars = { toolbar: 36, figures: 30, params: 30, overview: 12, ruler: 22, detail: 30, status: 26 } as const;

/** What a page keeps room for: rows of this height, up to this number, and a chart of this height. */
export const guaranteed = { rows: 4, row: 34, memory: 96 } as const;

/** In this order bars are dropped where the page is too low. */
const dropped = ['detail', 'params', 'overview', 'status', 'figures'] as const;

export interface RoomWanted {
  readonly height: number;
  /** Rows of the timeline; undefined while there is none. */
  readonly rows: number | undefined;
  readonly hasParams: boolean;
  readonly memoryShown: boolean;
}

export function roomFor({ height, rows, hasParams, memoryShown }: RoomWanted): Room {
  const shown = { figures: true, params: hasParams, overview: true, detail: true, status: true };
  const wantedRows = Math.min(rows ?? guaranteed.rows, guaranteed.rows) * guaranteed.row;
  let needed = bars.toolbar + bars.ruler + wantedRows + (memoryShown ? guaranteed.memory : 0);
  for (const bar of dropped) if (shown[bar]) needed += bars[bar];
  for (const bar of dropped) {
    if (needed <= height) break;
    if (!shown[bar]) continue;
    shown[bar] = false;
    needed -= bars[bar];
  }
  return shown;
}
