/** How finely a figure shows a run. */
export interface Detail {
  /** More blocks than this are drawn as pixels. */
  readonly mostShapes: number;
  /** Pixels of a point, of a row that is drawn as pixels. */
  readonly pixels: number;
  /** Rows of pixels: if there are more devices, neighbours share a row. */
  readonly mostRows: number;
  /** With the exchange of gradients under the rows. */
  readonly exchange: boolean;
}

/** For paper: 216 pixels to the inch, what a printer's screen resolves. Viewers and printers take seconds for more shapes. */
export const finest: Detail = { mostShapes: 50_000, pixels: 3, mostRows: Number.POSITIVE_INFINITY, exchange: true };
