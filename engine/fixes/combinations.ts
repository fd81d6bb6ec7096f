/**
 * Two or three changes that answer a finding between them, where none alone does without slowing the pipeline down or filling a
 * device. A beam over simulated effects: each part is tried alone first, and what parts do together is estimated from that.
 */
import { figuresOf, type Figures, leastChange, sameBatch, samplePeriod } from './effect.ts';
import { inTurn, type Subject, trialsFor } from './candidates.ts';
import { moreExpertRanks } from './experts.ts';
import { lossCandidates } from './loss.ts';
import { sameBatchCandidates } from './microbatches.ts';
import type { Edit } from './proposal.ts';
import {
  contextCandidates,
  contextForPipeline,
  morePipelineRanks,
  moreTensorRanks,
  sequenceCandidates,
} from './ranks.ts';
import { everyStage, someLayersCandidates } from './recompute.ts';
import { shardCandidates } from './shard.ts';
import { type Candidate, type Candidates, type Goal, mostOfUsual, partsOf, type Tried, weightOf } from './trial.ts';

/** Trials of parts that only make room, of pairs, of three changes, and of what three changes are without one of them. */
const most = { savers: 8, pairs: 14, late: 8, ofKind: 2, threes: 6, without: 3 };
/** Pairs that a third change is added to. */
const beam = 4;
/** A part must change time or memory by this share to be worth a combination. */
const leastPart = 0.005;
/** What does not fit must be this much faster than what does to be worth a partner. */
const leastLead = 0.95;
/** An estimate may be this far over the memory, and costs this much for each share of it. */
const overrun = { most: 0.15, cost: 4 };

/**
 * The candidates, followed by combinations of those that were tried. They are tried only if no candidate alone fits every device and
 * is as fast as it could be.
 */
export function withCombinations(
  subject: Subject,
  goal: Goal,
  candidates: Candidates,
): (tried: readonly Tried[]) => Candidates {
  const today = figuresOf(subject.before.run.report);
  return function* (tried) {
    yield* candidates;
    const isWorth = goal.emphasis === 'memory' ? !tried.some((each) => isFree(each, today)) : isHeld(tried, today);
    if (isWorth) yield* joins(tried);
    if (goal.emphasis === 'memory') yield* withUsual(subject, tried, today);
    if (goal.emphasis === 'memory' && !tried.some(({ reached }) => reached)) yield* strongest(tried, today);
  };
  function* joins(tried: readonly Tried[]): Candidates {
    const more = goal.emphasis === 'time' ? savers(subject) : reshaping(subject);
    const first = tried.length;
    yield* inTurn(Math.min(most.savers, trialsFor(subject.plan)), ...more);
    const late = new Set(goal.emphasis === 'memory' ? tried.slice(first).map(({ candidate }) => candidate) : []);
    yield* inTurn(Math.ceil(trialsFor(subject.plan) / 2), combinations(tried, today, goal.emphasis, late));
  }
}

/** What is usual, with what else it needs, where nothing with it was found: others are faster, but people may prefer what they know. */
function* withUsual(subject: Subject, tried: readonly Tried[], today: Figures): Candidates {
  const isUsual = ({ candidate }: Tried): boolean => candidate.usual === true;
  if (!tried.some(isUsual) || tried.some((each) => isUsual(each) && each.reached && each.figures.fits)) return;
  const joins = combinations(tried, today, 'memory', new Set(), true);
  yield* inTurn(Math.ceil(trialsFor(subject.plan) / 4), joins);
}

/** The two kinds of change that free most, with each other one: what they cost does not matter where nothing fits. */
function* strongest(tried: readonly Tried[], today: Figures): Generator<Candidate, void, void> {
  const unusual = ({ candidate }: Tried): number => Number(candidate.usual !== true);
  const singles = tried
    .filter((each) => partsOf(each.candidate).length === 1 && isPart(each, today))
    .toSorted((a, b) => fillOf(a.figures) - fillOf(b.figures));
  const kinds = [...new Set(singles.map(({ candidate }) => candidate.kind))];
  // Of one kind, what is usual frees hardly less.
  const [first, second, ...others] = kinds.flatMap((kind) => {
    const alike = singles.filter(({ candidate }) => candidate.kind === kind);
    return alike.toSorted((a, b) => unusual(a) - unusual(b)).slice(0, 1);
  });
  for (const third of others) {
    const joined = together([first, second, third].map(({ candidate }) => candidate));
    if (joined !== undefined) yield joined;
  }
}

