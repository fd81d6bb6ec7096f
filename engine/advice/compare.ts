/**
 * Pipelines side by side: the pipelines of a file unchanged, or one under several schedules, rules of exchange and collectives. Each row is planned and simulated
 * separately, so one that cannot run leaves the others alone.
 */
import { type Expression, parse, type SyntaxFile } from '../../grammar/index.ts';
import { pairedDraws } from '../analyze/pairedDraws.ts';
import type { PairedReport, PipelineReport } from '../values/report.ts';
import type { CheckRequest } from '../flow/check.ts';
import { evaluate } from '../flow/evaluate.ts';
import { apply } from '../fixes/proposal.ts';
import { recut } from '../fixes/recut.ts';
import { entriesOf, pipelineBody, setKey, valueOf } from '../fixes/source.ts';
import { type PipelinePlan, setsWork } from '../values/plan.ts';
import { runnersOf } from '../engines/runners.ts';
import type { Resolution } from '../language/resolution.ts';
import { findPolicy } from '../policies/registry.ts';
import { resolve } from '../flow/resolve.ts';
import { count } from '../basics/quantities.ts';
import { generate } from '../schedule/generate.ts';
import { cutStages } from '../costs/stages.ts';

export interface RowProblem {
  /** Code of the finding; `schedule/shape` where the schedule would run on other devices than the file's own. */
  readonly code: string;
  readonly message: string;
}

/** What a row tries instead of what the file says, each as you would write it there. */
export interface Variant {
  readonly schedule?: string;
  readonly sync?: string;
  readonly collective?: string;
}

/** Keys of a pipeline that a row may try. */
export const variantKeys = ['schedule', 'sync', 'collective'] as const;

/** How a row cuts the model. */
export interface RowCut {
  readonly stages: number;
  /** `balance(10)`, as written; absent if the file has `stage` blocks, or if the schedule makes the stages. */
  readonly text?: string;
  /** The cut of the file, if the row has another one because its schedule needs other stages on the same devices. */
  readonly instead?: string;
}

export interface CompareRow {
  readonly pipeline: string;
  /** As it is written. */
  readonly schedule: string;
  /** Only if rows try others. */
  readonly sync?: string;
  readonly collective?: string;
  /** Figures, or why there are none. */
  readonly result: { readonly report: PipelineReport } | { readonly problem: RowProblem };
  /** Only of a row that runs. */
  readonly cut?: RowCut;
  /** Seconds of its iteration under random times, by draw; absent if the report has no `jitter`. */
  readonly draws?: Float64Array;
  /** Against the pipeline as written, if rows try other values and times are random. */
  readonly paired?: PairedReport;
  /** Why a value that the row tries has no effect, as a sentence for each. Another row has the same figures. */
  readonly idle?: readonly string[];
  /** It does work that rows under other schedules leave out. */
  readonly setsWork?: true;
  /** Titles of the common engines that run it; absent where the file or a setting names the engine, and of equal stages. */
  readonly runsOn?: readonly string[];
  /** What the engine that the file names does not run, as sentences. */
  readonly unsupported?: readonly string[];
  /** Codes of findings of severity error about the pipeline, as reported once it runs. */
  readonly errors: readonly string[];
}

export type CompareRequest = Omit<CheckRequest, 'earlier'>;

/** A file, planned and not simulated. */
export interface Planned {
  readonly syntax: SyntaxFile;
  readonly resolution: Resolution;
}

export function planned({ uri, text, host, options, overrides, unit }: CompareRequest): Planned {
  const syntax = parse(text, { size: options.limits.fileSize, faults: options.limits.findings });
  return { syntax, resolution: resolve({ uri, syntax, host, options, overrides, unit }) };
}

/** A pipeline of the file, unchanged. */
export function rowAsWritten(request: CompareRequest, base: Planned, pipeline: string): CompareRow {
  return rowOf(request, base, pipeline);
}

