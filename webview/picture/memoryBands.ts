/** How much memory the devices hold over a stretch of time: of equal columns, the spread over the devices. */
export interface MemoryBands {
  readonly t0: number;
  readonly t1: number;
  readonly columns: number;
  /**
   * Bytes of each column, `columns × bandShares`: levels that these shares of the devices do not exceed. The level of a device in
   * a column is its highest there.
   */
  readonly levels: Float64Array;
}

export const bandShares = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1] as const;

/** With more devices than this, bands stand for their lines. */
export const mostLines = 8;
