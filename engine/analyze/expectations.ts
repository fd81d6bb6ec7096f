import { list, share, show } from '../basics/quantities.ts';
import type { ExpectFigure, ExpectPlan, PipelinePlan } from '../values/plan.ts';
import { stageNumber } from '../costs/stages.ts';
import type { PipelineReport, ReportWithoutCauses } from '../values/report.ts';
import { withinWords } from './boundWithin.ts';
import { microbatchesInFlight } from './inFlight.ts';
import { exposedCommunication, shareOf } from './shares.ts';

/** Whether nothing is known yet of the figure: a run is still being read, or nobody here reads runs. */
export const isOpen = ({ measured }: PipelinePlan, { figure }: ExpectPlan): boolean =>
  figure === 'drift' && measured?.pending === true;

export function holds(figure: number, { operator, bound }: ExpectPlan): boolean {
  // Figures are sums of floating-point durations: equality means equal to nine digits.
  const close = Math.abs(figure - bound) <= 1e-9 * Math.max(Math.abs(figure), Math.abs(bound));
  switch (operator) {
    case '<':
      return figure < bound && !close;
    case '<=':
      return figure < bound || close;
    case '>':
      return figure > bound && !close;
    case '>=':
      return figure > bound || close;
    case '==':
      return close;
    case '!=':
      return !close;
  }
}

/** Whether an expectation holds, its figure in words, and by how much it misses its bound: `2.1 GiB too much`. */
export function expectationOf(
  plan: PipelinePlan,
  report: PipelineReport,
  expect: ExpectPlan,
): { readonly holds: boolean; readonly shown: string; readonly apart?: string } {
  const figure = figureOf(plan, report, expect);
  const held = holds(figure, expect);
  const apart = held ? undefined : apartWords(figure, expect);
  return {
    holds: held,
    shown: figureWords(plan, report, figure, expect),
    ...(apart === undefined ? {} : { apart }),
  };
}

/** The figure, and what a reader has to know of it. */
export const figureWords = (plan: PipelinePlan, report: PipelineReport, figure: number, expect: ExpectPlan): string =>
  shown(figure, expect) +
  wholeNote(report, figure, expect) +
  withinNote(report, expect.figure) +
  lossNote(plan, report, figure, expect);

/** What takes time and is not in the model's FLOPs, where these are too few. */
function lossNote(plan: PipelinePlan, report: PipelineReport, figure: number, expect: ExpectPlan): string {
  if (expect.figure !== 'mfu' || !expect.operator.startsWith('>') || Number.isNaN(figure)) return '';
  const parts = (
    [
      ['recomputation', recomputedShare(plan, report)],
      ['idle time', report.bubble.makespan],
    ] as const
  ).filter(([, part]) => part >= leastLoss);
  return parts.length === 0
    ? ''
    : `: of the iteration ${list(parts.map(([what, part]) => `${share(part)} is ${what}`))}`;
}

/** Smaller shares decide no figure. */
const leastLoss = 0.01;

/** The mean share of the iteration in which devices recompute; 0 where copies of stages share their microbatches. */
function recomputedShare({ stages, devices, microbatches }: PipelinePlan, { iteration }: PipelineReport): number {
  if (stages.some(({ copy }) => copy !== undefined)) return 0;
  const seconds = stages.reduce((sum, { recompute }) => sum + recompute, 0) * microbatches;
  return shareOf(seconds, devices.length * iteration);
}

/** By how much a figure is on the wrong side of its bound. A difference of shares is in percentage points. */
function apartWords(figure: number, expect: ExpectPlan): string | undefined {
  const { operator, bound, dimension } = expect;
  if (!Number.isFinite(figure) || operator === '==' || operator === '!=') return undefined;
  const apart = Math.abs(figure - bound);
  const words =
    dimension === 'share' ? `${Number((100 * apart).toPrecision(3))} percentage points` : wordsOf(apart, expect);
  return apart === 0 ? undefined : `${words} too ${operator.startsWith('<') ? 'much' : 'little'}`;
}