/**
 * The same with other values of some keys (`isValue` must be true of each). Under a schedule that needs other stages for the devices of
 * the file, the model is cut again. If it cannot be, that is a problem, not a row: its figures would belong to other hardware.
 */
export function rowUnder(request: CompareRequest, base: Planned, pipeline: string, variant: Variant): CompareRow {
  const made = plannedUnder(request, base, pipeline, variant);
  if ('from' in made) return rowOf(request, made.from, pipeline, variant, made.instead);
  const { problem } = made;
  return { ...namesOf(base, pipeline, variant), result: { problem }, errors: [problem.code] };
}

/** The file with these values; `instead` is the cut that it had, if the model is cut again. */
export function plannedUnder(
  request: CompareRequest,
  base: Planned,
  pipeline: string,
  variant: Variant,
): { readonly from: Planned; readonly instead?: string } | { readonly problem: RowProblem } {
  const { text, syntax } = withVariant(request, base.syntax, pipeline, variant);
  if (text === base.syntax.text) return { from: base };
  const changed = planned({ ...request, text });
  const devices = planFor(base, pipeline)?.devices.length;
  const plan = planFor(changed, pipeline);
  const sparse = plan === undefined ? undefined : tooFewStages(plan);
  if (devices === undefined || (plan?.devices.length === devices && sparse === undefined)) return { from: changed };
  const problem = plan === undefined ? planningProblem(changed, pipeline) : (sparse ?? otherDevices(plan, devices));
  const cutElse = plan !== undefined || problem.code === 'stage/device-count';
  const again = cutElse ? cutAgain(request, syntax, pipeline, devices) : undefined;
  if (again !== undefined && 'from' in again) return again;
  const message = again === undefined ? problem.message : `${problem.message} It is not cut again: ${again.refused}.`;
  return { problem: { code: problem.code, message } };
}

/** A schedule on equal stages, without a pipeline. */
export function rowOfUnit(request: CompareRequest, unit: NonNullable<CheckRequest['unit']>): CompareRow {
  const { schedule } = unit;
  const from = planned({ ...request, unit });
  const [plan] = from.resolution.plan.pipelines;
  const { problem } = from.resolution;
  if (plan !== undefined || problem === undefined)
    return { ...rowOf(request, from, plan?.name ?? '', { schedule }), pipeline: '' };
  return {
    pipeline: '',
    schedule,
    result: { problem: { code: 'schedule/shape', message: problem } },
    errors: ['schedule/shape'],
  };
}

/** The row with how sure its gain over the pipeline as written is. Nothing is added to a row that says the same as the file. */
export function pairedWith(row: CompareRow, written: CompareRow): CompareRow {
  const same = variantKeys.every((key) => row[key] === undefined || row[key] === written[key]);
  const paired =
    same || row.draws === undefined || written.draws === undefined ? undefined : pairedDraws(row.draws, written.draws);
  return paired === undefined ? row : { ...row, paired };
}

/** The file with these values: one edit after the other, each in the text that the one before it left. */
function withVariant(
  { options }: CompareRequest,
  file: SyntaxFile,
  pipeline: string,
  variant: Variant,
): { readonly text: string; readonly syntax: SyntaxFile } {
  let syntax = file;
  for (const key of variantKeys) {
    const value = variant[key];
    const body = pipelineBody(syntax, pipeline);
    const edit = value === undefined || body === undefined ? undefined : setKey(syntax.text, body, key, value);
    if (edit === undefined) continue;
    const text = apply(syntax.text, [edit]);
    syntax = parse(text, { size: options.limits.fileSize, faults: options.limits.findings });
  }
  return { text: syntax.text, syntax };
}

