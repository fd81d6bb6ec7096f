/** How far a sample is worth splitting over context ranks: one rule for quick fixes and for the space of a search. */

/** Tokens of a sample on a context rank: with fewer, kernels are small, and ranks send keys for little work. */
export const leastTokens = 4096;

/** Each rank has two equal parts of a sample, so that causal attention is spread evenly, and enough tokens. */
export const isWorthSplitting = (sequence: number, context: number): boolean =>
  context === 1 || (sequence % (2 * context) === 0 && sequence / context >= leastTokens);
