import { playingSeconds } from '../../engine/drawing/playing.ts';
import { type Columns, firstEndingAfter, firstStartingFrom } from '../picture/columns.ts';

/** Milliseconds that an iteration takes at speed 1. */
const iteration = 1000 * playingSeconds.usual;
export const speeds = [0.5, 1, 2, 4] as const;
export type Speed = (typeof speeds)[number];

/** The time of the cursor, seconds, when it has moved on for `milliseconds`; at most the end of the timeline. */
export const advanced = (time: number, milliseconds: number, speed: Speed, makespan: number): number =>
  Math.min(makespan, time + (Math.max(0, milliseconds) / iteration) * speed * makespan);

/** Seconds that an iteration takes. */
export const secondsAt = (speed: Speed): number => playingSeconds.usual / speed;

export const nextSpeed = (speed: Speed): Speed => speeds[(speeds.indexOf(speed) + 1) % speeds.length];

/** The first time after `time` at which a block of any device starts or ends; the end of the timeline if there is none. */
export function nextEvent(columns: Columns, time: number): number {
  const { rows, offsets, start, end, makespan } = columns;
  // Rounding must not stop at one event again and again.
  const after = time + makespan * 1e-12;
  let next = makespan;
  for (let row = 0; row < rows; row += 1) {
    const ending = firstEndingAfter(columns, row, after);
    if (ending < offsets[row + 1]) next = Math.min(next, end[ending]);
    const starting = firstStartingFrom(columns, row, after);
    if (starting < offsets[row + 1]) next = Math.min(next, start[starting]);
  }
  return next;
}
