/**
 * What `schedule/bubble` says of policies that may need another cut. Each is planned and simulated from the text, as quick fixes try it,
 * which takes as long as dozens of checks. So the finding is there before, and names the policy once it is found.
 */
import type { Declaration, SyntaxFile } from '../../grammar/index.ts';
import { asRead, parse, tokensOf } from '../../grammar/index.ts';
import { check, type CheckRequest } from '../flow/check.ts';
import { evaluate } from '../flow/evaluate.ts';
import { type Evaluation, type EvaluationProblem, evaluationSize } from '../schedule/evaluation.ts';
import { type BubbleHelp, compareHelp, dropsLimit, gains, type Untried } from '../findings/bubbleHelp.ts';
import { finding, type Finding, parametersOf } from '../findings/finding.ts';
import { type BetterPolicy, betterPolicySteps } from '../fixes/bubble.ts';
import { sizeUnderPolicy } from '../fixes/candidates.ts';
import { stagesArgument } from '../fixes/recut.ts';
import { isAside, pipelineBody, valueOf } from '../fixes/source.ts';
import { withNeeds } from '../language/reading.ts';
import { type Advice, advised, advisedSteps, type SlowAdvice } from '../basics/advice.ts';
import type { EngineHost, EngineOptions } from '../basics/host.ts';
import { knownHost, type KnownFiles, rememberingHost } from '../basics/knownFiles.ts';
import type { Resolution } from '../language/resolution.ts';
import { giveOrder, type GivenOrder, givenOrder } from '../policies/searched/given.ts';
import { resolve } from '../flow/resolve.ts';
import { directSearches, noSearches, type Search, type Searches } from '../basics/searches.ts';

/** A checked file. */
export interface CheckedFile {
  readonly uri: string;
  readonly syntax: SyntaxFile;
  readonly resolution: Pick<Resolution, 'imports'>;
  readonly pipelines: readonly Evaluation[];
  readonly host: EngineHost;
  /** Values of params instead of their defaults. */
  readonly overrides?: Readonly<Record<string, number>>;
}

/** What to search for a pipeline. */
export interface PolicyQuestion {
  readonly pipeline: string;
  /** The file without comments, and without declarations that change nothing for the pipeline. */
  readonly text: string;
  /** The whole file is tried: another number of stages is a param, which other pipelines may use. */
  readonly whole: boolean;
  readonly uri: string;
  readonly options: EngineOptions;
  readonly overrides: Readonly<Record<string, number>>;
  readonly host: EngineHost;
  /** Whether the file reads others. */
  readonly imports: boolean;
  /** The order of a pipeline that searches for one: it is not searched again. */
  readonly order?: GivenOrder;
  /** No policy is tried. */
  readonly untried?: Untried;
  /** Equal for equal questions. */
  readonly key: string;
}

/** The same as plain data. */
export interface PolicyProblem extends KnownFiles {
  readonly pipeline: string;
  readonly text: string;
  readonly whole: boolean;
  readonly uri: string;
  readonly options: EngineOptions;
  readonly overrides: Readonly<Record<string, number>>;
  readonly key: string;
  readonly order?: GivenOrder;
  readonly untried?: Untried;
  /** A search that would need more steps finds nothing: the best of what it tried may not be the best. */
  readonly most: { readonly ofTask: number; readonly inAll: number };
}

/** Elementary steps of one simulation, some 20 ns each. The fixes of larger pipelines are the first few of many. */
const largest = 40_000_000;
/** The same of one task of a search, and of all of them. */
const usualMost = { ofTask: 40_000_000, inAll: 250_000_000 };
/** Characters of a file and of all that it imports. */
const longestText = 400_000;

/** Nothing is found where no policy is worth naming. */
export interface PolicyAnswer {
  readonly found?: BetterPolicy;
  /** Why not all policies were tried that the quick fixes try. */
  readonly untried?: Untried;
}

export const betterPolicy: Search<PolicyProblem, PolicyAnswer> = {
  name: 'better-policy',
  // Always in a thread.
  size: () => Infinity,
  key: ({ key }) => key,
  steps: (problem) => advisedSteps(policyAdvice, problem),
};

export const policyAdvice: SlowAdvice<[PolicyProblem], void, PolicyAnswer> = {
  name: 'better policy',
  *steps(problem) {
    const { uri, text, options, overrides, pipeline, whole, untried, order } = problem;
    if (untried !== undefined) return { untried };
    const host = knownHost(problem);
    const { searches, isComplete } = limitedSearches(problem);
    const request = { uri, host, options, overrides, searches, ...(whole ? {} : { only: pipeline }) };
    const earlier = order === undefined ? {} : { earlier: ordered({ ...request, text }, pipeline, order) };
    const today = check({ ...request, text, ...earlier });
    const { pending } = today;
    const simulated = today.pipelines.filter(({ plan }) => !pending.includes(plan.name));
    const again = (tried: string) => check({ ...request, text: tried, earlier: { ...today, pipelines: simulated } });
    const found = yield* pausing(betterPolicySteps(today, pipeline, again));
    if (!isComplete()) return { untried: 'slow' };
    return found === undefined ? {} : { found };
  },
  otherwise: {},
};

