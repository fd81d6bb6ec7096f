/**
 * The frame of all fixes. Each candidate is tried on the file, and kept only if the changed file answers the finding without a new
 * error. Candidates are ranked by what the simulation of the changed file gives.
 */
import { advisedSteps, type SlowAdvice } from '../basics/advice.ts';
import type { Analysis } from '../flow/check.ts';
import type { AccuracyReport } from '../values/accuracy.ts';
import type { BubbleHelp } from '../findings/bubbleHelp.ts';
import { list } from '../basics/quantities.ts';
import { runnersOf } from '../engines/runners.ts';
import {
  type Effect,
  effectWords,
  type Emphasis,
  type Figures,
  isTight,
  leastChange,
  relative,
  sameBatch,
  samplePeriod,
} from './effect.ts';
import { brokenFigures, figuresIn, noNewError, type Simulated, simulated } from './outcome.ts';
import { type Again, apply, checkedAgain, type Edit, type FixSteps, type Proposal } from './proposal.ts';

/** A change that may answer a finding. */
export interface Candidate {
  /** What it does, without its effect: `Use zb_h1`. */
  readonly what: string;
  /** The same next to a change of ranks, which changes its numbers. */
  readonly withOtherRanks?: string;
  /** Candidates of one kind are alternatives to each other, such as several policies. */
  readonly kind: string;
  /** `undefined` where a part of the change cannot be written into this file: the candidate is then left out. */
  readonly edits: readonly (Edit | undefined)[];
  /** The policy that it changes to. */
  readonly policy?: PolicyChange;
  /** It is offered even if a device does not fit then. */
  readonly mayOverfill?: true;
  /** People try it before they think of anything else. */
  readonly usual?: true;
  /** It computes in other numbers than the file says: ranked after all that do not. */
  readonly numerics?: true;
  /** Samples of a microbatch, as a share of those today. */
  readonly samples?: number;
  /** The changes that it joins. Default: it is one change. */
  readonly parts?: readonly Candidate[];
  /** Ranked after all others, whatever it gives: it hides the finding, or needs more hardware. */
  readonly last?: true;
}

export type Candidates = Iterable<Candidate | undefined>;

/** The changes that a candidate joins; itself if it is one change. */
export const partsOf = (candidate: Candidate): readonly Candidate[] => candidate.parts ?? [candidate];

/** Each further change must make it this much faster. */
const leastOfPart = 1.05;

/** A factor on the time of a candidate, where it is compared with others: more than 1 for several changes. */
export const weightOf = ({ parts = [] }: Pick<Candidate, 'parts'>): number =>
  leastOfPart ** Math.max(0, parts.length - 1);

/** A candidate after which the pipeline runs, and no error is new but devices over their memory. */
export interface Tried {
  readonly candidate: Candidate;
  readonly figures: Figures;
  /** It answers the finding; it may be offered too, which it may not if it fills a device. */
  readonly answers: boolean;
  readonly reached: boolean;
  /** Whether a common engine runs it. True of all if none ran the pipeline before: its user has another one. */
  readonly isRun: boolean;
}

/** Another policy as it is written, and what it does with the stages. */
export type PolicyChange = Omit<Extract<BubbleHelp, { readonly schedule: string }>, 'bubble'>;

/** What a fix has to reach. */
export interface Goal {
  readonly pipeline: string;
  readonly emphasis: Emphasis;
  /** Name of the device that the figures of a fix are asked for. Default: the fullest one, as in every title. */
  readonly device?: string;
  /** Whether the changed file answers the finding. `kind`: of the candidate that changed it. */
  readonly met: (changed: Analysis, after: Simulated, kind?: string) => boolean;
  /** What the title states in addition, for a finding that lessens and stays. */
  readonly also?: (after: Simulated) => string;
  /** Most fixes shown, and of one kind. */
  readonly most?: number;
  readonly mostOfKind?: number;
  /** A change after which a device does not fit is left out if another change makes all fit. */
  readonly fitting?: true;
  /** A change after which a device does not fit is offered: the file left out what fills it. */
  readonly mayOverfill?: true;
}

