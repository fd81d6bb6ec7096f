import type { Precision } from './types.ts';

/**
 * Bytes of one stored element: parameters and activations. `tf32` is a way to multiply fp32 numbers. `fp8` speeds up
 * multiplication only: parameters and activations stay in 16 bits, as in Transformer Engine without fp8 primary weights. So does `fp4`.
 */
export const elementBytes = (precision: Precision): number => (precision === 'fp32' || precision === 'tf32' ? 4 : 2);