/** It answers the finding, fits every device with a margin, and is as fast as today. */
const isFree = ({ reached, figures }: Tried, today: Figures): boolean =>
  reached &&
  figures.fits &&
  figures.left === undefined &&
  samplePeriod(figures) <= samplePeriod(today) * (1 + leastChange);

/** Whether something is faster than today and either not enough alone, or over the memory and much faster than all that fits. */
function isHeld(tried: readonly Tried[], today: Figures): boolean {
  const best = bestPace(tried, today);
  return tried.some(
    (each) =>
      isPart(each, today) &&
      samplePeriod(each.figures) < samplePeriod(today) * (1 - leastPart) &&
      (best === Infinity || (!each.figures.fits && samplePeriod(each.figures) < best * leastLead)),
  );
}

/** Seconds per sample of the fastest that answers the finding and fits with a margin; Infinity if there is none. */
const bestPace = (tried: readonly Tried[], today: Figures): number =>
  Math.min(
    Infinity,
    ...tried
      .filter((each) => each.reached && each.figures.fits && each.figures.left === undefined && isPart(each, today))
      .map(({ candidate, figures }) => samplePeriod(figures) * weightOf(candidate)),
  );

/** What makes room at little cost. */
const savers = (subject: Subject): readonly Candidates[] => [
  sequenceCandidates(subject),
  shardCandidates(subject),
  contextCandidates(subject),
  everyStage(subject),
  sameBatchCandidates(subject, 'smaller'),
  lossCandidates(subject),
  moreExpertRanks(subject),
];

/** What makes room where nothing smaller does, or leaves the rest to another change. */
const reshaping = (subject: Subject): readonly Candidates[] => [
  contextForPipeline(subject),
  moreTensorRanks(subject),
  morePipelineRanks(subject),
  someLayersCandidates(subject),
];

/** Whether a change may be a part: one that keeps the batch, the limits of the file, and who runs it. */
const isPart = ({ candidate, figures, isRun }: Tried, today: Figures): boolean =>
  isRun && candidate.last !== true && candidate.policy?.without === undefined && sameBatch(today, figures);

/** What a change does to the time of a sample, and to the share of its memory that the fullest device needs: factors. */
interface Estimate {
  readonly parts: readonly Candidate[];
  readonly pace: number;
  readonly fill: number;
  /** How much more memory they need between them, as a share of what is needed today. */
  readonly more: number;
  /** Whether one of them answers the finding. */
  readonly answers: boolean;
}

const fillOf = ({ peak, capacity }: Figures): number => (capacity > 0 ? peak / capacity : 0);

/**
 * Pairs of what was tried, the most promising first; then the best of them with a third change. `late`: changes whose pairs have
 * their own trials, after the pairs of other changes. `isUsual`: with a part that people try first, if they are not much slower.
 */
