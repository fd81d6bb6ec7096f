import type { ToPage } from '../../webview/protocol/messages.ts';

/**
 * Messages on their way to a page that may be hidden or still loading. Until it is ready, the newest picture and the newest
 * highlight are kept. Older messages of the same kind are dropped.
 */
export interface Outbox {
  post(message: ToPage): void;
  /** The page listens: what was kept goes out. */
  ready(): void;
  /** The page is gone. */
  closed(): void;
}

export function createOutbox(send: (message: ToPage) => void): Outbox {
  let open = false;
  const kept = new Map<'picture' | 'highlight', ToPage>();
  return {
    post(message) {
      if (open) send(message);
      else kept.set(message.type === 'highlight' ? 'highlight' : 'picture', message);
    },
    ready() {
      open = true;
      for (const sort of ['picture', 'highlight'] as const) {
        const message = kept.get(sort);
        if (message !== undefined) send(message);
      }
      kept.clear();
    },
    closed() {
      open = false;
    },
  };
}