export interface Trial {
  readonly also: string;
  /** Every pipeline of the changed file is simulated. Otherwise its effect on another one is still to come. */
  readonly isSettled: boolean;
  readonly candidate: Candidate;
  readonly edits: readonly Edit[];
  /** With the peak of the fullest device. */
  readonly effect: Effect;
  /** With the peak of the device that the goal names. */
  readonly asked: Effect;
  /** Expectations with `==` that it breaks, as they are written. */
  readonly breaks: readonly string[];
  /** Titles of the common engines that run the changed pipeline. */
  readonly runners: readonly string[] | undefined;
  /** Whether such an engine runs it, as of `Tried`. */
  readonly isRun: boolean;
  /** It leaves less than the margin of `memory/headroom`, and would fit in fewer than half of the published runs of its kind. */
  readonly isUnlikely: boolean;
}

/** Broken expectations that a title names. */
const namedBreaks = 2;

const usualMost = 5;
const usualMostOfKind = 2;

/**
 * Fixes among the candidates, best first. Pauses after each trial, so that a host may look for newer text. Candidates may follow from
 * what was tried before: the list that they are given grows.
 */
export function* fixesAmong(
  analysis: Analysis,
  goal: Goal,
  candidates: Candidates | ((tried: readonly Tried[]) => Candidates),
  again: Again,
): FixSteps {
  const trials = trialSteps(analysis, goal, candidates, again);
  let step = trials.next();
  for (; step.done !== true; step = trials.next()) {
    const found = step.value;
    yield () => proposalsOf(found.filter(isSettled), goal);
  }
  const found = step.value;
  const [best, ...others] = proposalsOf(found, goal);
  if (best === undefined) return [];
  const isPreferred = found.some((trial) => trial.edits === best.edits && rank(trial) === 0);
  return [isPreferred ? { ...best, preferred: true } : best, ...others];
}

/** The best trial among these candidates, whoever runs it; undefined where it leaves a device over its memory. */
export function* bestTrial(
  analysis: Analysis,
  goal: Goal,
  candidates: Candidates,
  again: Again,
): Generator<unknown, Trial | undefined, void> {
  const found = yield* trialSteps(analysis, goal, candidates, again);
  const likely = found.filter((trial) => trial.isSettled && !isRisk(trial));
  const best = likely.toSorted(compareTrials).at(0);
  return best?.effect.after.fits === true && best.breaks.length === 0 ? best : undefined;
}

const isSettled = (trial: Trial): boolean => trial.isSettled;

/** The candidates that reach the goal, each tried on the file. Yields those so far, in a list that grows. */
function* trialSteps(
  analysis: Analysis,
  goal: Goal,
  candidates: Candidates | ((tried: readonly Tried[]) => Candidates),
  again: Again,
): Generator<readonly Trial[], readonly Trial[], void> {
  const found: Trial[] = [];
  const tried: Tried[] = [];
  const seen = new Set<string>();
  for (const candidate of typeof candidates === 'function' ? candidates(tried) : candidates) {
    yield found;
    const edits = candidate === undefined ? undefined : writtenEdits(candidate.edits);
    if (candidate === undefined || edits === undefined) continue;
    const text = apply(analysis.syntax.text, edits);
    if (text === analysis.syntax.text || seen.has(text)) continue;
    seen.add(text);
    for (const steps = advisedSteps(trialAdvice, analysis, goal, candidate, edits, checkedAgain(again, text)); ;) {
      const step = steps.next();
      if (step.done !== true) {
        yield found;
        continue;
      }
      const { trial, figures, isRun = false, answers = false } = step.value ?? {};
      if (trial !== undefined) found.push(trial);
      if (figures !== undefined) tried.push({ candidate, figures, isRun, answers, reached: trial !== undefined });
      break;
    }
  }
  return found;
}

interface Outcome extends Partial<Pick<Tried, 'figures' | 'isRun' | 'answers'>> {
  readonly trial?: Trial;
}

/** A change that throws when it is tried leaves the others. */
const trialAdvice: SlowAdvice<
  [Analysis, Goal, Candidate, readonly Edit[], Generator<undefined, Analysis, void>],
  undefined,
  Outcome | undefined