function* combinations(
  tried: readonly Tried[],
  today: Figures,
  emphasis: Goal['emphasis'],
  late: ReadonlySet<Candidate>,
  isUsual = false,
): Generator<Candidate, void, void> {
  const estimateOf = ({ candidate, figures, answers }: Tried): Estimate => {
    const fill = fillOf(figures) / fillOf(today);
    const pace = samplePeriod(figures) / samplePeriod(today);
    return { parts: partsOf(candidate), pace, fill, more: fill - 1, answers };
  };
  const estimates = (count: number): readonly Estimate[] =>
    tried.filter((each) => partsOf(each.candidate).length === count && isPart(each, today)).map(estimateOf);
  const helpful = estimates(1).filter(({ pace, fill }) => pace < 1 - leastPart || fill < 1 - leastPart);
  const room = roomFor(tried, today, emphasis);
  // Where something saves the time that a finding is about, others only make room for it.
  const isAnswered = emphasis === 'time' && tried.some((each) => each.answers && isPart(each, today));
  function promising(all: readonly Estimate[]): readonly Candidate[] {
    // What is known to fit sets the pace to beat.
    const enough = (bestPace(tried, today) / samplePeriod(today)) * (isUsual ? mostOfUsual : 1);
    const mayFit = (share: number): boolean => fillOf(today) * share < room + overrun.most;
    const byCost = all
      .filter((each) => mayFit(leastFill(each)) && each.pace * weightOf(each) < enough)
      .filter(({ answers, parts }) => (answers || !isAnswered) && (!isUsual || parts.some(({ usual }) => usual)))
      .toSorted((a, b) => costOf(a, today, room) - costOf(b, today, room));
    // What fits only if each part frees other bytes comes after what is estimated to fit.
    const sorted = [
      ...byCost.filter((each) => mayFit(each.fill)),
      ...byCost.filter((each) => !mayFit(each.fill)),
    ].flatMap(({ parts }) => together(parts) ?? []);
    const alike = (each: Candidate, at: number) =>
      sorted.slice(0, at).filter((other) => familyOf(other) === familyOf(each)).length;
    return sorted.filter((each, at) => alike(each, at) < most.ofKind);
  }
  const twos = helpful.flatMap((first, at) => helpful.slice(at + 1).map((second) => joined(first, second)));
  const isLate = ({ parts }: Estimate): boolean => parts.some((part) => late.has(part));
  yield* promising(twos.filter((each) => !isLate(each))).slice(0, most.pairs);
  yield* promising(twos.filter(isLate)).slice(0, most.late);
  const pairs = (wanted: boolean): readonly Estimate[] =>
    estimates(2)
      .filter((each) => isLate(each) === wanted)
      .toSorted((a, b) => costOf(a, today, room) - costOf(b, today, room))
      .slice(0, beam);
  const threes = (wanted: boolean): readonly Estimate[] =>
    pairs(wanted).flatMap((pair) =>
      helpful
        .filter(({ parts: [part] }) => !pair.parts.includes(part) && (wanted || !late.has(part)))
        .map((third) => joined(pair, third)),
    );
  yield* promising(threes(false)).slice(0, most.threes);
  yield* promising(threes(true)).slice(0, most.without);
  const done = tried.filter(({ candidate, reached }) => reached && partsOf(candidate).length === 3);
  const rests = done.flatMap(({ candidate }) => {
    const parts = partsOf(candidate);
    return parts.flatMap((part) => together(parts.filter((other) => other !== part)) ?? []);
  });
  // Each part has to be needed: `fixesAmong` leaves out what does no more than a part of it.
  yield* rests.slice(0, most.without);
}

/** Times multiply. Of memory, two changes free different bytes, or a part of the same ones: between their sum and their product. */
function joined(a: Estimate, b: Estimate): Estimate {
  const more = Math.min(
    a.more + b.more,
    ...[microbatchesUnder(a, b), microbatchesUnder(b, a), keptUnder(a, b), keptUnder(b, a)],
  );
  return {
    parts: [...a.parts, ...b.parts],
    pace: a.pace * b.pace,
    fill:
      (Math.min((1 + a.more) * (1 + b.more), 1 + microbatchesUnder(a, b), 1 + microbatchesUnder(b, a)) +
        Math.max(0, 1 + more)) /
      2,
    more,
    answers: a.answers || b.answers,
  };
}

/** The least that two changes need: they free different bytes. */
const leastFill = ({ fill, more }: Estimate): number => Math.min(fill, Math.max(0, 1 + more));

/** Smaller micro-batches free little under an order that holds all of them, and their share under another one. */
function microbatchesUnder({ parts }: Estimate, order: Estimate): number {
  const size = parts.find(({ samples }) => samples !== undefined)?.samples;
  const holds = order.parts.some(({ policy }) => policy !== undefined);
  return size === undefined || !holds ? Infinity : ((1 + order.more) * (1 + size)) / 2 - 1;
}

