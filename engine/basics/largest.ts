/**
 * Largest quantity in base units: more bytes, seconds or FLOPS than anything has, and sums and products of such never overflow.
 * What is smaller than its reciprocal counts as 0.
 */
export const largestQuantity = 1e24;
