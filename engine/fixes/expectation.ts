import { nodeAt } from '../../grammar/index.ts';
import type { Expression, Quantity, SyntaxFile } from '../../grammar/syntax.ts';
import type { Analysis } from '../flow/check.ts';
import type { Finding, FixHint } from '../findings/finding.ts';
import { findUnit } from '../language/units.ts';
import { cutCandidates } from './balance.ts';
import { withCombinations } from './combinations.ts';
import { inTurn, subjectOf, weighedTrials } from './candidates.ts';
import { fullest } from '../basics/fullest.ts';
import { microbatchCandidates, sameBatchCandidates } from './microbatches.ts';
import { policyCandidates } from './policies.ts';
import { contextCandidates, sequenceCandidates } from './ranks.ts';
import type { Again, Edit, FixSteps } from './proposal.ts';
import { keepCandidates, recomputeCandidates } from './recompute.ts';
import { remains } from './remains.ts';
import { shardCandidates } from './shard.ts';
import { type Candidate, fixesAmong, type Goal } from './trial.ts';

type Hint = Extract<FixHint, { readonly kind: 'tune' }>;

/** Whatever makes the expectation true; last of all the figure of today as what is expected. */
export function* expectationFixes(analysis: Analysis, finding: Finding, hint: Hint, again: Again): FixSteps {
  const subject = subjectOf(analysis, hint.pipeline, again);
  if (subject === undefined) return [];
  const { plan } = subject;
  const figure = hint.expect?.figure ?? '';
  const ofMemory = figure === 'peak_memory' || figure === 'in_flight' || figure === 'versions';
  const device = fullest(subject.before.run.report);
  const stage = Math.max(
    0,
    plan.placement.findIndex((at) => plan.devices[at].name === device?.name),
  );
  const changes = inTurn(
    weighedTrials(plan),
    policyCandidates(subject, ofMemory ? 'memory' : 'time'),
    figure === 'staleness' || figure === 'versions' ? policyCandidates(subject, 'memory', 'flush') : [],
    cutCandidates(subject, ofMemory ? ['both', 'memory'] : ['time']),
    sameBatchCandidates(subject),
    microbatchCandidates(subject),
    ofMemory ? recomputeCandidates(subject, stage) : keepCandidates(subject),
    sequenceCandidates(subject),
    ofMemory ? shardCandidates(subject) : [],
    ofMemory ? contextCandidates(subject) : [],
  );
  const goal: Goal = {
    pipeline: hint.pipeline,
    emphasis: ofMemory ? 'memory' : 'time',
    met: (changed) => !remains(changed, finding),
  };
  const all = mayCombine.has(figure) ? withCombinations(subject, goal, changes) : () => changes;
  return yield* fixesAmong(
    analysis,
    goal,
    function* (tried) {
      yield* all(tried);
      yield todaysFigure(analysis, finding, hint);
    },
    again,
  );
}

/** Figures that several changes may reach where none alone does. */
const mayCombine: ReadonlySet<string> = new Set([
  'peak_memory',
  'iteration',
  'throughput',
  'tokens_per_second',
  'tokens_per_second_per_gpu',
  'days',
  'gpu_hours',
  'mfu',
  'bubble',
  'span_bubble',
]);
function todaysFigure({ syntax }: Analysis, { place }: Finding, { expect }: Hint): Candidate | undefined {
  const other = expect === undefined ? undefined : otherBound(syntax, place.start, expect);
  return other === undefined
    ? undefined
    : {
        ...{ what: `Expect today's figure, ${other.condition}`, kind: 'expectation' },
        ...{ edits: [other.edit], last: true },
      };
}

/** `bubble < 30%` as `bubble < 27.3%`: three digits, rounded so that it is true of the figure. */
export function otherBound(
  syntax: SyntaxFile,
  start: number,
  { value: figure, operator }: { readonly value: number; readonly operator: string },
): { readonly edit: Edit; readonly condition: string } | undefined {
  const check = nodeAt(syntax, start).findLast((node) => node.kind === 'check');
  const bound = check?.kind === 'check' ? boundOf(check.condition) : undefined;
  const unit = bound === undefined ? undefined : findUnit(bound.unit);
  if (check === undefined || bound === undefined || unit === undefined) return undefined;
  const value = trueBound(figure / unit.scale, operator);
  if (value === undefined) return undefined;
  const edit = { start: bound.start, end: bound.end, text: `${value}${bound.unit}` };
  const condition = `${syntax.text.slice(check.start, bound.start)}${edit.text}${syntax.text.slice(bound.end, check.end)}`;
  return { edit, condition };
}

function boundOf(condition: Expression): Quantity | undefined {
  if (condition.kind !== 'binary') return undefined;
  const { left, right } = condition;
  return right.kind === 'quantity' ? right : left.kind === 'quantity' ? left : undefined;
}

/** The nearest bound of few digits that the figure meets; undefined for `!=` and for what is no number. */
export function trueBound(figure: number, operator: string): string | undefined {
  if (!Number.isFinite(figure) || figure < 0 || operator === '!=') return undefined;
  if (operator === '==') return plain(Number(figure.toPrecision(12)));
  const up = operator.startsWith('<');
  if (figure === 0) return operator.endsWith('=') ? '0' : undefined;
  const digit = 10 ** (Math.floor(Math.log10(figure)) - 2);
  const steps = figure / digit;
  for (const bound of up ? [Math.ceil(steps), Math.floor(steps) + 1] : [Math.floor(steps), Math.ceil(steps) - 1]) {
    const value = Number((bound * digit).toPrecision(3));
    if (operator.endsWith('=') || Math.abs(value - figure) > 1e-8 * figure) return plain(value);
  }
  return undefined;
}

/** Without an exponent, which the language does not know. */
const plain = (value: number): string | undefined => (/e/.test(String(value)) ? undefined : String(value));