/** The pipeline with an order that was found for it. */
function ordered(
  request: CheckRequest,
  pipeline: string,
  order: GivenOrder,
): Required<Pick<CheckRequest, 'earlier'>>['earlier'] {
  const { text, options } = request;
  const syntax = parse(text, { size: options.limits.fileSize, faults: options.limits.findings });
  const { plan } = resolve({ ...request, syntax, searches: request.searches ?? noSearches, earlier: undefined });
  const found = plan.pipelines.find(({ name }) => name === pipeline);
  return { syntax, pipelines: found !== undefined && giveOrder(found, order) ? [evaluate(found, options)] : [] };
}

function* pausing<R>(steps: Generator<unknown, R, void>): Generator<void, R, void> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    yield;
  }
}

/** What takes long is not answered: no planner holds the search up. */
function limitedSearches({ most, pipeline }: PolicyProblem): {
  readonly searches: Searches;
  readonly isComplete: () => boolean;
} {
  const direct = directSearches();
  let steps = 0;
  let complete = true;
  const searches: Searches = {
    figuresOnly: true,
    answer<Problem, Answer>(search: Search<Problem, Answer>, problem: Problem): Answer | undefined {
      const size = search.size(problem);
      // Only today's schedule searches for its order: with another cut or batch it is no other policy.
      if (size > most.ofTask && isOrderSearch(problem, pipeline)) return undefined;
      complete &&= size <= most.ofTask && steps + size <= most.inAll;
      if (!complete) return undefined;
      steps += size;
      return direct.answer(search, problem);
    },
  };
  return { searches, isComplete: () => complete };
}

/** Whether a problem is the evaluation of this pipeline under a policy that searches long. */
function isOrderSearch(problem: unknown, pipeline: string): boolean {
  const isEvaluation = (value: unknown): value is EvaluationProblem =>
    typeof value === 'object' && value !== null && 'plan' in value && 'options' in value;
  return (
    isEvaluation(problem) &&
    problem.plan.name === pipeline &&
    sizeUnderPolicy(problem.plan) < evaluationSize(problem.plan)
  );
}

/** What to search for each pipeline of a file that has a bubble worth a search. */
export const policyQuestions = (file: CheckedFile): readonly PolicyQuestion[] => advised(questionsAdvice, file);

export const questionsAdvice: Advice<[CheckedFile], readonly PolicyQuestion[]> = {
  name: 'questions for better policies',
  find: questionsOf,
  otherwise: [],
};

function questionsOf(file: CheckedFile): readonly PolicyQuestion[] {
  const wanted = file.pipelines.filter(isWanted);
  if (wanted.length === 0) return [];
  const { uri, host, overrides = {} } = file;
  const { imports } = file.resolution;
  const around = imports.map((each) => `${each}\n${textAt(host, each)}`).join('\n');
  return wanted.map(({ plan, options, run }) => {
    const pipeline = plan.name;
    const whole = cutsByParam(file.syntax, pipeline);
    const text = whole ? file.syntax.text : textFor(file.syntax, pipeline);
    const key = [uri, pipeline, JSON.stringify([overrides, options]), text, around].join('\n');
    const question = { pipeline, text, whole, uri, options, overrides, host, imports: imports.length > 0, key };
    if (text.length + around.length > longestText) return { ...question, untried: 'long' };
    if (sizeUnderPolicy(plan) > largest) return { ...question, untried: 'slow' };
    const searched = run?.report.search;
    const order = run === undefined || searched === undefined ? undefined : givenOrder(plan, run.program, searched);
    return { ...question, ...(order === undefined ? {} : { order }) };
  });
}

/** A pipeline that trains synchronously, with idle time to save. */
function isWanted({ run, findings }: Evaluation): boolean {
  if (run === undefined || !findings.some(({ code }) => code === 'schedule/bubble')) return false;
  const { program, report } = run;
  return program.forwardOnly !== true && report.asynchronous === undefined && gains(report.bubble.makespan, 0);
}

function textAt(host: EngineHost, uri: string): string {
  const found = host.read(uri);
  return 'text' in found ? found.text : found.problem;
}

