/** How large the product may be, in bytes. Tests hold it to this. */
export const budgets = {
  /** `dist/pipewright.vsix`. */
  vsix: 4_000_000,
  /** `dist/pipewright.tgz`. */
  tgz: 2_800_000,
  /** The command line and its pages on a user's disk, after `npm install`. */
  installed: 7_500_000,
  /** What a first visit of the playground loads, compressed. */
  playground: 1_100_000,
} as const;
