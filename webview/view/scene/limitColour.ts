import type { Rgb } from './colour.ts';
import type { Theme } from './theme.ts';

/** Over this part of the limit a peak is worth a look: allocators lose some memory to fragments. */
const near = 0.9;

/** Of a limit and of a peak: quiet while there is room, orange over 90 %, red only if the peak does not fit. */
export function limitColour(theme: Theme, peak: number, capacity: number): Rgb {
  if (peak > capacity) return theme.error;
  return peak > near * capacity ? theme.warning : theme.dim;
}
