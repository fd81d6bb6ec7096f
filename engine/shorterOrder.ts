/** A shorter order of a pipeline's operations. It takes a second to find, so an editor looks for it once its check is done. */
import { gapOf } from './analyze/expectations.ts';
import { searchPlan } from './analyze/findOrder.ts';
import { simulated } from './evaluate.ts';
import { type Evaluation, planKey } from './evaluation.ts';
import { finding, type Finding } from './findings/finding.ts';
import { placeOf } from './check.ts';
import { type Origins, paths, type PipelinePlan } from './plan.ts';
import { B, kindOf, type Program } from './program.ts';
import type { PipelineReport } from './report.ts';
import { time } from './quantities.ts';
import { orderSteps } from './schedule/generate.ts';
import { scheduleText } from './schedule/rowsText.ts';
import type { Search } from './searches.ts';

export interface OrderQuestion {
  /** The plan with `search` as its schedule. */
  readonly plan: PipelinePlan;
  /** Seconds of the order that the file has, and the bytes of its fullest device. */
  readonly iteration: number;
  readonly peak: number;
}

/** An order that saves at least `leastSaved`, and that fits the memory of every device. */
export interface ShorterOrder {
  readonly iteration: number;
  readonly peak: number;
  /** Seconds that no order of these operations is under. */
  readonly bound: number;
  /** A schedule of rows that runs it. */
  readonly text: string;
}

/** Less of the iteration is not worth an edit. */
const leastSaved = 0.01;
/** Operations of a pipeline that an editor searches. */
const mostOperations = 20_000;

/** Answers nothing where no order is found that is worth an edit. */
export const shorterOrder: Search<OrderQuestion, { readonly found?: ShorterOrder }> = {
  name: 'shorter-order',
  // Always in a thread.
  size: () => Infinity,
  key: ({ plan, iteration }) => `${iteration} ${planKey(plan)}`,
  *steps({ plan, iteration }) {
    yield* orderSteps(plan);
    const result = simulated(plan);
    if (!('run' in result)) return {};
    const { program, report } = result.run;
    const fits = report.devices.every(({ peak, capacity }) => peak <= capacity);
    if (!fits || report.search === undefined || report.iteration > iteration * (1 - leastSaved)) return {};
    const { bound, seed } = report.search;
    const effort = plan.schedule.kind === 'policy' ? Number(plan.schedule.args['effort']) : 0;
    const text = scheduleText(program, orderName(plan), [
      `The shortest order found for ${plan.name} with ${plan.microbatches} microbatches: ${time(report.iteration)}.`,
      report.search.status === 'optimal'
        ? 'No order within the memory is shorter.'
        : `No order within the memory is under ${time(bound)}.`,
      `Search: effort ${effort}, seed ${seed}.`,
    ]);
    return text === undefined ? {} : { found: { iteration: report.iteration, peak: peakOf(report), bound, text } };
  },
};

/** Name of the schedule in the text of an answer. */
const orderName = ({ name }: Pick<PipelinePlan, 'name'>): string => `${name}_order`;

/** What to search for a pipeline; undefined where the bound leaves nothing to save, or where orders cannot be searched. */
export function orderQuestion({ plan, run }: Evaluation, effort: number): OrderQuestion | undefined {
  if (run === undefined || !(effort > 0) || run.report.operations > mostOperations) return undefined;
  const { program, report } = run;
  const { schedule } = plan;
  if (schedule.kind === 'policy' && schedule.name === 'search') return undefined;
  if (program.forwardOnly === true || report.asynchronous !== undefined) return undefined;
  // Rows run operations one after the other: these programs do more.
  if (program.fused !== undefined || program.copies !== undefined || (program.overlap ?? 0) > 0) return undefined;
  if (program.apart !== undefined || program.partner !== undefined || plan.lengths !== undefined) return undefined;
  const least = 1 / (1 + gapOf(report));
  if (least > 1 - leastSaved) return undefined;
  const searched = searchPlan(plan);
  if ('problem' in searched || searched.schedule.kind !== 'policy') return undefined;
  const args = { ...searched.schedule.args, effort, ...(isWhole(program) ? { backward: 'whole' } : {}) };
  return {
    plan: { ...searched, schedule: { ...searched.schedule, args } },
    iteration: report.iteration,
    peak: peakOf(report),
  };
}

const peakOf = ({ devices }: PipelineReport): number => devices.reduce((most, { peak }) => Math.max(most, peak), 0);

/** Whether backwards are whole: frameworks that cannot split them stay as they are. */
const isWhole = (program: Program): boolean => program.order.some((operation) => kindOf(program, operation) === B);

/** `schedule/shorter-order`, at the schedule of the pipeline. */
export function shorterOrderFinding(
  { plan: { name }, iteration, peak }: OrderQuestion,
  found: ShorterOrder,
  origins: Origins,
): Finding | undefined {
  const place = placeOf(paths.key(name, 'schedule'), origins);
  if (place === undefined) return undefined;
  const { iteration: shorter, bound, text, peak: peakAfter } = found;
  return finding(
    'schedule/shorter-order',
    place,
    { iteration, shorter, bound, peak, peakAfter },
    { hint: { kind: 'order', pipeline: name, text } },
  );
}
