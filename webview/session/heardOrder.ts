import type { ShownOrder } from '../protocol/messages.ts';
import type { OrderSearch } from './orderWords.ts';

/** What a search for a shorter order has said so far. */
export interface HeardOrder {
  /** Undefined before anything is known. */
  readonly search: OrderSearch | undefined;
  /** Why there is no newer result, in a sentence; empty for none. */
  readonly note: string;
  /** `search` is of an earlier text. */
  readonly outdated: boolean;
  /** The newest search: it runs, it has said something, the reader has stopped it. */
  readonly running: boolean;
  readonly heard: boolean;
  readonly stopped: boolean;
}

export const nothingHeard: HeardOrder = {
  search: undefined,
  note: '',
  outdated: false,
  running: false,
  heard: false,
  stopped: false,
};

/** A search begins. `hindrance`: why there is nothing to search, and what was found before is of an earlier text; empty if there is. */
export function orderAsked({ search, outdated }: HeardOrder, hindrance: string): HeardOrder {
  const running = hindrance === '';
  // What the search before has ended with is not of this one.
  const kept = running && search !== undefined ? { state: search.state } : search;
  return {
    ...nothingHeard,
    search: kept,
    note: hindrance,
    outdated: running ? outdated : search !== undefined,
    running,
  };
}

export const orderStopped = (before: HeardOrder): HeardOrder => ({
  ...before,
  running: false,
  stopped: true,
  note: 'Stopped before an order was found.',
});

/** Pure. */
export function orderHeard(before: HeardOrder, { state, reason, end }: ShownOrder): HeardOrder {
  const { search, outdated } = before;
  const now = { ...before, running: state !== undefined && end === undefined, heard: state !== undefined };
  if (reason !== undefined) {
    const note = `The orders of this pipeline cannot be searched, because ${reason}.`;
    return { ...now, note, outdated: search !== undefined };
  }
  if (state === undefined) {
    const note = 'The file has changed. It is searched again once you stop typing.';
    return { ...now, note, outdated: true, stopped: false };
  }
  const newest = newestOf(search, state, end, outdated);
  return { ...now, search: newest, note: '', outdated: false, stopped: end?.stopped === true };
}

/** A longer search begins as the shorter one did, which is shown until there is more to show. `outdated`: it is of another text. */
function newestOf(
  before: OrderSearch | undefined,
  state: OrderSearch['state'],
  end: OrderSearch['end'],
  outdated: boolean,
): OrderSearch {
  const done = before?.state.points.at(-1)?.[0] ?? 0;
  const isAhead = (state.points.at(-1)?.[0] ?? 0) >= done;
  if (outdated || before === undefined || isAhead || end !== undefined)
    return { state, ...(end === undefined ? {} : { end }) };
  return { state: { ...before.state, effort: state.effort } };
}
