/**
 * Which documents an editor shows. It does not say so, but after a refresh it asks again for those that it shows, and for no other. One that
 * it did not ask about after the last few refreshes is hidden behind another tab.
 */
export interface Shown {
  /** The editor asks for what it shows inside this text. */
  asked(uri: string): void;
  /** The editor is asked to ask again. */
  refreshed(): void;
  has(uri: string): boolean;
  closed(uri: string): void;
}

/** An editor may lose one: VS Code gives up its request for lenses if its text loses the focus at that moment. */
const mostMissed = 2;

export function createShown(): Shown {
  /** Refreshes since each document was asked about last. */
  const missed = new Map<string, number>();
  return {
    asked(uri) {
      missed.set(uri, 0);
    },
    refreshed() {
      for (const [uri, count] of missed) {
        if (count >= mostMissed) missed.delete(uri);
        else missed.set(uri, count + 1);
      }
    },
    has: (uri) => missed.has(uri),
    closed(uri) {
      missed.delete(uri);
    },
  };
}
