import {
  findOrder,
  type FoundOrder,
  hasWholeBackwards,
  searchesWholeBackwards,
  searchPlan,
} from '../../engine/analyze/findOrder.ts';
import { orderComment, proofWords } from '../../engine/analyze/orderComment.ts';
import { longestSpan } from '../../engine/analyze/searchReport.ts';
import { verifyOrder } from '../../engine/analyze/verifyOrder.ts';
import type { Run } from '../../engine/schedule/evaluation.ts';
import { exportTorch } from '../../engine/formats/torchCsv/export.ts';
import { torchCsvParts } from '../../engine/formats/torchCsv/write.ts';
import { findUnit } from '../../engine/language/units.ts';
import type { PipelinePlan, PolicyArgument } from '../../engine/values/plan.ts';
import { objectiveOf } from '../../engine/policies/searched/problem.ts';
import { limitOf, limitWords } from '../../engine/policies/zbAuto/limit.ts';
import { list, share, time, timeAtLeast } from '../../engine/basics/quantities.ts';
import { scheduleText } from '../../engine/schedule/rowsText.ts';
import { rootOption } from '../project.ts';
import { printable } from '../../server/text/printable.ts';
import { analyse } from '../analyse.ts';
import type { Arguments } from '../arguments.ts';
import { type Command, usageFault } from '../command.ts';
import type { Io } from '../io.ts';
import { overrideProblem, readOverrides } from '../overrides.ts';
import { declaredPipelines, targetProblem } from '../pipelines.ts';
import { isUnit, readUnit, unitOptions } from '../unitShape.ts';
import { readTime } from '../plan/options.ts';
import { progressBar } from '../progress.ts';
import { giveSummary, summaryOption, summaryProblem } from '../summary/giveSummary.ts';
import { searchSummary } from '../summary/searchSummary.ts';
import { status, type Status } from '../status.ts';
import { namesPipeline, writeResult } from '../writeResult.ts';

/** Operations that `--verify` may visit to prove a bound: some seconds. */
const verifyEffort = 1e9;

