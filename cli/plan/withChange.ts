/** What an answer says beyond its rows: the change with which one fits, if none does, and what the best one gains by kernels that overlap. */
import type { PlanAnswer } from '../../engine/sweep/answer.ts';
import { paceOf } from '../../engine/sweep/front.ts';
import { overlapGain } from '../../engine/sweep/overlapGain.ts';
import { wouldFitSteps } from '../../engine/sweep/wouldFit.ts';
import { count } from '../../engine/basics/quantities.ts';
import type { Io } from '../io.ts';
import { progressBar } from '../progress.ts';
import type { PlanRequest } from './request.ts';

/** Work in which a change is looked for, in planned rows: a busy machine takes longer, and finds the same. */
const mostWork = 3_000;
/** Operations that take as long as planning a row, about. */
const operationsOfRow = 20_000;

type Searched = Pick<PlanRequest, 'base' | 'axes' | 'limits' | 'leftOut' | 'given'>;

/** `until`: when the time of the call is up, in milliseconds of the clock; absent for a call without a limit. */
export async function withChange(
  request: Searched,
  answer: PlanAnswer,
  io: Io,
  { until = Infinity, most = mostWork }: { readonly until?: number; readonly most?: number } = {},
): Promise<PlanAnswer> {
  const { base, axes, limits } = request;
  const best = answer.points.find(({ row }) => row === answer.best);
  if (best !== undefined) {
    const others = answer.points.filter(({ row, front }) => front && row !== best.row);
    const fastest = others.toSorted((a, b) => paceOf(a) - paceOf(b));
    const further = overlapGain(base, axes, [best, ...fastest], limits);
    return further === undefined ? answer : { ...answer, further };
  }
  return answer.unsearched > 0 ? answer : changeThatFits(request, answer, io, until, most);
}

async function changeThatFits(
  { base, axes, limits, leftOut, given }: Searched,
  answer: PlanAnswer,
  io: Io,
  until: number,
  most: number,
): Promise<PlanAnswer> {
  let interrupted = false;
  const release = io.onInterrupt?.(() => (interrupted = true));
  const progress = progressBar(io, most);
  try {
    const steps = wouldFitSteps(base, axes, limits, leftOut === undefined ? undefined : given);
    let [tried, work] = [0, 0];
    for (;;) {
      const step = steps.next();
      const known = step.done === true ? step.value : step.value.known;
      const found = known === undefined ? answer : { ...answer, would_fit: known.text };
      if (step.done === true) return found;
      const { rows, operations } = step.value;
      tried += rows;
      work += rows + operations / operationsOfRow;
      progress.tick(`looking for a change with which a row fits: ${count(tried, 'row', 'rows')} tried`);
      // Ctrl+C is heard between two turns.
      await new Promise((resolve) => setImmediate(resolve));
      if (work > most || interrupted || io.now() > until) return { ...found, would_fit_cut: tried };
    }
  } finally {
    progress.end();
    release?.();
  }
}
