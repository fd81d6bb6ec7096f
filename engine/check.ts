/**
 * Text to everything, once a text: syntax tree, plan, and for each pipeline its program, timeline, report and findings.
 * Editor, preview and command line all come through here.
 */
import { parse, type SyntaxFile } from '../grammar/index.ts';
import { evaluate, type Evaluation } from './evaluate.ts';
import type { Severity } from './findings/catalogue.ts';
import { finding, type Finding, type PlanFinding } from './findings/finding.ts';
import type { EngineHost, EngineOptions } from './host.ts';
import { evaluateJob, type JobEvaluation } from './job/evaluateJob.ts';
import type { JobPlan, Origins, PipelinePlan, Place } from './plan.ts';
import type { Resolution } from './language/resolution.ts';
import { resolve } from './resolve.ts';

export interface Analysis {
  readonly uri: string;
  readonly syntax: SyntaxFile;
  readonly resolution: Resolution;
  /** One for each pipeline of the plan, in its order. */
  readonly pipelines: readonly Evaluation[];
  /** One for each job of the plan, in its order. */
  readonly jobs: readonly JobEvaluation[];
  /** Of the file itself, by position: syntax, plan and simulation. */
  readonly findings: readonly Finding[];
}

export interface CheckRequest {
  readonly uri: string;
  readonly text: string;
  readonly host: EngineHost;
  readonly options: EngineOptions;
  /** Values of params instead of their defaults (`--set`, sliders). */
  readonly overrides?: Readonly<Record<string, number>>;
  /** An earlier answer for the same file: pipelines and jobs whose plans are equal are taken from it, not simulated again. */
  readonly earlier?: Pick<Analysis, 'syntax' | 'pipelines'> & Partial<Pick<Analysis, 'jobs'>>;
}

export type CheckStep = 'parsed' | 'planned' | 'evaluated';

/** Runs to the end. */
export function check(request: CheckRequest): Analysis {
  const steps = checkSteps(request);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same in steps, so that a server may look for newer text between them and drop the rest. */
export function* checkSteps(request: CheckRequest): Generator<CheckStep, Analysis, void> {
  const { uri, text, host, options, overrides, earlier } = request;
  const syntax =
    earlier !== undefined && earlier.syntax.text === text
      ? earlier.syntax
      : parse(text, { size: options.limits.fileSize, faults: options.limits.findings });
  yield 'parsed';
  const resolution = resolve({ uri, syntax, host, options, overrides });
  yield 'planned';
  const pipelines: Evaluation[] = [];
  for (const plan of resolution.plan.pipelines) {
    pipelines.push(reuse(earlier, plan, options) ?? evaluate(plan, options));
    yield 'evaluated';
  }
  const jobs: JobEvaluation[] = [];
  for (const plan of resolution.plan.jobs) {
    const workers = plan.workers.flatMap((name) => pipelines.find((one) => one.plan.name === name) ?? []);
    // Where a worker does not run, its own findings say why.
    if (workers.length < plan.workers.length || workers.some((one) => one.run === undefined)) continue;
    const plans = workers.map((one) => one.plan);
    jobs.push(reuseJob(earlier, plan, plans, options) ?? evaluateJob(plan, plans, options));
    yield 'evaluated';
  }
  const findings = [
    ...resolution.findings,
    ...[...pipelines, ...jobs].flatMap((one) => one.findings.flatMap((found) => placed(found, resolution.origins))),
  ]
    .filter((found) => found.place.uri === uri)
    .sort((a, b) => a.place.start - b.place.start || a.place.end - b.place.end);
  return { uri, syntax, resolution, pipelines, jobs, findings: capped(uri, merged(findings), options.limits.findings) };
}

const severities: readonly Severity[] = ['error', 'warning', 'information', 'hint'];

/** The gravest `limit` findings, by position, and one more that says that there are others. */
function capped(uri: string, findings: readonly Finding[], limit: number): readonly Finding[] {
  if (findings.length < limit) return findings;
  const kept = new Set(
    severities
      .flatMap((severity) => findings.filter((found) => found.severity === severity))
      .slice(0, Math.max(0, limit - 1)),
  );
  const figures = {
    what: 'Findings of this file',
    figure: `${limit.toLocaleString('en-US')} or more, of which the gravest are shown`,
    limit: limit.toLocaleString('en-US'),
    setting: 'pipewright.limits.findings',
  };
  const first = finding('limit/too-large', { uri, start: 0, end: 0 }, figures, { severity: 'information' });
  return [first, ...findings.filter((found) => kept.has(found))];
}

/** Findings of one code at one place are one mistake (equal devices, say): the first stays, with the number of the others. */
function merged(findings: readonly Finding[]): Finding[] {
  const kept = new Map<string, { readonly found: Finding; more: number }>();
  for (const found of findings) {
    const several = found.code === 'memory/out-of-memory' || found.code === 'comm/bottleneck-link';
    const key = `${found.place.start} ${found.place.end} ${found.code} ${several ? '' : found.message}`;
    const same = kept.get(key);
    if (same === undefined) kept.set(key, { found, more: 0 });
    else same.more += 1;
  }
  return [...kept.values()].map(({ found, more }) =>
    more === 0 || found.code.startsWith('syntax/')
      ? found
      : { ...found, message: `${found.message} (And ${more} more like it.)` },
  );
}

function reuse(
  earlier: CheckRequest['earlier'],
  plan: Evaluation['plan'],
  options: EngineOptions,
): Evaluation | undefined {
  const key = keyOf(plan);
  return earlier?.pipelines.find((one) => one.options === options && keyOf(one.plan) === key);
}

function reuseJob(
  earlier: CheckRequest['earlier'],
  plan: JobPlan,
  workers: readonly PipelinePlan[],
  options: EngineOptions,
): JobEvaluation | undefined {
  const key = JSON.stringify(plan);
  return earlier?.jobs?.find(
    (one) =>
      one.options === options &&
      JSON.stringify(one.plan) === key &&
      one.workers.every((worker, index) => keyOf(worker) === keyOf(workers[index])),
  );
}

const keys = new WeakMap<PipelinePlan, string>();

/** Equal for equal plans; made once a plan. */
function keyOf(plan: PipelinePlan): string {
  let key = keys.get(plan);
  if (key === undefined) keys.set(plan, (key = JSON.stringify(plan)));
  return key;
}

function placed(found: PlanFinding, origins: Origins): Finding[] {
  const place = placeOf(found.at, origins);
  if (place === undefined) return [];
  const related = found.related.flatMap((one) => {
    const there = placeOf(one.at, origins);
    return there === undefined ? [] : [{ place: there, message: one.message }];
  });
  return [{ ...found, place, related }];
}

/** The place of a path; where it has none of its own, that of the nearest thing around it (`train/stage:2/x` → `train/stage:2` → `train`). */
export function placeOf(path: string, origins: Origins): Place | undefined {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const place = origins.get(at);
    if (place !== undefined) return place;
  }
  return undefined;
}
