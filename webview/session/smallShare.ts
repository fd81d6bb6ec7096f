import { share } from '../../engine/basics/quantities.ts';

/** Below this it is what rounding has left of nothing. */
const noise = 1e-9;

/** A share as everywhere; one that is there but too small for that is not called zero. */
export function smallShare(value: number): string {
  const text = share(value);
  return value > noise && text === share(0) ? '< 0.1 %' : text;
}