> = {
  name: 'trial of a fix',
  *steps(analysis, goal, candidate, edits, checked) {
    const changed = yield* checked;
    const after = simulated(changed, goal.pipeline);
    if (!noNewError(analysis, changed, { mayOverfill: true, mayBreak: true })) return undefined;
    const runners = after === undefined ? undefined : runnersOf(after.plan);
    const old = analysis.resolution.plan.pipelines.find(({ name }) => name === goal.pipeline);
    const isRun = runners?.length !== 0 || (old !== undefined && runnersOf(old)?.length === 0);
    const run =
      after === undefined
        ? {}
        : { figures: figuresIn(changed, after), isRun, answers: goal.met(changed, after, candidate.kind) };
    const effect = effectOf(
      analysis,
      changed,
      candidate.mayOverfill === true ? { ...goal, mayOverfill: true } : goal,
      candidate.kind,
    );
    if (effect === undefined || after === undefined) return run;
    const also = goal.also?.(after) ?? '';
    const trial = {
      ...{ candidate, edits, effect, isRun },
      isUnlikely: isUnlikely(effect, after.run.report.accuracy),
      also: also === '' ? '' : `, ${also}`,
      asked: goal.device === undefined ? effect : effectAt(analysis, changed, after, goal.device),
      breaks: brokenFigures(analysis, changed),
      isSettled: changed.pending.length === 0,
      runners: after.plan.engines?.chosen === undefined ? runners : undefined,
    };
    return { ...run, trial };
  },
  otherwise: undefined,
};

function isUnlikely({ after }: Effect, accuracy: AccuracyReport | undefined): boolean {
  const { fit, runs } = accuracy?.memory ?? { fit: 0, runs: 0 };
  return isTight(after) && fit < runs / 2;
}

/** Whether a file that fits would probably not fit any more. One that does not fit, or does not run, is no worse off. */
const isRisk = ({ effect: { before, after }, isUnlikely: isOff }: Trial): boolean =>
  isOff && before?.fits === true && after.peak > before.peak;

const proposalsOf = (found: readonly Trial[], goal: Goal): readonly Proposal[] =>
  shown(ranked(offered(found, goal)), goal).map(({ candidate, edits, effect, asked, also, breaks, runners }) => ({
    title: `${titleOf(`${candidate.what}${breakWords(breaks)}`, effect, goal.emphasis)}${also}`,
    edits,
    effect: asked,
    ...(runners === undefined ? {} : { runners }),
    ...(breaks.length === 0 ? {} : { breaks }),
  }));

/** ` (breaks "iteration == 33s")`; nothing where every expectation still holds. */
const breakWords = (breaks: readonly string[]): string =>
  breaks.length === 0
    ? ''
    : ` (breaks ${list(breaks.slice(0, namedBreaks).map((text) => `"${text}"`))}${breaks.length > namedBreaks ? ` and ${breaks.length - namedBreaks} more` : ''})`;

function offered(trials: readonly Trial[], { fitting, mayOverfill }: Goal): readonly Trial[] {
  const found = trials.filter(
    (trial) =>
      !isOtherRunThatFails(trial) &&
      !fillsMore(trial, mayOverfill === true) &&
      (!isRisk(trial) || mayOverfill === true || trial.candidate.mayOverfill === true),
  );
  const fits = fitting === true ? found.filter(({ effect }) => effect.after.fits) : found;
  const all = fits.length > 0 ? fits : found;
  const usable = all.filter((trial) => trial.isRun && rank(trial) === 0);
  const roomy = usable.filter(({ effect }) => !isTight(effect.after));
  const best = Math.min(...(roomy.length > 0 ? roomy : usable).map(({ effect }) => samplePeriod(effect.after)));
  // Nobody trains for twice as long where something else does.
  const isSlow = ({ effect }: Trial): boolean => samplePeriod(effect.after) > mostPeriods * best;
  const isLeftOut = (trial: Trial): boolean => fitting === true && trial.candidate.last !== true && isSlow(trial);
  return all.filter((trial) => isNeeded(trial, found) && !isLeftOut(trial));
}

/** Nobody trains with another batch to find that a device is still over its memory. */
const isOtherRunThatFails = ({ effect: { before, after } }: Trial): boolean =>
  before !== undefined && !before.fits && !after.fits && !sameBatch(before, after);

/** What does not fit is not helped by a faster order that needs even more. */
const fillsMore = ({ effect: { before, after }, candidate }: Trial, mayOverfill: boolean): boolean =>
  !mayOverfill &&
  candidate.mayOverfill !== true &&
  before?.fits === false &&
  !after.fits &&
  relative(before.peak, after.peak) > leastChange;

