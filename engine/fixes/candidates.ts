import type { Block, Expression } from '../../grammar/syntax.ts';
import type { Analysis } from '../flow/check.ts';
import { evaluationSize } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { findPolicy } from '../policies/registry.ts';
import { type Simulated, simulated } from './outcome.ts';
import type { Again, Edit } from './proposal.ts';
import { pipelineBody } from './source.ts';
import type { Candidate } from './trial.ts';

/** A pipeline of the file that runs, and where it is written. */
export interface Subject {
  readonly analysis: Analysis;
  readonly pipeline: string;
  readonly before: Simulated;
  readonly plan: PipelinePlan;
  readonly body: Block;
  readonly again: Again;
}

export function subjectOf(analysis: Analysis, pipeline: string, again: Again): Subject | undefined {
  const before = simulated(analysis, pipeline);
  const body = pipelineBody(analysis.syntax, pipeline);
  return before === undefined || body === undefined
    ? undefined
    : { analysis, pipeline, before, plan: before.plan, body, again };
}

/** Elementary steps that all trials of one finding may take, some 20 ns each, and the fewest and most trials. */
const allowance = { steps: 60_000_000, least: 4, most: 60 };

/** How many candidates are tried: fewer for a pipeline that takes long. */
export const trialsFor = (plan: PipelinePlan): number =>
  Math.min(allowance.most, Math.max(allowance.least, Math.floor(allowance.steps / evaluationSize(plan))));

/** Elementary steps of the pipeline under another policy: without the search of today's schedule. */
export function sizeUnderPolicy(plan: PipelinePlan): number {
  const isSearched = plan.schedule.kind === 'policy' && findPolicy(plan.schedule.name)?.searches === true;
  return evaluationSize(isSearched ? { ...plan, schedule: { kind: 'policy', name: '1f1b', args: {} } } : plan);
}

/** What trials may cost, in trials of the pipeline as it is. `ofPolicy`: of another policy, which does not search again. */
export interface Trials {
  readonly most: number;
  readonly ofPolicy: number;
}

export const weighedTrials = (plan: PipelinePlan): Trials => ({
  most: trialsFor(plan),
  ofPolicy: sizeUnderPolicy(plan) / evaluationSize(plan),
});

/** The first candidates that the trials allow, one of each list in turn: the first of each list are the most promising. */
export function* inTurn(
  trials: number | Trials,
  ...lists: readonly Iterable<Candidate | undefined>[]
): Generator<Candidate | undefined, void, void> {
  const { most, ofPolicy } = typeof trials === 'number' ? { most: trials, ofPolicy: 1 } : trials;
  let left = most;
  let tried = 0;
  let open = lists.map((list) => list[Symbol.iterator]());
  while (open.length > 0 && left > 0 && tried < allowance.most) {
    const next: typeof open = [];
    for (const list of open) {
      const step = list.next();
      if (step.done === true) continue;
      // Its list pauses.
      if (step.value === undefined) yield undefined;
      else {
        const cost = step.value.policy === undefined ? 1 : ofPolicy;
        if (cost > left) continue;
        yield step.value;
        left -= cost;
        tried += 1;
        if (left <= 0 || tried === allowance.most) return;
      }
      next.push(list);
    }
    open = next;
  }
}

/** The place where a number is written: the expression, or the default of the file's param that it names. Undefined if it is computed. */
export function literalPlace(
  { syntax }: Pick<Analysis, 'syntax'>,
  value: Expression | undefined,
): Expression | undefined {
  if (value?.kind === 'quantity') return value;
  if (value?.kind === 'group') return literalPlace({ syntax }, value.inner);
  if (value?.kind !== 'name') return undefined;
  for (const declaration of syntax.declarations)
    if (declaration.kind === 'param' && declaration.name?.text === value.text && declaration.value?.kind === 'quantity')
      return declaration.value;
  return undefined;
}

/** Writes a plain number where `value` has its number. */
export function setNumber(
  analysis: Pick<Analysis, 'syntax'>,
  value: Expression | undefined,
  number: number,
): Edit | undefined {
  const place = literalPlace(analysis, value);
  return place === undefined || !Number.isInteger(number) || number < 1
    ? undefined
    : { start: place.start, end: place.end, text: String(number) };
}

/** The plain number that is written, or of the param that is named; undefined if it is computed, or if another value of the param is tried. */
export function numberAt(analysis: Analysis, value: Expression | undefined): number | undefined {
  const place = literalPlace(analysis, value);
  const name = value?.kind === 'name' ? value.text : undefined;
  const param = analysis.resolution.plan.params.find((candidate) => candidate.name === name);
  if (param !== undefined && param.value !== param.default) return undefined;
  return place?.kind === 'quantity' && place.unit === '' ? place.value : undefined;
}
