import type { PipelinePlan } from '../../engine/values/plan.ts';
import { kindOf, kinds, letters, microbatchOf, stageOf } from '../../engine/values/program.ts';
import type { Stall } from '../../engine/flow/stall.ts';
import { noSearch, type SearchResult, searchResult } from '../session/searchResult.ts';
import { asksFor, parseQuery, type Query } from './query.ts';

/** A deadlock that is shown. */
interface Shown {
  readonly stall: Stall;
  readonly plan: PipelinePlan;
}

export interface StalledSearchHost {
  /** Undefined while no deadlock is shown. */
  shown(): Shown | undefined;
  result(result: SearchResult): void;
  /** Marks positions of the program's order; `current` is the one that the search is at, −1 for none. */
  mark(found: ReadonlySet<number>, current: number): void;
}

/** Positions of the operations that a query asks for, device by device. Only operations that ran have a duration, and idle time before them. */
export function findStalled({ stall, plan }: Shown, query: Query): readonly number[] {
  const { program, stuck, start, end } = stall;
  const found: number[] = [];
  for (let device = 0; device < program.devices; device += 1) {
    for (let position = program.offsets[device]; position < program.offsets[device + 1]; position += 1) {
      const word = program.order[position];
      const kind = kindOf(program, word);
      const ran = position < stuck[device];
      const before = position > program.offsets[device] ? end[position - 1] : 0;
      const operation = {
        device,
        stage: stageOf(program, word),
        microbatch: microbatchOf(program, word),
        kind: kind >= kinds ? 'operation' : letters[kind],
        declared: kind - kinds,
        seconds: ran ? end[position] - start[position] : NaN,
        idle: ran ? Math.max(0, start[position] - before) : NaN,
      };
      if (asksFor(plan, query, operation)) found.push(position);
    }
  }
  return found;
}

/** The search of a deadlock: what ran and what never runs. */
export function stalledSearch(host: StalledSearchHost) {
  let query = '';
  let found: readonly number[] = [];
  let at = -1;

  function show(words?: string): void {
    const result = searchResult(found.length, at);
    host.result(words === undefined ? result : { ...noSearch, words });
    host.mark(new Set(found), found[at] ?? -1);
  }
  function search(text: string): void {
    query = text;
    found = [];
    at = -1;
    const shown = host.shown();
    if (text.trim() === '' || shown === undefined) return show('');
    const parsed = parseQuery(text, shown.stall.program.declared?.names);
    if (typeof parsed === 'string') return show(parsed);
    found = findStalled(shown, parsed);
    if (found.length > 0) at = 0;
    show();
  }
  return {
    search,
    /** In another deadlock. */
    again: (): void => search(query),
    /** To the next (1) or previous (−1) hit. */
    step(direction: 1 | -1): void {
      if (found.length === 0) return;
      at = (at + direction + found.length) % found.length;
      show();
    },
  };
}
