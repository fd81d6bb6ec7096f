import { findOrder, type FoundOrder, searchPlan } from '../../engine/analyze/findOrder.ts';
import { verifyOrder } from '../../engine/analyze/verifyOrder.ts';
import type { Run } from '../../engine/evaluation.ts';
import { exportTorch } from '../../engine/formats/torchCsv/export.ts';
import { torchCsvParts } from '../../engine/formats/torchCsv/write.ts';
import type { PipelinePlan } from '../../engine/plan.ts';
import { list, share, shareAtMost, time } from '../../engine/quantities.ts';
import { scheduleText } from '../../engine/schedule/rowsText.ts';
import { printable } from '../../server/printable.ts';
import { analyse } from '../analyse.ts';
import type { Arguments } from '../arguments.ts';
import { type Command, usageFault } from '../command.ts';
import type { Io } from '../io.ts';
import { overrideProblem, readOverrides } from '../overrides.ts';
import { declaredPipelines, pipelineProblem } from '../pipelines.ts';
import { readTime } from '../plan/options.ts';
import { progressBar } from '../progress.ts';
import { status, type Status } from '../status.ts';
import { writeResult } from '../writeResult.ts';

/** Operations that `--verify` may visit to prove a bound: some seconds. */
const verifyEffort = 1e9;

/** `search FILE`: a shorter order for a pipeline, or what is proven of its order. */
export const searchCommand: Command = {
  spec: {
    name: 'search',
    operands: 'FILE',
    summary: 'Search a shorter order for a pipeline, write it as rows or CSV, or verify that an order is the shortest.',
    options: [
      { name: 'pipeline', value: 'NAME', doc: 'The pipeline to search, if the file has more than one.' },
      { name: 'set', value: 'NAME=VALUE', repeated: true, doc: 'Give a param another value: --set microbatches=16.' },
      { name: 'effort', value: 'COUNT', doc: 'How long to search: 1 (the default) visits 20 million operations.' },
      { name: 'time', value: 'TIME', doc: 'Search for this time instead, such as 10s. Needs --write.' },
      { name: 'seed', value: 'NUMBER', doc: 'Seed of the random generator. Default: made from the pipeline.' },
      {
        name: 'write',
        value: 'rows|csv',
        choices: ['rows', 'csv'],
        doc: 'Write the order as a schedule of rows, or as the table of torch.distributed.pipelining.',
      },
      { name: 'output', value: 'FILE', doc: 'Write there instead of to standard output.' },
      { name: 'verify', doc: 'Simulate the order that the file has, and prove how much shorter any order could be.' },
    ],
    notes: [
      'The time of the clock decides under --time, so another machine may find another order. With --write you keep it.',
      'Exit status 1 if the pipeline does not run or cannot be searched; with --verify also if it does not fit the memory.',
    ],
  },
  async run(args, io) {
    const fault = (problem: string) => usageFault(io, 'search', problem);
    const [path, ...more] = args.operands;
    if (path === undefined || more.length > 0) return fault('It needs one file.');
    const options = readOptions(args);
    if (typeof options === 'string') return fault(options);
    const overrides = readOverrides(args.values('set'));
    if ('problem' in overrides) return fault(overrides.problem);
    const progress = progressBar(io, 4);
    const file = analyse(path, io, progress, overrides.values, args.value('pipeline'));
    progress.end();
    if ('problem' in file) return fault(file.problem);
    const chosen = args.value('pipeline');
    const problem = overrideProblem(file.analysis.resolution, overrides) ?? pipelineProblem(file, chosen, undefined);
    if (problem !== undefined) return fault(problem);
    const declared = declaredPipelines(file.analysis);
    if (chosen === undefined && declared.length > 1)
      return fault(`${file.name} has the pipelines ${list(declared)}; choose one with --pipeline.`);
    const found = file.analysis.pipelines.find(({ plan }) => chosen === undefined || plan.name === chosen);
    if (found?.run === undefined) {
      await io.err(`${file.name}: the pipeline does not run. "pipewright check" says why.\n`);
      return status.findings;
    }
    if (args.has('verify')) return verify(found.plan, found.run, io);
    return search(found.plan, found.run, options, args, io);
  },
};

