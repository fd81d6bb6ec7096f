import { clip } from './drawing/width.ts';
import { printable } from '../server/text/printable.ts';
import type { Io } from './io.ts';

export interface Progress {
  /** Something was done; `what` says what. */
  tick(what: string): void;
  /** Takes the bar away. */
  end(): void;
}

const quietFor = 1_000;
/** Milliseconds before the first line of a log, and between two lines. */
const lineEvery = 30_000;
const barWidth = 24;

/**
 * A bar on standard error for work that takes over a second. In a log, a line now and then. `total` is the
 * number of ticks that are expected; more than that leave the bar full.
 */
export function progressBar(io: Io, total: number): Progress {
  const begun = io.now();
  let done = 0;
  let shown = false;
  let nextLine = begun + lineEvery;
  return {
    tick(what) {
      done += 1;
      const now = io.now();
      if (!io.errIsTerminal) {
        if (now < nextLine) return;
        nextLine = now + lineEvery;
        void io.err(`pipewright: ${printable(what)}\n`);
        return;
      }
      if (now - begun < quietFor) return;
      const full = Math.round((Math.min(done, total) / Math.max(1, total)) * barWidth);
      shown = true;
      void io.err(`\r\u001b[K[${'█'.repeat(full)}${'·'.repeat(barWidth - full)}] ${clip(printable(what), 60)}`);
    },
    end() {
      if (shown) void io.err('\r\u001b[K');
      shown = false;
    },
  };
}