const mostPeriods = 2;

/** Without a part that is needed, a combination misses the goal or takes at least this share longer. */
const leastNeed = 0.02;

/** Whether no part of a combination does as well as all of it. */
const isNeeded = (trial: Trial, found: readonly Trial[]): boolean =>
  !found.some(
    (other) =>
      isPartOf(other.candidate, trial.candidate) &&
      rank(other) <= rank(trial) &&
      other.effect.after.fits >= trial.effect.after.fits &&
      isTight(other.effect.after) <= isTight(trial.effect.after) &&
      samplePeriod(other.effect.after) <= samplePeriod(trial.effect.after) * (1 + leastNeed),
  );

function isPartOf(some: Candidate, all: Candidate): boolean {
  const [parts, whole] = [partsOf(some), partsOf(all)];
  return parts.length < whole.length && parts.every((part) => whole.includes(part));
}

/** `Use zb_h1: iteration −18 %, peak unchanged`. */
export const titleOf = (what: string, effect: Effect, emphasis: Emphasis): string =>
  `${what}: ${effectWords(effect, emphasis)}`;

/** What a change of the file does; undefined where it brings a new error, does not run, or misses the goal. */
export function effectOf(analysis: Analysis, changed: Analysis, goal: Goal, kind?: string): Effect | undefined {
  if (!noNewError(analysis, changed, { mayOverfill: goal.mayOverfill, mayBreak: true })) return undefined;
  const after = simulated(changed, goal.pipeline);
  return after !== undefined && goal.met(changed, after, kind) ? effectAt(analysis, changed, after) : undefined;
}

function effectAt(analysis: Analysis, changed: Analysis, after: Simulated, device?: string): Effect {
  const before = simulated(analysis, after.plan.name);
  return {
    pipeline: after.plan.name,
    ...(before === undefined ? {} : { before: figuresIn(analysis, before, device) }),
    after: figuresIn(changed, after, device),
  };
}

function writtenEdits(edits: Candidate['edits']): readonly Edit[] | undefined {
  const written = edits.filter((edit) => edit !== undefined);
  return written.length === edits.length && written.length > 0 ? written : undefined;
}

/** Ranks of changes that are no last resort. */
const ranks = 4;

/**
 * Changes that train with the same batch in the same numbers come before changes that do not, and those come before changes that drop a limit of the file.
 * Changes that break an expectation come after all of them.
 */
function rank({ candidate, breaks, effect: { before, after } }: Trial): number {
  if (candidate.last === true) return ranks;
  if (breaks.length > 0) return 3;
  if (candidate.policy?.without !== undefined) return 2;
  return candidate.numerics === true || (before !== undefined && !sameBatch(before, after)) ? 1 : 0;
}

/** The best first. What no common engine runs is never the first of several that keep what the file expects: few could do it. */
function ranked(found: readonly Trial[]): readonly Trial[] {
  const sorted = found.toSorted(compareTrials);
  if (sorted.length === 0 || sorted[0].isRun) return sorted;
  const first = sorted.find((trial) => trial.isRun && classOf(trial) === classOf(sorted[0]));
  return first === undefined ? sorted : [first, ...sorted.filter((trial) => trial !== first)];
}

/**
 * What keeps the margin of `memory/headroom` comes before what does not, whatever else it changes: runs of their kind may not fit. What
 * probably does not fit comes after both, and last resorts after all.
 */
function classOf(trial: Trial): number {
  const { candidate, effect, isUnlikely: isOff } = trial;
  if (candidate.last === true) return 3 * ranks;
  const margin = isOff || !effect.after.fits ? 2 : isTight(effect.after) ? 1 : 0;
  return margin * ranks + rank(trial);
}

/**
 * Plans that fit first, then the faster, then the smaller peak, then the smaller edit. What no common engine runs, what leaves little
 * memory, and each further change have to be faster to come first.
 */
function compareTrials(a: Trial, b: Trial): number {
  if (classOf(a) !== classOf(b)) return classOf(a) - classOf(b);
  // Last resorts stay in their order, the least first.
  if (a.candidate.last === true) return 0;
  return (
    Number(b.effect.after.fits) - Number(a.effect.after.fits) ||
    order(weighedPeriod(a), weighedPeriod(b)) ||
    order(samplePeriod(a.effect.after), samplePeriod(b.effect.after)) ||
    order(a.effect.after.peak, b.effect.after.peak) ||
    size(a.edits) - size(b.edits)
  );
}