/** `search FILE`: a shorter order for a pipeline, or what is proven of its order. */
export const searchCommand: Command = {
  spec: {
    name: 'search',
    operands: 'FILE',
    summary:
      'Run an order search: find a shorter order for a pipeline, write it as rows or CSV, or verify that an order is the shortest.',
    options: [
      { name: 'pipeline', value: 'NAME', doc: 'The pipeline to search, if the file has more than one.' },
      ...unitOptions,
      { name: 'set', value: 'NAME=VALUE', repeated: true, doc: 'Give a param another value: --set microbatches=16.' },
      {
        name: 'limit',
        value: 'LIMIT',
        doc: 'What a device may hold: microbatches (4) or bytes (20GiB). Default: the limit of the schedule, or the memory.',
      },
      { name: 'effort', value: 'COUNT', doc: 'How long to search: 1 (the default) visits 20 million operations.' },
      { name: 'time', value: 'TIME', doc: 'Search for this time instead, such as 10s. Needs --write or --summary.' },
      { name: 'seed', value: 'NUMBER', doc: 'Seed of the random generator. Default: made from the pipeline.' },
      {
        name: 'write',
        value: 'rows|csv',
        choices: ['rows', 'csv'],
        doc: 'Write the order as a schedule of rows, or as the table of torch.distributed.pipelining.',
      },
      { name: 'output', value: 'FILE', doc: 'Write the order there: FILE.pipe as rows, FILE.csv as a table.' },
      { name: 'verify', doc: 'Simulate the order that the file has, and prove how much shorter any order could be.' },
      {
        name: 'format',
        value: 'text|json',
        choices: ['text', 'json'],
        doc: 'Of --summary: text (the default) or json.',
      },
      summaryOption,
      rootOption,
    ],
    notes: [
      'The time of the clock decides under --time, so another machine may find another order. With --write you keep it.',
      'Exit status 1 if the pipeline does not run or cannot be searched; with --verify also if it does not fit the memory or the limit.',
    ],
  },
  async run(args, io) {
    const fault = (problem: string) => usageFault(io, 'search', problem);
    const [path, ...more] = args.operands;
    if (path === undefined || more.length > 0) return fault('It needs one file.');
    const options = readOptions(args);
    if (typeof options === 'string') return fault(options);
    const unsummed =
      summaryProblem(args) ??
      (args.has('summary') && ['verify', 'write', 'output'].some((name) => args.has(name))
        ? '--summary has the order: leave out --write, --output and --verify.'
        : undefined);
    if (unsummed !== undefined) return fault(unsummed);
    if (args.has('format') && !args.has('summary')) return fault('--format is for --summary.');
    const unit = readUnit(args);
    if (unit !== undefined && 'problem' in unit) return fault(unit.problem);
    const overrides = readOverrides(args.values('set'));
    if ('problem' in overrides) return fault(overrides.problem);
    const progress = progressBar(io, 4);
    const file = analyse(path, io, progress, overrides.values, args.value('pipeline'), unit);
    progress.end();
    if ('problem' in file) return fault(file.problem);
    const chosen = args.value('pipeline');
    const problem =
      overrideProblem({ resolution: file.analysis.resolution, text: file.text }, overrides) ??
      targetProblem(file, isUnit(unit) ? unit : undefined, chosen, undefined);
    if (problem !== undefined) return fault(problem);
    await io.err(file.recut ?? '');
    const declared = declaredPipelines(file.analysis);
    if (chosen === undefined && !isUnit(unit) && declared.length > 1)
      return fault(`${file.name} has the pipelines ${list(declared)}; choose one with --pipeline.`);
    const found = file.analysis.pipelines.find(({ plan }) => chosen === undefined || plan.name === chosen);
    if (found?.run === undefined) {
      await io.err(`${file.name}: the pipeline does not run. "pipewright check" says why.\n`);
      return status.findings;
    }
    if (args.has('verify')) return verify(found.plan, found.run, options, io);
    return search(found.plan, found.run, options, args, io);
  },
};

interface Options {
  readonly effort: number;
  /** What a device may hold, as the argument of `search`. */
  readonly hold?: PolicyArgument;
  /** Milliseconds. */
  readonly limit?: number;
  readonly seed?: number;
}

/** What the order is written as: as `--write` says, otherwise as the name of the file does. */
function formatOf(args: Arguments): string | undefined {
  if (args.has('write')) return args.value('write');
  if (namesPipeline(args)) return 'rows';
  return args.value('output')?.toLowerCase().endsWith('.csv') === true ? 'csv' : undefined;
}

function readOptions(args: Arguments): Options | string {
  const limit = readTime(args);
  if (typeof limit === 'string') return limit;
  const whole = (name: string, most: number): number | string | undefined => {
    const text = args.value(name);
    if (text === undefined) return undefined;
    return /^\d{1,10}$/u.test(text) && Number(text) <= most
      ? Number(text)
      : `--${name} takes a whole number from 0 to ${most}, not "${text}".`;
  };
  const hold = readLimit(args);
  if (typeof hold === 'string') return hold;
  const [effort, seed] = [whole('effort', 1000), whole('seed', 2 ** 32 - 1)];
  if (typeof effort === 'string') return effort;
  if (typeof seed === 'string') return seed;
  const isWriting = formatOf(args) !== undefined;
  if (limit !== undefined && !isWriting && !args.has('summary'))
    return '--time needs --write or --summary: another machine may find another order, so keep the one that was found.';
  if (limit !== undefined && effort !== undefined) return 'Choose --time or --effort, not both.';
  if (args.has('output') && !isWriting)
    return `--output is for the order: end the name in .pipe or .csv, or say --write rows or --write csv.`;
  if (args.has('verify') && ['write', 'output', 'time', 'effort', 'seed'].some((name) => args.has(name)))
    return '--verify searches nothing: leave out --write, --output, --time, --effort and --seed.';
  return {
    effort: limit === undefined ? (effort ?? 1) : Infinity,
    ...(hold === undefined ? {} : { hold }),
    ...(limit === undefined ? {} : { limit }),
    ...(seed === undefined ? {} : { seed }),
  };
}

