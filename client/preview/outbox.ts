import type { ToPage } from '../../webview/protocol/messages.ts';

/**
 * Messages on their way to a page that may be hidden or still loading. Until it is ready, the newest of each sort is kept; older
 * ones of the same sort are dropped.
 */
export interface Outbox {
  post(message: ToPage): void;
  /** The page listens: what was kept goes out. */
  ready(): void;
  /** The page listens, and keeps nothing back. */
  isOpen(): boolean;
  /** The page is gone. */
  closed(): void;
}

/**
 * In the order in which they go out. First is how the page works, then the search that an earlier page had, and the view that a link
 * leads to. What the page shows and outlines follows. What the reader asked for is last. Answers to an earlier page are dropped.
 */
const sorts = [
  'modes',
  'planKept',
  'view',
  'picture',
  'beside',
  'highlight',
  'compare',
  'plans',
  'findOrder',
  'draw',
] as const;
type Sort = (typeof sorts)[number];

const answers: ReadonlySet<ToPage['type']> = new Set([
  'fixes',
  'lines',
  'slotMoved',
  'rowMoved',
  'origin',
  'entry',
  'entries',
  'planFound',
  'planEnd',
  'planEdited',
  'planNote',
  'order',
  'late',
  'besideLate',
]);
const sortOf = ({ type }: ToPage): Sort | undefined =>
  answers.has(type) ? undefined : (sorts.find((sort) => sort === type) ?? 'picture');

export function createOutbox(send: (message: ToPage) => void): Outbox {
  let open = false;
  const kept = new Map<Sort, ToPage>();
  return {
    post(message) {
      const sort = sortOf(message);
      if (open) send(message);
      else if (sort !== undefined) kept.set(sort, message);
    },
    ready() {
      open = true;
      for (const sort of sorts) {
        const message = kept.get(sort);
        if (message !== undefined) send(message);
      }
      kept.clear();
    },
    isOpen: () => open,
    closed() {
      open = false;
    },
  };
}
