/**
 * Pipelines side by side: the pipelines of a file unchanged, or one under several schedules, rules of exchange and collectives. Each row is planned and simulated
 * separately, so one that cannot run leaves the others alone.
 */
import { parse, type SyntaxFile } from '../grammar/index.ts';
import type { PipelineReport } from './report.ts';
import type { CheckRequest } from './check.ts';
import { evaluate } from './evaluate.ts';
import { apply } from './fixes/proposal.ts';
import { pipelineBody, setKey, valueOf } from './fixes/source.ts';
import { type PipelinePlan, setsWork } from './plan.ts';
import type { Resolution } from './language/resolution.ts';
import { resolve } from './resolve.ts';
import { count } from './quantities.ts';
import { generate } from './schedule/generate.ts';

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

export interface CompareRow {
  readonly pipeline: string;
  /** As it is written. */
  readonly schedule: string;
  /** Only if rows try others. */
  readonly sync?: string;
  readonly collective?: string;
  /** Figures, or why there are none. */
  readonly result: { readonly report: PipelineReport } | { readonly problem: RowProblem };
  /** It does work that rows under other schedules leave out. */
  readonly setsWork?: true;
  /** Codes of findings of severity error about the pipeline, as reported once it runs. */
  readonly errors: readonly string[];
}

export type CompareRequest = Omit<CheckRequest, 'earlier'>;

/** A file, planned and not simulated. */
export interface Planned {
  readonly syntax: SyntaxFile;
  readonly resolution: Resolution;
}

export function planned({ uri, text, host, options, overrides }: CompareRequest): Planned {
  const syntax = parse(text, { size: options.limits.fileSize, faults: options.limits.findings });
  return { syntax, resolution: resolve({ uri, syntax, host, options, overrides }) };
}

/** A pipeline of the file, unchanged. */
export function rowAsWritten(request: CompareRequest, base: Planned, pipeline: string): CompareRow {
  return rowOf(request, base, pipeline);
}

/**
 * The same with other values of some keys (`isValue` must be true of each). A schedule that needs another number of devices than
 * the file has is a problem, not a row: its figures would belong to other hardware.
 */
export function rowUnder(request: CompareRequest, base: Planned, pipeline: string, variant: Variant): CompareRow {
  const { text, syntax } = withVariant(request, base.syntax, pipeline, variant);
  if (text === base.syntax.text) return rowOf(request, base, pipeline, variant);
  const changed = planned({ ...request, text });
  const devices = planFor(base, pipeline)?.devices.length;
  const plan = planFor(changed, pipeline);
  if (devices === undefined || plan?.devices.length === devices) return rowOf(request, changed, pipeline, variant);
  const problem = plan === undefined ? planningProblem(changed, pipeline) : otherDevices(plan, devices);
  const cutElse = plan !== undefined || problem.code === 'stage/device-count';
  const nearest = cutElse ? nearestStages(request, syntax, pipeline, devices) : undefined;
  const message = nearest === undefined ? problem.message : `${problem.message} Nearest stages: ${nearest}.`;
  return {
    ...namesOf(base, pipeline, variant),
    result: { problem: { code: problem.code, message } },
    errors: [problem.code],
  };
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

function rowOf({ options }: CompareRequest, from: Planned, pipeline: string, variant: Variant = {}): CompareRow {
  const names = namesOf(from, pipeline, variant);
  const plan = planFor(from, pipeline);
  if (plan === undefined) {
    const problem = planningProblem(from, pipeline);
    return { ...names, result: { problem }, errors: [problem.code] };
  }
  const { run, findings } = evaluate(plan, options);
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const stopped = first ?? { code: 'schedule/deadlock', message: 'The pipeline does not run.' };
  return {
    ...names,
    ...(setsWork(plan.schedule) ? { setsWork: true } : {}),
    result: run === undefined ? { problem: { code: stopped.code, message: stopped.message } } : { report: run.report },
    errors: run === undefined ? [stopped.code] : errors.map(({ code }) => code),
  };
}

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
  return value === undefined ? '' : syntax.text.slice(value.start, value.end).replaceAll(/\s+/g, ' ');
}

function otherDevices({ devices, schedule, stages }: PipelinePlan, own: number): RowProblem {
  const numbers = new Set(stages.map(({ copy }, index) => copy?.stage ?? index)).size;
  const what = `${schedule.name} needs ${count(numbers, 'stage', 'stages')} over ${count(devices.length, 'device', 'devices')}`;
  return { code: 'schedule/shape', message: `${what}; the schedule of the file uses ${own}.` };
}

/** Stages of one device that are tried. */
const mostChunks = 8;

/** The least number of stages of `balance(…)` with which the pipeline can be built on `devices`; `undefined` without one. */
function nearestStages(
  request: CompareRequest,
  syntax: SyntaxFile,
  pipeline: string,
  devices: number,
): number | undefined {
  const body = pipelineBody(syntax, pipeline);
  const cut = body === undefined ? undefined : valueOf(body, 'stages');
  const written = cut?.kind === 'call' && cut.callee.text === 'balance' ? cut.arguments[0]?.value : undefined;
  if (written === undefined) return undefined;
  // From few to many: a policy for one stage on each device takes just that, one for several only more.
  for (let chunks = 1; chunks <= mostChunks; chunks += 1) {
    const edit = { start: written.start, end: written.end, text: String(chunks * devices) };
    const plan = planFor(planned({ ...request, text: apply(syntax.text, [edit]) }), pipeline);
    if (plan?.devices.length === devices && 'program' in generate(plan)) return chunks * devices;
  }
  return undefined;
}
