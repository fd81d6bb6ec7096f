/** A thread of the server: finds one answer at a time. It is ended from outside when nobody wants its answer any more. */
import { parentPort } from 'node:worker_threads';
import { figureSearch } from '../engine/drawing/figureSearch.ts';
import { evaluation } from '../engine/evaluate.ts';
import { explanation } from '../engine/explanation.ts';
import { scheduleTest } from '../engine/grid/testSearch.ts';
import { jobEvaluation } from '../engine/job/evaluateJob.ts';
import { graphCut } from '../engine/planning/cut/graphCut.ts';
import { memoryCutSearch } from '../engine/planning/cut/memoryCutSearch.ts';
import { planSearch } from '../engine/planning/cut/planners/planSearch.ts';
import { iterationSearch } from '../engine/iterationSearch.ts';
import { placementSearch } from '../engine/network/placement/placementSearch.ts';
import { orderSearch } from '../engine/orderSearch.ts';
import { runSearch, type Search } from '../engine/searches.ts';

export interface Asked {
  readonly search: string;
  readonly problem: unknown;
}

export type Answered = { readonly ready: true } | { readonly answer: unknown } | { readonly error: string };

/** By name. A problem comes from the search of that name, so its type is right. */
const searches: ReadonlyMap<string, (problem: never) => unknown> = new Map(
  [
    entry(evaluation),
    entry(jobEvaluation),
    entry(planSearch),
    entry(graphCut),
    entry(memoryCutSearch),
    entry(orderSearch),
    entry(placementSearch),
    entry(iterationSearch),
    entry(explanation),
    entry(figureSearch),
    entry(scheduleTest),
  ].map(({ name, run }) => [name, run]),
);

function entry<Problem, Answer>(search: Search<Problem, Answer>) {
  return { name: search.name, run: (problem: Problem): Answer => runSearch(search, problem) };
}

parentPort?.on('message', ({ search, problem }: Asked) => {
  const run = searches.get(search);
  try {
    if (run === undefined) throw new Error(`Unknown search "${search}".`);
    const answer = run(problem as never);
    const message: Answered = { answer };
    parentPort?.postMessage(message, buffersOf(answer));
  } catch (error) {
    const message: Answered = { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    parentPort?.postMessage(message);
  }
});

const ready: Answered = { ready: true };
parentPort?.postMessage(ready);

/** Memory of the typed arrays in an answer: handed over, not copied. */
function buffersOf(answer: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  const pending: unknown[] = [answer];
  for (let value = pending.pop(); pending.length > 0 || value !== undefined; value = pending.pop()) {
    if (ArrayBuffer.isView(value)) {
      if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
    } else if (Array.isArray(value)) {
      // Lists of plain numbers and texts hold no arrays.
      if (typeof value[0] === 'object') for (const item of value) pending.push(item);
    } else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) pending.push(item);
  }
  return [...found];
}
