/** A whole page below `docs/`, or the region of one with this name. */
export interface Generated {
  readonly page: string;
  readonly region?: string;
  readonly text: string;
}