/** Whether a text is a name or a call with no text behind it, so that it can be the value of a key. */
export function isValue(text: string): boolean {
  const before = 'pipeline p {\n  schedule = ';
  const syntax = parse(`${before}${text}\n}\n`);
  const body = pipelineBody(syntax, 'p');
  const value = body === undefined ? undefined : valueOf(body, 'schedule');
  return (
    syntax.errors.length === 0 &&
    syntax.declarations.length === 1 &&
    body?.entries.length === 1 &&
    (value?.kind === 'name' || value?.kind === 'call') &&
    value.start === before.length &&
    value.end === before.length + text.length
  );
}

const planFor = ({ resolution }: Planned, pipeline: string): PipelinePlan | undefined =>
  resolution.plan.pipelines.find(({ name }) => name === pipeline);

/** What a row is called by: its values as tried, otherwise as written. */
const namesOf = (
  from: Planned,
  pipeline: string,
  { schedule, sync, collective }: Variant,
): Pick<CompareRow, 'pipeline' | 'schedule' | 'sync' | 'collective'> => ({
  pipeline,
  schedule: schedule ?? scheduleText(from, pipeline),
  ...(sync === undefined ? {} : { sync }),
  ...(collective === undefined ? {} : { collective }),
});

function rowOf(
  { options }: CompareRequest,
  from: Planned,
  pipeline: string,
  variant: Variant = {},
  instead?: string,
): CompareRow {
  const names = namesOf(from, pipeline, variant);
  const plan = planFor(from, pipeline);
  if (plan === undefined) {
    const problem = planningProblem(from, pipeline);
    return { ...names, result: { problem }, errors: [problem.code] };
  }
  const { run, findings } = evaluate(plan, options);
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const idle = idleIn(from, pipeline, variant);
  const unsupported = unsupportedIn(from, pipeline);
  const runners = plan.engines?.chosen === undefined ? runnersOf(plan) : undefined;
  const stopped = first ?? { code: 'schedule/deadlock', message: 'The pipeline does not run.' };
  return {
    ...names,
    ...(idle.length > 0 ? { idle } : {}),
    ...(setsWork(plan.schedule) ? { setsWork: true } : {}),
    ...(runners === undefined ? {} : { runsOn: runners }),
    ...(unsupported.length > 0 ? { unsupported } : {}),
    result: run === undefined ? { problem: { code: stopped.code, message: stopped.message } } : { report: run.report },
    ...(run === undefined ? {} : { cut: cutOf(from, plan, instead) }),
    ...(run?.draws === undefined ? {} : { draws: run.draws }),
    errors: run === undefined ? [stopped.code] : errors.map(({ code }) => code),
  };
}

const unsupportedIn = ({ resolution }: Planned, pipeline: string): readonly string[] =>
  resolution.findings.flatMap(({ code, hint, message }) =>
    code === 'engine/unsupported' && hint?.kind === 'engine' && hint.pipeline === pipeline ? [message] : [],
  );

