/** An order that public code runs, derived step by step from what it does: facts, no code. */
export interface PublishedOrder {
  /** Repository, file and commit. */
  readonly source: string;
  readonly policy: string;
  readonly devices: number;
  readonly microbatches: number;
  readonly args: Readonly<Record<string, number | string>>;
  /** By device; `+` marks the first of two operations in one slot, `U` the update of all that a device holds. */
  readonly rows: readonly string[];
}