/** `--limit 4` or `--limit 20GiB`; a sentence that says what is wrong, or undefined if it is not given. */
function readLimit(args: Arguments): Exclude<PolicyArgument, readonly number[]> | undefined {
  const text = args.value('limit');
  if (text === undefined) return undefined;
  const [, number, suffix] = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/u.exec(text) ?? [];
  const value = Number(number);
  if (suffix === '' && Number.isSafeInteger(value) && value > 0) return value;
  const unit = findUnit(suffix ?? '');
  if (suffix !== '' && unit?.dimension === 'bytes' && value > 0)
    return { value: value * unit.scale, dimension: 'bytes' };
  return `--limit takes a number of microbatches or of bytes, such as 4 or 20GiB, not "${text}".`;
}

async function search(plan: PipelinePlan, run: Run, options: Options, args: Arguments, io: Io): Promise<Status> {
  const searched = searchPlan(plan, options.hold === undefined ? {} : { limit: options.hold });
  if ('problem' in searched) {
    await io.err(`Pipeline "${printable(plan.name)}" cannot be searched: ${printable(searched.problem)}.\n`);
    return status.findings;
  }
  const begun = io.now();
  let stopped = false;
  const forget = io.onInterrupt?.(() => (stopped = true));
  const steps = findOrder(searched, options);
  const progress = progressBar(io, 100);
  let best: FoundOrder | undefined;
  for (;;) {
    // An interrupt is heard between two steps only.
    await new Promise((resolve) => setImmediate(resolve));
    const step = steps.next();
    if (step.value !== undefined && (best === undefined || isBetter(step.value, best, step.done))) best = step.value;
    if (step.done === true || stopped || io.now() - begun >= (options.limit ?? Infinity)) break;
    if (step.value !== undefined)
      progress.tick(`${time(step.value.iteration)}, not under ${timeAtLeast(step.value.bound)}`);
  }
  progress.end();
  forget?.();
  if (best === undefined) {
    await io.err('The search was stopped before it had an order.\n');
    return status.findings;
  }
  const isWhole = Number.isFinite(options.effort) && !stopped;
  const effort = isWhole ? `effort ${options.effort}` : `stopped after ${rounded(best.effort)}`;
  const comment = orderComment(best.plan, { ...best, effort });
  if (args.has('summary')) {
    const text = scheduleText(best.program, `${best.plan.name}_order`, comment);
    await giveSummary(searchSummary(best, run, summary(best, run), text), args, io);
    return status.fine;
  }
  const put = (text: string) =>
    formatOf(args) !== undefined && args.value('output') === undefined ? io.err(text) : io.out(text);
  await put(`${printable(plan.name)}: ${summary(best, run).join(' ')}\n`);
  return write(best, comment, args, io);
}

const argumentsOf = ({ schedule }: PipelinePlan) => (schedule.kind === 'policy' ? schedule.args : {});

/** Whether an order is to be kept in place of one that was found before it. The simulation decides between ends; the search, what is best otherwise. */
function isBetter(order: FoundOrder, before: FoundOrder, isLast: boolean | undefined): boolean {
  const args = argumentsOf(order.plan);
  if (args['prefer'] === 'p95') return isLast === true || order.iteration <= before.iteration;
  return objectiveOf(args) === 'span' ? order.span <= before.span : order.iteration <= before.iteration;
}

const rounded = (effort: number): number => Number(effort.toPrecision(3));