/** The problem as a thread gets it. A file that reads others is planned once, to know which. */
export function policyProblem({ host, imports, ...rest }: PolicyQuestion): PolicyProblem {
  const known = rememberingHost(host);
  if (imports) {
    const { uri, text, options, overrides } = rest;
    const syntax = parse(text, { size: options.limits.fileSize, faults: options.limits.findings });
    resolve({ uri, syntax, host: known, options, overrides, searches: noSearches });
  }
  return { ...rest, most: usualMost, files: known.files, paths: known.paths };
}

/** Whether the number of stages is a name, and other declarations that would be left aside use that name. */
function cutsByParam(syntax: SyntaxFile, pipeline: string): boolean {
  const body = pipelineBody(syntax, pipeline);
  const cut = body === undefined ? undefined : valueOf(body, 'stages');
  const value = cut?.kind === 'call' ? stagesArgument(cut)?.value : undefined;
  if (value?.kind !== 'name') return false;
  const uses = (declaration: Declaration) => tokensOf(syntax, declaration).some(({ text }) => text === value.text);
  return syntax.declarations.some((each) => isAside(each, pipeline) && uses(each));
}

/** The tokens of what matters to a pipeline. White space and comments between two are a space, or a line break if they have one. */
function textFor(syntax: SyntaxFile, pipeline: string): string {
  const { text, declarations } = syntax;
  const isFirst = (each: Declaration) => !isAside(each, pipeline) && !isForOthers(each);
  const needed = withNeeds(syntax, declarations.filter(isFirst));
  const parts: string[] = [];
  let end = 0;
  for (const declaration of declarations.filter((each) => needed.has(each))) {
    parts.push(between(text.slice(end, declaration.start)), spaced(syntax, declaration));
    end = declaration.end;
  }
  return parts.join('');
}

const spacedTexts = new WeakMap<Declaration, string>();

/** The tokens of a declaration, which are written once, however often it moves. */
function spaced(syntax: SyntaxFile, declaration: Declaration): string {
  const read = asRead(declaration);
  const known = spacedTexts.get(read);
  if (known !== undefined) return known;
  const parts: string[] = [];
  let end = declaration.start;
  for (const token of tokensOf(syntax, declaration)) {
    parts.push(between(syntax.text.slice(end, token.start)), token.text);
    end = token.end;
  }
  const written = parts.join('');
  spacedTexts.set(read, written);
  return written;
}

const between = (gap: string): string => (gap === '' ? '' : gap.includes('\n') ? '\n' : ' ');

/** Whether it means something only to what mentions its name. */
const isForOthers = (declaration: Declaration): boolean =>
  declaration.kind === 'let' ||
  (declaration.kind === 'block' && ['device', 'cluster', 'model', 'schedule'].includes(declaration.keyword.text));

/** The findings of a file, in which the bubble of the pipeline names what the search found; the same list if that changes nothing. */
export function withBetterPolicy(
  findings: readonly Finding[],
  pipeline: string,
  answer: PolicyAnswer,
): readonly Finding[] {
  const at = findings.findIndex(({ code, hint }) => code === 'schedule/bubble' && isOf(hint, pipeline));
  const parameters = at < 0 ? undefined : parametersOf(findings[at], 'schedule/bubble');
  if (parameters === undefined) return findings;
  const { untried } = answer;
  const help = untried === undefined ? helpWith(parameters, answer.found) : parameters.help;
  if (untried === undefined && JSON.stringify(help) === JSON.stringify(parameters.help)) return findings;
  const { place, related, hint, about } = findings[at];
  const severity = findings[at].severity === 'warning' ? 'warning' : 'information';
  const named = finding(
    'schedule/bubble',
    place,
    { ...parameters, help, ...(untried === undefined ? {} : { untried }) },
    { related, severity, ...(hint === undefined ? {} : { hint }), ...(about === undefined ? {} : { about }) },
  );
  return findings.with(at, named);
}

/**
 * What helps, once all policies were tried: the policy that the quick fixes put first comes before all others, and none is named that
 * they would not offer.
 */
function helpWith(
  { bubble, help }: { readonly bubble: number; readonly help: readonly BubbleHelp[] },
  found: BetterPolicy | undefined,
): readonly BubbleHelp[] {
  const others = help.filter((each) => !('schedule' in each));
  if (found === undefined) return others;
  const policies = help.filter((each) => 'schedule' in each && each.schedule !== found.schedule);
  if (policies.length === 0 && !gains(bubble, found.bubble)) return others;
  const worse = policies.filter((each) => each.bubble >= found.bubble || (dropsLimit(each) && !dropsLimit(found)));
  return [...others, found, ...worse].toSorted(compareHelp);
}

const isOf = (hint: Finding['hint'], pipeline: string): boolean =>
  hint !== undefined && 'pipeline' in hint && hint.pipeline === pipeline;
