/** Whose turn it is: documents are checked in slices, and between two slices the server reads its input. */
import { nextTurn } from './eventLoop.ts';
import type { Clock } from './host.ts';
import type { OpenDocument } from './openDocument.ts';

export interface Turns {
  /** Waits for its turn, as the first or the last of those that are alike. */
  add(document: OpenDocument, first: boolean): void;
  remove(document: OpenDocument): void;
}

/** `advance` has a slice of the work on a document; it adds the document again if there is more. Nothing begins before `ready`. */
export function createTurns(ready: Promise<void>, clock: Clock, advance: (document: OpenDocument) => void): Turns {
  let queue: OpenDocument[] = [];
  let running = false;
  let slices = 0;

  /**
   * The document that was edited or asked about last: an editor asks about those that it shows. Documents without a plan come first, so that
   * what needs no simulation is known of each. One slice in four goes to whichever has waited longest, so that none waits for ever.
   */
  function nextOf(waiting: readonly OpenDocument[]): OpenDocument | undefined {
    slices += 1;
    if (slices % 4 === 0) return waiting[0];
    const unplanned = waiting.filter(({ revision, planned }) => planned?.revision !== revision);
    return (unplanned.length > 0 ? unplanned : waiting).reduce<OpenDocument | undefined>(
      (last, document) => (last === undefined || document.askedAt > last.askedAt ? document : last),
      undefined,
    );
  }

  function remove(document: OpenDocument): void {
    queue = queue.filter((other) => other !== document);
  }

  async function run(): Promise<void> {
    running = true;
    await ready;
    for (;;) {
      await nextTurn();
      const now = clock.now();
      const document = nextOf(queue.filter(({ notBefore }) => notBefore <= now));
      if (document === undefined && queue.length > 0) {
        await clock.sleep(Math.max(1, Math.min(...queue.map(({ notBefore }) => notBefore)) - now));
        continue;
      }
      if (document === undefined) break;
      remove(document);
      advance(document);
    }
    running = false;
  }

  return {
    add(document, first) {
      remove(document);
      if (first) queue.unshift(document);
      else queue.push(document);
      if (!running) void run();
    },
    remove,
  };
}
