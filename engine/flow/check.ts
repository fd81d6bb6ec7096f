/**
 * Text to everything, once a text: syntax tree, plan, and for each pipeline its program, timeline, report and findings.
 * Editor, preview and command line all come through here.
 */
import { type Evaluation, planKey } from '../schedule/evaluation.ts';
import { parse, type SyntaxFile } from '../../grammar/index.ts';
import { evaluation } from './evaluate.ts';
import type { Severity } from '../findings/catalogue.ts';
import { findingsOf } from '../findings/ofPipeline.ts';
import { finding, type Finding, findingAt, type PlanFinding, type Subject } from '../findings/finding.ts';
import type { UnitRequest } from '../definitions/unitRequest.ts';
import type { EngineHost, EngineOptions } from '../basics/host.ts';
import { type TestedSchedule, testFindings } from '../grid/testFindings.ts';
import { scheduleTest } from '../grid/testSearch.ts';
import { placedAnswer, unplaced } from '../grid/unplaced.ts';
import { type JobEvaluation, jobEvaluation } from '../job/evaluateJob.ts';
import { paths, type Place, type Places } from '../values/plan.ts';
import type { Resolution } from '../language/resolution.ts';
import { count, list } from '../basics/quantities.ts';
import { resolveSteps } from './resolve.ts';
import { answerSteps, directSearches, type Searches } from '../basics/searches.ts';

export interface Analysis {
  readonly uri: string;
  readonly syntax: SyntaxFile;
  readonly resolution: Resolution;
  /** One for each pipeline of the plan, in its order. */
  readonly pipelines: readonly Evaluation[];
  /** One for each job of the plan, in its order. */
  readonly jobs: readonly JobEvaluation[];
  /** One for each `expect` of a schedule, in order. */
  readonly tests: readonly TestedSchedule[];
  /** Of the file itself, by position: syntax, plan and simulation. */
  readonly findings: readonly Finding[];
  /** Pipelines, jobs and tested schedules whose figures and findings are still to come. */
  readonly pending: readonly string[];
  /** Of these, the schedules whose tests are still to come: the findings of pipelines and jobs do not depend on them. */
  readonly untested: readonly string[];
}

export interface CheckRequest {
  readonly uri: string;
  readonly text: string;
  readonly host: EngineHost;
  readonly options: EngineOptions;
  /** Values of params instead of their defaults (`--set`, sliders). */
  readonly overrides?: Readonly<Record<string, number>>;
  /** Only this pipeline is simulated, and findings are of it and of the file. Default: all pipelines and jobs. */
  readonly only?: string | undefined;
  /** This schedule is simulated on equal stages instead of the pipelines of the file. */
  readonly unit?: UnitRequest | undefined;
  /**
   * An earlier answer for the same file. What the edit did not touch is not read again. Pipelines and jobs whose plans are equal are
   * taken from it, not simulated again.
   */
  readonly earlier?: Pick<Analysis, 'syntax' | 'pipelines'> & Partial<Pick<Analysis, 'jobs' | 'resolution'>>;
  /** What an earlier check of this very text planned, with the same host, options, overrides and schedule. */
  readonly planned?: Pick<Analysis, 'syntax' | 'resolution'> | undefined;
  /** Default: every answer is found at once, and nothing is pending. */
  readonly searches?: Searches;
}

const direct: Searches = directSearches();

/**
 * `parsed`, `planned`, `evaluated`, a plan: so far the check has come. `planning`: nothing new, the host may do something else. An
 * analysis: all that can be known before answers come that were asked for; resumed, the check asks again.
 */
export type CheckStep = 'parsed' | 'planning' | 'planned' | 'evaluated' | Planned | Analysis;

/** The plan is whole; simulations and their findings are still to come. */
export type Planned = Pick<Analysis, 'syntax' | 'resolution'> & { readonly state: 'planned' };

/** Runs to the end; `pending` names what `searches` does not answer. */
export function check(request: CheckRequest): Analysis {
  const steps = checkSteps(request);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (typeof step.value !== 'string' && 'pipelines' in step.value) return step.value;
  }
}