/** What no common engine runs must be this much faster to come first. */
const leastLead = 1.1;

/** What is usual comes first, unless something else is this much faster. */
const leastOfUnusual = 1.02;

/** How much faster something must be to come first that fills a device to its last bytes, for a plan that does not fit; less with more left. */
const mostOfTight = 0.1;

const tightness = ({ left, capacity }: Figures): number =>
  left === undefined ? 1 : 1 + Math.max(0, mostOfTight - (2 * left) / capacity);

const weighedPeriod = ({ candidate, effect: { before, after }, isRun: runs }: Trial): number => {
  const leads = [
    runs ? 1 : leastLead,
    before?.fits === false ? tightness(after) : 1,
    candidate.usual === true ? 1 : leastOfUnusual,
  ];
  return leads.reduce((period, lead) => period * lead, samplePeriod(after) * weightOf(candidate));
};

/** 0 for figures that differ by rounding. */
const order = (a: number, b: number): number => (Math.abs(a - b) <= 1e-9 * Math.max(a, b) ? 0 : a - b);

const size = (edits: readonly Edit[]): number =>
  edits.reduce((sum, { start, end, text }) => sum + (end - start) + text.length, 0);

/** Combinations that are shown. */
const mostCombinations = 2;

/** The best of each kind, then the second best, in the order of their ranks; no two with the same figures. */
function shown(sorted: readonly Trial[], { most = usualMost, mostOfKind = usualMostOfKind }: Goal): readonly Trial[] {
  const usual = usualAmong(sorted);
  const kept = new Set<Trial>(usual.slice(0, most));
  const equal = (a: Trial, b: Trial) =>
    order(samplePeriod(a.effect.after), samplePeriod(b.effect.after)) === 0 &&
    order(a.effect.after.peak, b.effect.after.peak) === 0;
  for (let places = 1; places <= mostOfKind; places += 1)
    for (const trial of sorted) {
      const all = [...kept];
      const alike = all.filter(({ candidate }) => candidate.kind === trial.candidate.kind);
      const twin = all.some((other) => equal(other, trial));
      const joins = trial.candidate.parts !== undefined;
      const isFree = joins
        ? all.filter((each) => each.candidate.parts !== undefined && !usual.includes(each)).length < mostCombinations &&
          !alike.some((other) => runsWhere(trial, other))
        : alike.length < (trial.candidate.last === true ? 1 : places) &&
          // Few could do it: one that no common engine runs is enough of a kind.
          (trial.isRun || alike.every((other) => other.isRun));
      if (!twin && isFree && kept.size < most) kept.add(trial);
    }
  // One place of the first ones is for the best, and what is usual has the others.
  const others = sorted.filter((trial) => kept.has(trial) && !usual.includes(trial));
  const first = new Set([...usual, ...others.slice(0, mostFirst - usual.length)]);
  return [...sorted.filter((trial) => first.has(trial)), ...others.filter((trial) => !first.has(trial))];
}

/** Fixes that a reader looks at. */
const mostFirst = 3;

/** The best of each kind that is usual. */
function usualAmong(sorted: readonly Trial[]): readonly Trial[] {
  const usual = sorted.filter(({ candidate }) => candidate.usual === true && candidate.parts === undefined);
  const alone = usual.filter(
    (trial, at) => usual.findIndex(({ candidate }) => candidate.kind === trial.candidate.kind) === at,
  );
  const joined = sorted.find(({ candidate }) => candidate.usual === true);
  const all = alone.length > 0 ? alone : joined === undefined ? [] : [joined];
  const isNear = (trial: Trial): boolean =>
    classOf(trial) === classOf(sorted[0]) &&
    samplePeriod(trial.effect.after) <= mostOfUsual * samplePeriod(sorted[0].effect.after);
  return all.filter(isNear).slice(0, mostFirst - 1);
}

/** What is usual is among the first if it takes at most this much longer than the best. */
export const mostOfUsual = 1.15;

/** Whether every engine that runs a change runs the other one, too. */
const runsWhere = ({ runners = [] }: Trial, other: Trial): boolean =>
  runners.every((engine) => other.runners?.includes(engine) === true);
