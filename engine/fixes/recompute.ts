import { parts } from '../costs/layerPart.ts';
import { someLayersIn, someLayersMode } from '../costs/recompute.ts';
import type { RecomputeMode } from '../costs/types.ts';
import type { StagePlan } from '../values/plan.ts';
import { count } from '../basics/quantities.ts';
import { stageName } from '../costs/stages.ts';
import { type Subject, trialsFor } from './candidates.ts';
import { figuresOf } from './effect.ts';
import { simulated } from './outcome.ts';
import { apply, checkedAgain } from './proposal.ts';
import { setKey, stageBody } from './source.ts';
import type { Candidate, Goal } from './trial.ts';

/**
 * Recompute the stage that does not fit, all stages of its device, or every stage of the pipeline. Attention alone is recomputed
 * first, since it costs less.
 */
export function* recomputeCandidates(subject: Subject, stage: number): Generator<Candidate, void, void> {
  const { plan, body, analysis } = subject;
  const { text } = analysis.syntax;
  const written = writtenOnce(plan.stages.filter((_, index) => plan.placement[index] === plan.placement[stage]));
  const groups = written.length > 1 ? [[plan.stages[stage]], written] : [[plan.stages[stage]]];
  for (const group of groups) {
    const bodies = group.map((stagePlan) => stageBody(body, stageName(stagePlan)));
    for (const mode of modesAfter(group.map(({ recomputeMode }) => recomputeMode))) {
      yield {
        what: `Recompute ${mode === 'selective' ? 'the attention of ' : ''}${group.map((stagePlan) => `"${stageName(stagePlan)}"`).join(', ')}`,
        kind: 'recompute',
        edits: bodies.map((block) => (block === undefined ? undefined : setKey(text, block, 'recompute', mode))),
      };
    }
  }
  yield* everyStage(subject);
}

/** Recompute the attention of every stage, then all of every stage, then its MLPs or experts. */
export function* everyStage({ plan, body, analysis }: Subject): Generator<Candidate, void, void> {
  for (const mode of modesAfter(plan.stages.map(({ recomputeMode }) => recomputeMode))) {
    yield {
      what: mode === 'selective' ? 'Recompute the attention of every stage' : 'Recompute every stage',
      kind: 'recompute',
      edits: [setKey(analysis.syntax.text, body, 'recompute', mode)],
    };
  }
  // Between attention and whole layers: what most layers keep most of.
  if (!plan.stages.every(({ recomputeMode }) => recomputesLittle(recomputeMode))) return;
  for (const { part, what, module } of modules) {
    if (!plan.stages.some(({ activationParts = {} }) => part in activationParts)) continue;
    yield {
      what: `Recompute the ${what} of every stage`,
      kind: 'recompute',
      edits: [setKey(analysis.syntax.text, body, 'recompute', `modules(${module})`)],
    };
  }
}

/** Recompute some layers of every stage: what another change leaves to be freed. */
export function* someLayersCandidates({ plan, body, analysis }: Subject): Generator<Candidate, void, void> {
  if (!plan.stages.every(({ recomputeMode }) => recomputesLittle(recomputeMode))) return;
  const most = Math.max(...plan.stages.map(({ layers }) => layers.length));
  for (const layers of new Set([2, 4].map((part) => Math.floor(most / part))))
    if (layers > 0)
      yield {
        what: `Recompute ${count(layers, 'layer', 'layers')} of every stage`,
        kind: 'layers',
        edits: [setKey(analysis.syntax.text, body, 'recompute', someLayersMode({ method: 'block', layers }))],
      };
}

/** Nothing, or attention, which is nothing with kernels that keep no scores. */
const recomputesLittle = (mode: RecomputeMode): boolean => mode === 'none' || mode === 'selective';

/** Trials of a pipeline under which the least number of layers is not searched for: each step of the search is one more. */
const fewTrials = 16;

/** Recompute whole layers of every stage, as few of each as reach the goal. Fewer layers take less time. */
export function* layerCandidates(subject: Subject, met: Goal['met']): Generator<Candidate | undefined, void, void> {
  const { plan, body, analysis, pipeline, again } = subject;
  if (trialsFor(plan) < fewTrials) return;
  const [mode, ...others] = new Set(plan.stages.map(({ recomputeMode }) => recomputeMode));
  const some = someLayersIn(mode);
  if (others.length > 0 || (!recomputesLittle(mode) && some?.method !== 'block')) return;
  const { text } = analysis.syntax;
  const edit = (layers: number) => setKey(text, body, 'recompute', someLayersMode({ method: 'block', layers }));
  function* reachesGoal(layers: number): Generator<undefined, boolean, void> {
    const written = edit(layers);
    if (written === undefined) return false;
    const changed = yield* checkedAgain(again, apply(text, [written]));
    const after = simulated(changed, pipeline);
    return after !== undefined && figuresOf(after.run.report).fits && met(changed, after);
  }
  // Each layer that is recomputed too frees more, so the least number is found by halving.
  let most = Math.max(...plan.stages.map(({ layers }) => layers.length));
  let least = (some?.layers ?? 0) + 1;
  if (least > most || !(yield* reachesGoal(most))) return;
  while (least < most) {
    yield undefined;
    const middle = Math.floor((least + most) / 2);
    if (yield* reachesGoal(middle)) most = middle;
    else least = middle + 1;
  }
  yield { what: `Recompute ${count(least, 'layer', 'layers')} of every stage`, kind: 'layers', edits: [edit(least)] };
}

/** Modules that free much, by the part that they free. */
const modules = [
  { part: parts.mlp, what: 'MLPs', module: 'mlp' },
  { part: parts.experts, what: 'experts', module: 'moe' },
  { part: parts.norms, what: 'norms', module: 'layernorm' },
  { part: parts.experts, what: 'activations of the experts', module: 'moe_act' },
] as const;

/** Recomputes less: only the attention, or no activations at all. */
export function* keepCandidates({ plan, body, analysis }: Subject): Generator<Candidate, void, void> {
  const { text } = analysis.syntax;
  if (plan.stages.some(({ recomputeMode }) => recomputeMode !== 'none'))
    yield { what: 'Recompute no stage', kind: 'recompute', edits: [setKey(text, body, 'recompute', 'none')] };
  if (plan.stages.some(({ recomputeMode }) => recomputeMode === 'full' || recomputeMode === 'stage'))
    yield {
      what: 'Recompute the attention alone',
      kind: 'recompute',
      edits: [setKey(text, body, 'recompute', 'selective')],
    };
}

/** Of copies and parts of one stage the first: the file writes them once. */
const writtenOnce = (stages: readonly StagePlan[]): readonly StagePlan[] =>
  stages.filter((stage, index) => stages.findIndex((other) => stageName(other) === stageName(stage)) === index);

/** Modes that keep less than the least that some stage already recomputes. */
function modesAfter(present: readonly RecomputeMode[]): readonly RecomputeMode[] {
  if (present.every((mode) => mode === 'full')) return [];
  return present.includes('none') ? ['selective', 'full'] : ['full'];
}
