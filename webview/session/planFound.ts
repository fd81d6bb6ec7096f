import type { FoundPoint } from '../../engine/sweep/answer.ts';
import { frontOf } from '../../engine/sweep/front.ts';
import type { ToPage } from '../protocol/messages.ts';
import type { PlanEnd, PlanHead, Range } from '../protocol/requests.ts';

type PlanMessage = Extract<ToPage, { readonly type: 'planFound' | 'planEnd' | 'planEdited' | 'planNote' }>;
type Kept = Extract<ToPage, { readonly type: 'planKept' }>;

/** A search for plans as far as the page knows it. */
export interface PlanSearchState {
  readonly status: 'idle' | 'running' | 'ended' | 'failed';
  readonly head?: PlanHead;
  /** Rows that were simulated, in the order in which they came. */
  readonly points: readonly FoundPoint[];
  /** Rows that meet all limits and of which no other is better in both, fastest first. */
  readonly front: readonly FoundPoint[];
  /** Rows that are faster than the front and miss a limit, of which none is better in both; fastest first. */
  readonly beyond: readonly FoundPoint[];
  /** The row that needs least memory. */
  readonly smallest?: FoundPoint;
  /** Rows that meet all limits. */
  readonly fit: number;
  readonly looked: number;
  readonly total: number;
  readonly figures?: PlanEnd;
  readonly problem?: string;
  readonly range?: Range;
  /** The file has been edited since the search began, in a way that may change the figures. */
  readonly outdated: boolean;
  /** The row that is the file now. */
  readonly fileRow?: number;
  /** What became of what the reader asked for last. */
  readonly note: string;
}

const nothing: PlanSearchState = {
  status: 'idle',
  points: [],
  front: [],
  beyond: [],
  fit: 0,
  looked: 0,
  total: 0,
  outdated: false,
  note: '',
};

/** Of rows with equal figures the first one stands for all, as in the answer of the search: threads find them in any order. */
const inOrder = (rows: readonly FoundPoint[]): readonly FoundPoint[] => rows.toSorted((a, b) => a.row - b.row);

/** Collects what a search finds. Messages of older searches are left out. */
export function planFound() {
  let request = -1;
  let state = nothing;
  let points: FoundPoint[] = [];
  let misses: readonly FoundPoint[] = [];

  function add(found: readonly FoundPoint[]): void {
    if (found.length === 0) return;
    for (const point of found) points.push(point);
    const meeting = found.filter(({ meets }) => meets);
    // What was dominated stays dominated: only the front and what is new can be on the new front.
    const front = frontOf(inOrder([...state.front, ...meeting]));
    misses = frontOf(inOrder([...misses, ...found.filter(({ meets }) => !meets)]));
    const [fastest] = front;
    const beyond = misses.filter(({ iteration }) => fastest === undefined || iteration < fastest.iteration);
    const smallest = inOrder([...(state.smallest === undefined ? [] : [state.smallest]), ...found]).reduce(
      (least, point) => (point.peak < least.peak ? point : least),
    );
    state = { ...state, points, front, beyond, smallest, fit: state.fit + meeting.length };
  }

  /** A search begins. `more`: it goes on with what is known. */
  function begin(number: number, more: boolean): void {
    request = number;
    if (!more) {
      points = [];
      misses = [];
    }
    state = more ? { ...state, status: 'running', note: '' } : { ...nothing, status: 'running' };
  }

  /** False for a message of another search. */
  function receive(message: PlanMessage): boolean {
    if (message.request !== request) return false;
    switch (message.type) {
      case 'planFound': {
        const { head, points: found, looked, total } = message;
        state = { ...state, ...(head === undefined ? {} : { head }), looked, total };
        add(found);
        return true;
      }
      case 'planEnd': {
        const { figures, problem, range } = message;
        const failed = figures === undefined;
        state = {
          ...state,
          status: failed ? 'failed' : 'ended',
          ...(figures === undefined ? {} : { figures }),
          ...(problem === undefined ? {} : { problem }),
          ...(range === undefined ? {} : { range }),
        };
        return true;
      }
      case 'planEdited': {
        const { matters, row } = message;
        const { fileRow: _, ...rest } = state;
        // Under an edit that matters, a search that runs ends soon, with what it has.
        const status = matters && state.status === 'running' ? 'ended' : state.status;
        // What became of a row is of the text before.
        const { note } = matters ? nothing : state;
        state = { ...rest, status, outdated: matters, note, ...(row === undefined ? {} : { fileRow: row }) };
        return true;
      }
      case 'planNote':
        state = { ...state, note: message.text };
        return true;
    }
  }

  return {
    state: (): PlanSearchState => state,
    request: () => request,
    begin,
    receive,
    /** A search that began in an earlier page, or before another file was shown. */
    resume({ request: number, found, end, edited, note }: Kept): void {
      begin(number, false);
      receive({ type: 'planFound', request: number, ...found });
      if (end !== undefined) receive({ type: 'planEnd', request: number, ...end });
      receive({ type: 'planEdited', request: number, ...edited });
      state = { ...state, note };
    },
    forget(): void {
      request = -1;
      state = nothing;
      points = [];
      misses = [];
    },
  };
}
