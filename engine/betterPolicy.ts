/**
 * What `schedule/bubble` says of policies that may need another cut. Each is planned and simulated from the text, as quick fixes try it,
 * which takes as long as dozens of checks. So the finding is there before, and names the policy once it is found.
 */
import type { Declaration, SyntaxFile } from '../grammar/index.ts';
import { parse } from '../grammar/index.ts';
import { check } from './check.ts';
import { type Evaluation, evaluationSize } from './evaluation.ts';
import { type BubbleHelp, gains } from './findings/bubbleHelp.ts';
import { finding, type Finding, parametersOf } from './findings/finding.ts';
import { type BetterPolicy, betterPolicySteps } from './fixes/bubble.ts';
import { isAside } from './fixes/source.ts';
import type { EngineHost, EngineOptions } from './host.ts';
import { knownHost, type KnownFiles, rememberingHost } from './knownFiles.ts';
import type { Resolution } from './language/resolution.ts';
import { resolve } from './resolve.ts';
import { directSearches, noSearches, type Search, type Searches } from './searches.ts';

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
  readonly uri: string;
  readonly options: EngineOptions;
  readonly overrides: Readonly<Record<string, number>>;
  readonly host: EngineHost;
  /** Whether the file reads others. */
  readonly imports: boolean;
  /** Equal for equal questions. */
  readonly key: string;
}

/** The same as plain data. */
export interface PolicyProblem extends KnownFiles {
  readonly pipeline: string;
  readonly text: string;
  readonly uri: string;
  readonly options: EngineOptions;
  readonly overrides: Readonly<Record<string, number>>;
  readonly key: string;
  /** A search that would need more steps finds nothing: the best of what it tried may not be the best. */
  readonly most: { readonly ofTask: number; readonly inAll: number };
}

/** Elementary steps of one simulation, some 20 ns each. Larger pipelines take too long to be tried dozens of times. */
const largest = 2_500_000;
/** The same of one task of a search, and of all of them. */
const usualMost = { ofTask: 40_000_000, inAll: 250_000_000 };
/** Characters of a file and of all that it imports. */
const longestText = 400_000;

/** Nothing is found where no policy is worth naming. */
export interface PolicyAnswer {
  readonly found?: BetterPolicy;
}

export const betterPolicy: Search<PolicyProblem, PolicyAnswer> = {
  name: 'better-policy',
  // Always in a thread.
  size: () => Infinity,
  key: ({ key }) => key,
  *steps(problem) {
    const { uri, text, options, overrides, pipeline } = problem;
    const host = knownHost(problem);
    const { searches, isComplete } = limitedSearches(problem.most);
    const again = (tried: string) => check({ uri, text: tried, host, options, overrides, searches, only: pipeline });
    const found = yield* pausing(betterPolicySteps(again(text), pipeline, again));
    return found === undefined || !isComplete() ? {} : { found };
  },
};

function* pausing<R>(steps: Generator<unknown, R, void>): Generator<void, R, void> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    yield;
  }
}

/** What takes long is not answered: no planner holds the search up. */
function limitedSearches(most: PolicyProblem['most']): {
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
      complete &&= size <= most.ofTask && steps + size <= most.inAll;
      if (!complete) return undefined;
      steps += size;
      return direct.answer(search, problem);
    },
  };
  return { searches, isComplete: () => complete };
}

/** What to search for each pipeline of a file that has a bubble worth a search. */
export function policyQuestions(file: CheckedFile): readonly PolicyQuestion[] {
  const wanted = file.pipelines.filter(isWanted);
  if (wanted.length === 0) return [];
  const { uri, host, overrides = {} } = file;
  const { imports } = file.resolution;
  const around = imports.map((each) => `${each}\n${textAt(host, each)}`).join('\n');
  return wanted.flatMap(({ plan: { name: pipeline }, options }) => {
    const text = textFor(file.syntax, pipeline);
    if (text.length + around.length > longestText) return [];
    const key = [uri, pipeline, JSON.stringify([overrides, options]), text, around].join('\n');
    return [{ pipeline, text, uri, options, overrides, host, imports: imports.length > 0, key }];
  });
}

/** A pipeline that trains synchronously, with idle time to save, and small enough to be tried. */
function isWanted({ plan, run, findings }: Evaluation): boolean {
  if (run === undefined || !findings.some(({ code }) => code === 'schedule/bubble')) return false;
  const { program, report } = run;
  return (
    program.forwardOnly !== true &&
    report.asynchronous === undefined &&
    gains(report.bubble.makespan, 0) &&
    evaluationSize(plan) <= largest
  );
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
  const { pipeline, text, uri, options, overrides, key } = rest;
  return { pipeline, text, uri, options, overrides, key, most: usualMost, files: known.files, paths: known.paths };
}

/** The tokens of what matters to a pipeline. White space and comments between two are a space, or a line break if they have one. */
function textFor({ text, tokens, declarations }: SyntaxFile, pipeline: string): string {
  const aside = declarations.filter((each: Declaration) => isAside(each, pipeline));
  const parts: string[] = [];
  let next = 0;
  let end = 0;
  for (const token of tokens) {
    while (next < aside.length && aside[next].end <= token.start) next += 1;
    if (next < aside.length && token.start >= aside[next].start) continue;
    const gap = text.slice(end, token.start);
    parts.push(gap === '' ? '' : gap.includes('\n') ? '\n' : ' ', token.text);
    end = token.end;
  }
  return parts.join('');
}

/** The findings of a file, in which the bubble of the pipeline names the policy that was found; the same list where that adds nothing. */
export function withBetterPolicy(
  findings: readonly Finding[],
  pipeline: string,
  found: BetterPolicy,
): readonly Finding[] {
  const at = findings.findIndex(({ code, hint }) => code === 'schedule/bubble' && isOf(hint, pipeline));
  const parameters = at < 0 ? undefined : parametersOf(findings[at], 'schedule/bubble');
  if (parameters === undefined) return findings;
  const { bubble, help } = parameters;
  // A policy with the cut of the file is named before one that needs another cut and gives no more.
  const least = help.reduce((best, each) => ('schedule' in each ? Math.min(best, each.bubble) : best), bubble);
  if (!gains(bubble, found.bubble) || found.bubble >= least - leastLess) return findings;
  const all: readonly BubbleHelp[] = [...help, found].toSorted((a, b) => a.bubble - b.bubble);
  const { place, severity, related, hint, about } = findings[at];
  const named = finding(
    'schedule/bubble',
    place,
    { ...parameters, help: all },
    { related, severity, ...(hint === undefined ? {} : { hint }), ...(about === undefined ? {} : { about }) },
  );
  return findings.with(at, named);
}

/** Shares that differ by less read the same. */
const leastLess = 0.0005;

const isOf = (hint: Finding['hint'], pipeline: string): boolean =>
  hint !== undefined && 'pipeline' in hint && hint.pipeline === pipeline;
