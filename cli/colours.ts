import picocolors from 'picocolors';
import type { Io } from './io.ts';

export type Colours = ReturnType<typeof picocolors.createColors>;

/** Colours on a terminal only; `NO_COLOR` (https://no-color.org) and a terminal without them turn them off. */
export function coloursFor(io: Io): Colours {
  const { NO_COLOR, TERM } = io.environment;
  return picocolors.createColors(io.outIsTerminal && (NO_COLOR ?? '') === '' && TERM !== 'dumb');
}