/** Activations that are kept in place of recomputed need least under an order that holds few microbatches, and all were measured under another one. */
function keptUnder({ parts, more }: Estimate, order: Estimate): number {
  const keeps = more > 0 && parts.some(({ kind }) => kind === 'recompute');
  return keeps && order.more < 0 && order.parts.some(({ policy }) => policy !== undefined) ? order.more : Infinity;
}

const costOf = ({ parts, pace, fill }: Estimate, today: Figures, room: number): number =>
  pace * weightOf({ parts }) * (1 + overrun.cost * Math.max(0, fillOf(today) * fill - room));

/** The share of the memory that may be full: all, or as much as is known to answer a finding of a plan that fits. */
function roomFor(tried: readonly Tried[], today: Figures, emphasis: Goal['emphasis']): number {
  if (emphasis === 'time' || !today.fits) return 1;
  const enough = tried.filter(({ answers }) => answers).map(({ figures }) => fillOf(figures));
  return enough.length > 0 ? Math.max(...enough) : fillOf(today) / 2;
}

/** Ranks come before what is recomputed, and a policy is last. */
const placeOf = ({ kind, policy }: Candidate): number =>
  policy !== undefined ? order.length : Math.max(0, order.indexOf(kind));
const order = ['sequence', 'tensor', 'context', 'pipeline', 'shard', 'micro-batch', 'cut', 'layers', 'recompute'];

/** One change of several, its policy last; undefined where two are alternatives to each other, or change the same text. */
export function together(all: readonly Candidate[]): Candidate | undefined {
  const parts = all.toSorted((a, b) => placeOf(a) - placeOf(b));
  const edits = inPlace(parts.flatMap((part) => part.edits));
  if (new Set(parts.map(({ kind }) => kind)).size < parts.length || !apart(edits)) return undefined;
  const isMoved = parts.some(({ kind }) => kind === 'tensor' || kind === 'context' || kind === 'pipeline');
  const words = parts
    .map(({ what, withOtherRanks = what }) => (isMoved ? withOtherRanks : what))
    .map((what, at) => (at === 0 ? what : `${what[0].toLowerCase()}${what.slice(1)}`));
  const policy = parts.at(-1)?.policy;
  return {
    what: `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}`,
    kind: parts.map(({ kind }) => kind).join(', '),
    parts,
    edits,
    ...(policy === undefined ? {} : { policy }),
    ...(parts.some(({ numerics }) => numerics === true) ? { numerics: true } : {}),
    ...(parts.some(({ usual }) => usual === true) ? { usual: true } : {}),
  };
}

/** If a key is added behind an entry that gets an argument, the argument comes first: editors keep the order at one place. */
const inPlace = (edits: readonly (Edit | undefined)[]): readonly (Edit | undefined)[] =>
  edits.toSorted((a, b) => Number(isAdded(a)) - Number(isAdded(b)));

const isAdded = (edit: Edit | undefined): boolean => edit !== undefined && /^\s/u.test(edit.text);

/** Numbers of chunks of one policy are alternatives, other policies are not. */
const familyOf = (candidate: Candidate): string =>
  partsOf(candidate)
    .map(({ kind, policy }) => policy?.schedule.replace(/\(.*/, '') ?? kind)
    .join(', ');

/** Whether no two edits change the same text, or write the same key. */
function apart(edits: readonly (Edit | undefined)[]): boolean {
  const sorted = edits.filter((edit) => edit !== undefined).toSorted((a, b) => a.start - b.start);
  return sorted.every((edit, at) => {
    const before = sorted[at - 1];
    if (before === undefined || edit.start > before.end) return true;
    return edit.start === before.end && keyIn(edit) !== keyIn(before);
  });
}

const keyIn = ({ text }: Edit): string | undefined => /^\s*(\w+) = /.exec(text)?.[1];