/** What planning says of values that the row tries and that have no effect. */
function idleIn({ resolution, syntax }: Planned, pipeline: string, variant: Variant): readonly string[] {
  const body = pipelineBody(syntax, pipeline);
  if (body === undefined) return [];
  const entries = variantKeys.flatMap((key) => (variant[key] === undefined ? [] : entriesOf(body, key)));
  return resolution.findings.flatMap(({ code, message, place }) =>
    code === 'key/not-applicable' && entries.some(({ start, end }) => place.start >= start && place.end <= end)
      ? // What to change in a file is of no use in a row.
        [message.replace(/ Remove `.*$/u, '')]
      : [],
  );
}

function cutOf({ syntax }: Planned, plan: PipelinePlan, instead: string | undefined): RowCut {
  const body = pipelineBody(syntax, plan.name);
  const written = body === undefined || entriesOf(body, 'stage').length > 0 ? undefined : valueOf(body, 'stages');
  return {
    stages: cutStages(plan).length,
    ...(written === undefined ? {} : { text: oneLine(syntax.text.slice(written.start, written.end)) }),
    ...(instead === undefined ? {} : { instead }),
  };
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** The first error of the pipeline's text, or the first of the file if the pipeline has none. */
function planningProblem({ resolution, syntax }: Planned, pipeline: string): RowProblem {
  const body = pipelineBody(syntax, pipeline);
  const errors = resolution.findings.filter(({ severity }) => severity === 'error');
  const inPipeline = errors.find(
    ({ place }) => body !== undefined && place.start >= body.start && place.end <= body.end,
  );
  const { code, message } = inPipeline ??
    errors[0] ?? { code: 'name/unknown', message: `Unknown pipeline "${pipeline}".` };
  return { code, message };
}

function scheduleText({ syntax }: Planned, pipeline: string): string {
  const body = pipelineBody(syntax, pipeline);
  const value = body === undefined ? undefined : valueOf(body, 'schedule');
  return value === undefined ? '' : oneLine(syntax.text.slice(value.start, value.end));
}

function otherDevices({ devices, schedule, stages }: PipelinePlan, own: number): RowProblem {
  const numbers = new Set(stages.map(({ copy }, index) => copy?.stage ?? index)).size;
  const what = `${schedule.name} needs ${count(numbers, 'stage', 'stages')} over ${count(devices.length, 'device', 'devices')}`;
  return { code: 'schedule/shape', message: `${what}; the schedule of the file uses ${own}.` };
}

/** Stages that `on` spreads over more devices than the policy would: its order is for several of them on each. */
function tooFewStages({ devices, schedule, stages }: PipelinePlan): RowProblem | undefined {
  if (schedule.kind !== 'policy' || stages.length !== devices.length) return undefined;
  const chunks = findPolicy(schedule.name)?.chunks(schedule.args) ?? 1;
  if (chunks === 1) return undefined;
  const message = `${schedule.name} needs ${chunks} stages on each device; the file puts ${count(stages.length, 'stage', 'stages')} on ${count(devices.length, 'device', 'devices')}.`;
  return { code: 'schedule/shape', message };
}

/** Most stages of a device that are tried, for a schedule that does not say how many it needs. */
const mostChunks = 8;

/** The pipeline with the fewest stages that its schedule can run on `devices`, or why it is not cut again; `undefined` if no number of stages does. */
function cutAgain(
  request: CompareRequest,
  syntax: SyntaxFile,
  pipeline: string,
  devices: number,
): { readonly from: Planned; readonly instead: string } | { readonly refused: string } | undefined {
  const body = pipelineBody(syntax, pipeline);
  if (body === undefined) return undefined;
  let found: { readonly from: Planned; readonly instead: string } | undefined;
  // From few to many: a policy for one stage on each device takes just that, one for several only more.
  for (const chunks of chunkCounts(valueOf(body, 'schedule'))) {
    const cut = recut(syntax, body, chunks * devices);
    if ('refused' in cut) return cut;
    const from = planned({ ...request, text: apply(syntax.text, cut.edits) });
    const plan = planFor(from, pipeline);
    if (plan?.devices.length !== devices) continue;
    if ('program' in generate(plan)) return { from, instead: cut.instead };
    // It has the right devices, and something else is wrong: that is its problem.
    found ??= { from, instead: cut.instead };
  }
  return found;
}

/** Stages of a device to try: those that a built-in policy says with its arguments, then few to many. */
function chunkCounts(schedule: Expression | undefined): readonly number[] {
  const name = schedule?.kind === 'call' ? schedule.callee.text : schedule?.kind === 'name' ? schedule.text : '';
  const written = schedule?.kind === 'call' ? schedule.arguments : [];
  const policy = findPolicy(name);
  const usual = Array.from({ length: mostChunks }, (_, index) => index + 1);
  if (policy === undefined) return usual;
  const args = Object.fromEntries(
    written.flatMap(({ name: parameter, value }, index) =>
      value.kind === 'quantity' ? [[parameter?.text ?? policy.parameters[index]?.name ?? '', value.value]] : [],
    ),
  );
  return [...new Set([policy.chunks(args), ...usual])];
}