function summary(order: FoundOrder, { report, timeline }: Run): readonly string[] {
  const { iteration, plan, effort, seed, p95, shortest } = order;
  const args = argumentsOf(plan);
  const within = limitWords(limitOf({ args }));
  const isSpan = objectiveOf(args) === 'span';
  const [now, bound, before] = isSpan
    ? [order.span, order.spanBound, longestSpan(timeline)]
    : [iteration, order.bound, report.iteration];
  const change =
    now < before * (1 - 1e-9)
      ? `${share(1 - now / before)} shorter than ${report.schedule} (${time(before)})`
      : now <= before * (1 + 1e-9)
        ? `no shorter than ${report.schedule} (${time(before)})`
        : `${share(now / before - 1)} longer than ${report.schedule} (${time(before)})`;
  return [
    isSpan
      ? `The longest span of a device is ${time(now)}, ${change}. The order ends after ${time(iteration)}.`
      : `The order takes ${time(iteration)}, ${change}.`,
    ...(p95 === undefined || shortest === undefined
      ? []
      : [`It has the least p95, ${time(p95)}; the shortest order takes ${time(shortest)}.`]),
    proofWords(
      now,
      bound,
      `${searchesWholeBackwards(plan) ? 'order with whole backwards' : 'order'} within ${within}`,
      isSpan ? 'has a shorter one' : 'is shorter',
    ),
    `Effort ${rounded(effort)}, seed ${seed}.`,
  ];
}

async function write(best: FoundOrder, comment: readonly string[], args: Arguments, io: Io): Promise<Status> {
  const format = formatOf(args);
  if (format === undefined) return status.fine;
  const cannot = async (problem: string): Promise<Status> => {
    await io.err(`The order cannot be written as ${format}: ${printable(problem)}.\n`);
    return status.findings;
  };
  if (format === 'csv') {
    const result = exportTorch(best.plan, best.program, false);
    if ('problem' in result) return cannot(result.problem);
    for (const note of result.notes) await io.err(`${printable(note)}\n`);
    return writeResult(io, 'search', args, torchCsvParts(result.table));
  }
  const text = scheduleText(best.program, `${best.plan.name}_order`, comment);
  return text === undefined ? cannot('no rule places its stages') : writeResult(io, 'search', args, [text]);
}

async function verify(plan: PipelinePlan, { timeline, report }: Run, { hold }: Options, io: Io): Promise<Status> {
  const fits = report.devices.every(({ peak, capacity }) => peak <= capacity);
  const limit = hold ?? ownLimit(plan);
  const { iteration, bound, within, exceeded } = verifyOrder(plan, timeline, { fits, limit, effort: verifyEffort });
  const split =
    hasWholeBackwards(timeline.program) && (limit === undefined || exceeded !== undefined)
      ? ', split backwards included,'
      : '';
  const of = `order of these operations${within === undefined ? '' : ` within ${within}`}${split}`;
  const leavesMemoryOut = typeof bound === 'number' && within === undefined;
  const lines = [
    `The order of ${report.schedule} runs: ${count(report.operations)}, ${time(iteration)}.`,
    fits
      ? 'It fits the memory of each device.'
      : `It does not fit the memory of its devices${leavesMemoryOut ? ', so the bound leaves memory out' : ''}.`,
    ...(exceeded === undefined ? [] : [`It does not keep ${exceeded}, so the bound leaves this limit out.`]),
    typeof bound === 'number'
      ? proofWords(iteration, bound, of, 'is shorter')
      : `There is no proof of how short an order could be: ${bound.reason}.`,
  ];
  await io.out(`${printable(plan.name)}: ${lines.join(' ')}\n`);
  return fits && exceeded === undefined ? status.fine : status.findings;
}

/** The limit of a schedule that is searched for. */
function ownLimit(plan: PipelinePlan): PolicyArgument | undefined {
  const { schedule } = plan;
  const isLimited = schedule.kind === 'policy' && (schedule.name === 'search' || schedule.name === 'zb_auto');
  return isLimited && limitOf(schedule).kind !== 'device' ? schedule.args['limit'] : undefined;
}

const count = (operations: number): string => `${operations} operations`;