/** The figure of an expectation, in base units. */
export function figureOf(
  plan: PipelinePlan,
  report: PipelineReport,
  expect: Pick<ExpectPlan, 'figure' | 'stage' | 'device'>,
): number {
  const { stage, device } = expect;
  const named = device !== undefined || stage !== undefined;
  const stages = report.stages.filter((_, index) => stage === undefined || stageNumber(plan, index) === stage);
  // Copies of a stage are on devices of their own.
  const holds = (at: number) =>
    plan.placement.some((value, index) => value === at && stageNumber(plan, index) === stage);
  const devices = report.devices.filter((_, at) =>
    device === undefined ? stage === undefined || holds(at) : at === device,
  );
  const most = (values: readonly number[]) => values.reduce((all, value) => Math.max(all, value), 0);
  switch (expect.figure) {
    case 'bubble':
      return named ? most(devices.map(({ idle }) => shareOf(idle, report.iteration))) : report.bubble.makespan;
    case 'span_bubble':
      return named ? most(devices.map(({ span, busy }) => shareOf(span - busy, span))) : report.bubble.span;
    case 'gap':
      return gapOf(report);
    case 'iteration_bound':
      return report.iteration / (1 + gapOf(report));
    case 'peak_memory':
      return most(devices.map((deviceReport) => deviceReport.peak));
    case 'iteration':
      return report.iteration;
    case 'drift':
      return Math.abs(report.measured?.drift ?? NaN);
    case 'p50':
    case 'p95':
    case 'p99':
      return report.jitter?.[expect.figure] ?? NaN;
    case 'throughput':
      return report.throughput;
    case 'staleness':
      return most(stages.map((stageReport) => stageReport.staleness));
    case 'versions':
      return most(stages.map((stageReport) => stageReport.versions));
    case 'in_flight':
      return most(devices.map(microbatchesInFlight));
    case 'exposed_communication':
      return exposedCommunication(report);
    case 'mfu':
      return report.model_flops?.utilisation ?? NaN;
    case 'tokens_per_second':
      return report.tokens?.per_second ?? NaN;
    case 'tokens_per_second_per_gpu':
      return report.tokens?.per_second_per_gpu ?? NaN;
    case 'days':
      return report.tokens?.days ?? NaN;
    case 'gpu_hours':
      return report.tokens?.gpu_hours ?? NaN;
  }
}

/**
 * (iteration − bound) / bound. The bound of the bubble is for the same work in less time: with work w, 1 − w / iteration is the bubble,
 * and 1 − w / bound is its bound.
 */
export function gapOf({ bubble, search }: ReportWithoutCauses): number {
  if (search !== undefined) return search.gap;
  return bubble.makespan < 1 ? Math.max(0, (1 - bubble.bound) / (1 - bubble.makespan) - 1) : 0;
}

/** The figure, with more digits in base units where it would read like the bound that it misses. */
function shown(figure: number, expect: ExpectPlan): string {
  const { figure: name, bound } = expect;
  if (Number.isNaN(figure)) return `unknown, because ${unknownBecause(name)}`;
  const text = wordsOf(figure, expect);
  if (text !== amountWords(bound, expect)) return text;
  return `${text} (${Number(figure.toPrecision(9))} against ${Number(bound.toPrecision(9))})`;
}

const decimalBytes = new Map([
  ['KB', 1e3],
  ['MB', 1e6],
  ['GB', 1e9],
  ['TB', 1e12],
]);

/** In the unit of the condition if that is decimal: `70.5 GB` is over `70GB`, and its 65.7 GiB would not seem to be. */
function amountWords(amount: number, { dimension, text }: ExpectPlan): string {
  const unit = dimension === 'bytes' ? /\d\s*([KMGT]B)\b/u.exec(text)?.[1] : undefined;
  const size = decimalBytes.get(unit ?? '');
  return size === undefined ? show(amount, dimension) : `${Number((amount / size).toPrecision(3))} ${unit}`;
}

const wordsOf = (figure: number, expect: ExpectPlan): string =>
  needsTokens(expect.figure) ? String(Number(figure.toPrecision(4))) : amountWords(figure, expect);

/** A count never equals a fraction, such as `devices / 2` for an odd number; a device with several chunks counts parts of microbatches. */
function wholeNote({ devices }: PipelineReport, count: number, { figure, operator, bound }: ExpectPlan): string {
  const isCount = figure === 'versions' || figure === 'staleness' || figure === 'in_flight';
  const hasParts = figure === 'in_flight' && devices.some((device) => device.in_flight_microbatches !== undefined);
  if (!isCount || hasParts || operator !== '==' || Number.isInteger(bound) || !Number.isInteger(count)) return '';
  return `, always a whole number, and ${Number(bound.toPrecision(9))} is none: round it with \`div(a, b)\` or \`floor(x)\``;
}

/** Which memory the orders of a bound are within, where it raises the bound. A check has milliseconds for a bound: more can be proven. */
function withinNote(report: PipelineReport, figure: ExpectFigure): string {
  if (figure !== 'gap' && figure !== 'iteration_bound') return '';
  const within = withinWords(report);
  const words = within === undefined ? '' : ` for orders within ${within}`;
  const mayProveMore = report.search === undefined && report.asynchronous === undefined && gapOf(report) > 0;
  return mayProveMore
    ? `${words}, by the quick bound of a check (\`pipewright search FILE --verify\` may prove more)`
    : words;
}

const needsTokens = (name: ExpectFigure): boolean =>
  name.startsWith('tokens_') || name === 'days' || name === 'gpu_hours';

function unknownBecause(name: ExpectFigure): string {
  if (name === 'p50' || name === 'p95' || name === 'p99')
    return 'the pipeline has no `jitter`, or no separate iterations';
  if (name === 'drift') return 'no run of the pipeline is known: name one with `measured`';
  if (!needsTokens(name)) return 'layers are measured';
  const rate = 'the model has no `sequence`';
  return name.startsWith('tokens_') ? rate : `the pipeline sets no \`tokens\`, or ${rate}`;
}