/** The same in steps, so that a server may look for newer text between them and drop the rest. */
export function* checkSteps(request: CheckRequest): Generator<CheckStep, Analysis, void> {
  const { uri, text, host, options, overrides, only, unit, earlier, planned, searches = direct } = request;
  const same = [planned, earlier].find((before) => before?.syntax.text === text);
  const syntax =
    same !== undefined
      ? same.syntax
      : parse(text, { size: options.limits.fileSize, faults: options.limits.findings }, earlier?.syntax);
  yield 'parsed';
  const fresh = (previous: { readonly options: EngineOptions }) => previous.options === options;
  const known = new Map((earlier?.pipelines ?? []).filter(fresh).map((pipeline) => [planKey(pipeline.plan), pipeline]));
  const knownJobs = new Map((earlier?.jobs ?? []).filter(fresh).map((job) => [jobKey(job), job]));
  let resolution = planned?.resolution;
  for (;;) {
    if (resolution === undefined || resolution.pending.length > 0) {
      const before = resolution ?? earlier?.resolution;
      for (const steps = resolveSteps({ uri, syntax, host, options, overrides, unit, searches, earlier: before }); ;) {
        const step = steps.next();
        if (step.done) {
          resolution = step.value;
          break;
        }
        yield 'planning';
      }
      if (resolution.pending.length === 0) yield { state: 'planned', syntax, resolution };
    }
    const pending = [...resolution.pending];
    const pipelines: Evaluation[] = [];
    for (const plan of resolution.plan.pipelines) {
      if (only !== undefined && plan.name !== only) continue;
      const problem = { plan, options, ...(searches.figuresOnly === true ? { figuresOnly: true as const } : {}) };
      const key = planKey(plan);
      yield 'planned';
      const found = known.get(key) ?? answered(problem, yield* pausing(answerSteps(searches, evaluation, problem)));
      if (found !== undefined) known.set(key, found);
      else if (!pending.includes(plan.name)) pending.push(plan.name);
      pipelines.push(found ?? { ...problem, findings: [] });
      yield 'evaluated';
    }
    const jobs: JobEvaluation[] = [];
    const named = new Map(pipelines.map((pipeline) => [pipeline.plan.name, pipeline]));
    for (const plan of only === undefined ? resolution.plan.jobs : []) {
      const ran = plan.workers.flatMap((name) => named.get(name) ?? []);
      // Where a worker does not run, its own findings say why.
      if (ran.length < plan.workers.length || ran.some((candidate) => candidate.run === undefined)) continue;
      const problem = { plan, workers: ran.map((each) => each.plan), options };
      const found =
        knownJobs.get(jobKey(problem)) ??
        answered(problem, yield* pausing(answerSteps(searches, jobEvaluation, problem)));
      if (found === undefined) pending.push(plan.name);
      else {
        knownJobs.set(jobKey(problem), found);
        jobs.push(found);
      }
      yield 'evaluated';
    }
    const tests: TestedSchedule[] = [];
    const untested: string[] = [];
    for (const { test, place } of resolution.tests) {
      const answer = yield* pausing(answerSteps(searches, scheduleTest, unplaced(test)));
      if (answer === undefined) untested.push(test.name);
      else tests.push({ test, place, answer: placedAnswer(answer, test) });
      yield 'evaluated';
    }
    const { places } = resolution;
    const findings = [
      ...(only === undefined ? resolution.findings : findingsOf(only, syntax, resolution.findings)),
      ...tests.flatMap(testFindings),
      ...[...pipelines, ...jobs].flatMap((evaluated) =>
        evaluated.findings.flatMap((found) => placed(found, places, uri)),
      ),
    ];
    const reported = reportedFindings(uri, findings, options);
    for (const name of untested) pending.push(name);
    const analysis = { uri, syntax, resolution, pipelines, jobs, tests, findings: reported, pending, untested };
    if (pending.length === 0) return analysis;
    yield analysis;
  }
}

/** A simulation goes on. */
function* pausing<Answer>(steps: Generator<undefined, Answer, void>): Generator<CheckStep, Answer, void> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield 'planned';
  }
}

/** Findings as a file shows them: its own, by position, each mistake once, and no more than the options allow. */
export function reportedFindings(
  uri: string,
  findings: readonly Finding[],
  { limits }: EngineOptions,
): readonly Finding[] {
  const own = findings
    .filter((found) => found.place.uri === uri)
    .sort((a, b) => a.place.start - b.place.start || a.place.end - b.place.end);
  return capped(uri, merged(own), limits.findings);
}

const severities: readonly Severity[] = ['error', 'warning', 'information', 'hint'];

