/** Slices of long work in the server's thread, and the turns of the event loop between them. */
import { inNextTurn } from '../../platform/common/turn.ts';

/** Milliseconds of work between two looks at the input. */
export const slice = 4;

/** Work that waits for a turn of the event loop. */
const waiting: (() => void)[] = [];

/** Settled in another turn of the event loop. Each turn has one piece of work: the server reads its input before the next one. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) inNextTurn(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) inNextTurn(giveTurn);
}