interface Options {
  readonly effort: number;
  /** Milliseconds. */
  readonly limit?: number;
  readonly seed?: number;
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
  const [effort, seed] = [whole('effort', 1000), whole('seed', 2 ** 32 - 1)];
  if (typeof effort === 'string') return effort;
  if (typeof seed === 'string') return seed;
  const isWriting = args.has('write');
  if (limit !== undefined && !isWriting)
    return '--time needs --write: another machine may find another order, so keep the one that was found.';
  if (limit !== undefined && effort !== undefined) return 'Choose --time or --effort, not both.';
  if (args.has('output') && !isWriting) return '--output is for --write.';
  if (args.has('verify') && ['write', 'time', 'effort', 'seed'].some((name) => args.has(name)))
    return '--verify searches nothing: leave out --write, --time, --effort and --seed.';
  return {
    effort: limit === undefined ? (effort ?? 1) : Infinity,
    ...(limit === undefined ? {} : { limit }),
    ...(seed === undefined ? {} : { seed }),
  };
}

async function search(plan: PipelinePlan, run: Run, options: Options, args: Arguments, io: Io): Promise<Status> {
  const searched = searchPlan(plan);
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
    if (step.value !== undefined && (best === undefined || step.value.iteration <= best.iteration)) best = step.value;
    if (step.done === true || stopped || io.now() - begun >= (options.limit ?? Infinity)) break;
    if (step.value !== undefined) progress.tick(`${time(step.value.iteration)}, not under ${time(step.value.bound)}`);
  }
  progress.end();
  forget?.();
  if (best === undefined) {
    await io.err('The search was stopped before it had an order.\n');
    return status.findings;
  }
  const sentences = summary(best, run);
  const put = (text: string) => (args.has('write') && args.value('output') === undefined ? io.err(text) : io.out(text));
  await put(`${printable(plan.name)}: ${sentences.join(' ')}\n`);
  return write(best, sentences, args, io);
}

function summary({ iteration, bound, effort, seed }: FoundOrder, { report }: Run): readonly string[] {
  const gap = (iteration - bound) / bound;
  const before = report.iteration;
  const change =
    iteration < before * (1 - 1e-9)
      ? `${share(1 - iteration / before)} shorter than ${report.schedule} (${time(before)})`
      : `no shorter than ${report.schedule} (${time(before)})`;
  return [
    `The order takes ${time(iteration)}, ${change}.`,
    gap < 1e-9
      ? 'No order within the limit is shorter.'
      : `No order within the limit is under ${time(bound)}, so any other is at most ${shareAtMost(1 - bound / iteration)} shorter.`,
    `Effort ${Number(effort.toPrecision(3))}, seed ${seed}.`,
  ];
}

async function write(best: FoundOrder, comment: readonly string[], args: Arguments, io: Io): Promise<Status> {
  const format = args.value('write');
  if (format === undefined) return status.fine;
  const cannot = async (problem: string): Promise<Status> => {
    await io.err(`The order cannot be written as ${format}: ${printable(problem)}.\n`);
    return status.findings;
  };
  if (format === 'csv') {
    const result = exportTorch(best.plan, best.program, false);
    if ('problem' in result) return cannot(result.problem);
    for (const note of result.notes) await io.err(`${printable(note)}\n`);
    return writeResult(io, 'search', args.value('output'), torchCsvParts(result.table));
  }
  const text = scheduleText(best.program, `${best.plan.name}_order`, comment);
  return text === undefined
    ? cannot('no rule places its stages')
    : writeResult(io, 'search', args.value('output'), [text]);
}

async function verify(plan: PipelinePlan, { timeline, report }: Run, io: Io): Promise<Status> {
  const fits = report.devices.every(({ peak, capacity }) => peak <= capacity);
  const { iteration, bound, optimal } = verifyOrder(plan, timeline, fits, verifyEffort);
  const lines = [
    `The order of ${report.schedule} runs: ${count(report.operations)}, ${time(iteration)}.`,
    fits
      ? 'It fits the memory of each device.'
      : 'It does not fit the memory of its devices, so the bound leaves memory out.',
    typeof bound !== 'number'
      ? `There is no proof of how short an order could be: ${bound.reason}.`
      : optimal
        ? 'It is proven that no order of these operations is shorter.'
        : `No order of these operations is under ${time(bound)}, so any other is at most ${shareAtMost(1 - bound / iteration)} shorter.`,
  ];
  await io.out(`${printable(plan.name)}: ${lines.join(' ')}\n`);
  return fits ? status.fine : status.findings;
}

const count = (operations: number): string => `${operations} operations`;