/** The `limit` most severe findings, by position, and one more that says that there are others. */
function capped(uri: string, findings: readonly Finding[], limit: number): readonly Finding[] {
  if (findings.length < limit) return findings;
  const kept = new Set(
    severities
      .flatMap((severity) => findings.filter((found) => found.severity === severity))
      .slice(0, Math.max(0, limit - 1)),
  );
  const figures = {
    findings: limit.toLocaleString('en-US'),
    shown: kept.size.toLocaleString('en-US'),
    setting: 'pipewright.limits.findings',
  };
  const first = finding('limit/too-large', { uri, start: 0, end: 0 }, figures, { severity: 'information' });
  return [first, ...findings.filter((found) => kept.has(found))];
}

/** Others with the problem of a finding that are named one by one. */
const mostNamed = 3;

/**
 * Findings of one code at one place are one mistake if they say the same, or if they are about devices or links of one kind. The
 * first stays and names the others. They are in order of position.
 */
function merged(findings: readonly Finding[]): readonly Finding[] {
  const kept: Finding[] = [];
  for (let from = 0; from < findings.length;) {
    const { start, end } = findings[from].place;
    let to = from + 1;
    while (to < findings.length && findings[to].place.start === start && findings[to].place.end === end) to += 1;
    if (to === from + 1) kept.push(findings[from]);
    else kept.push(...mergedAt(findings.slice(from, to)));
    from = to;
  }
  return kept;
}

/** The same for findings of one place. */
function mergedAt(findings: readonly Finding[]): readonly Finding[] {
  const key = ({ about, code }: Finding): string => `${code} ${about?.kind ?? ''}`;
  const counts = new Map<string, number>();
  for (const found of findings) counts.set(key(found), (counts.get(key(found)) ?? 0) + 1);
  const kept = new Map<string, { readonly found: Finding; readonly others: Subject[] }>();
  for (const found of findings) {
    const { about } = found;
    // A message may be long in the making: it is read only if another one may be the same.
    const isCompared = about === undefined && (counts.get(key(found)) ?? 0) > 1;
    const words = isCompared ? `${key(found)} ${found.message}` : key(found);
    const same = kept.get(words);
    if (same === undefined) kept.set(words, { found, others: [] });
    else if (about !== undefined) same.others.push(about);
  }
  return [...kept.values()].map(({ found, others }) =>
    others.length === 0 ? found : { ...found, message: `${found.message} (${alsoAffected(others)}.)` },
  );
}

/** `gpu[1] and gpu[2] have this problem too`, `gpu[1] and 6 more devices have this problem too`. */
function alsoAffected(others: readonly Subject[]): string {
  const [{ kind, name }] = others;
  if (others.length === 1) return `${name} has this problem too`;
  const named =
    others.length <= mostNamed
      ? list(others.map((other) => other.name))
      : `${name} and ${count(others.length - 1, `more ${kind}`, `more ${kind}s`)}`;
  return `${named} have this problem too`;
}

const answered = <Problem, Answer>(problem: Problem, answer: Answer | undefined): (Problem & Answer) | undefined =>
  answer === undefined ? undefined : { ...problem, ...answer };

const jobKey = ({ plan, workers }: Pick<JobEvaluation, 'plan' | 'workers'>): string =>
  [JSON.stringify(plan), ...workers.map(planKey)].join(' ');

/** An error in the text of another file, such as a schedule that is taken over, is reported at the schedule of the pipeline. */
function placed(found: PlanFinding, places: Places, uri: string): Finding[] {
  const place = placeOf(found.at, places);
  if (place === undefined) return [];
  const related = found.related.flatMap((mention) => {
    const there = placeOf(mention.at, places);
    return there === undefined ? [] : [{ place: there, message: mention.message }];
  });
  if (place.uri === uri || found.severity !== 'error') return [findingAt(found, place, related)];
  const [pipeline] = found.at.split('/');
  const use = placeOf(paths.key(pipeline, 'schedule'), places);
  return [findingAt(found, use ?? place, [{ place, message: 'It is about this text.' }, ...related])];
}

/**
 * The place of a path. A path without a place gets the place of the nearest thing around it (`train/stage:2/x` → `train/stage:2`
 * → `train`).
 */
export function placeOf(path: string, places: Places): Place | undefined {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const place = places.get(at);
    if (place !== undefined) return place;
  }
  return undefined;
}
