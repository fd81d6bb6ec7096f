import { parts } from '../costs/layerPart.ts';
import { someLayersIn, someLayersMode } from '../costs/recompute.ts';
import type { RecomputeMode } from '../costs/types.ts';
import { findEngine } from '../engines/registry.ts';
import { selectiveMode } from '../engines/words.ts';
import type { PipelinePlan, StagePlan } from '../values/plan.ts';
import { count, list } from '../basics/quantities.ts';
import { stageName } from '../costs/stages.ts';
import { type Subject, trialsFor } from './candidates.ts';
import { figuresIn, simulated } from './outcome.ts';
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
    for (const mode of modesAfter(
      plan,
      group.map(({ recomputeMode }) => recomputeMode),
    )) {
      const names = group.map((stagePlan) => `"${stageName(stagePlan)}"`).join(', ');
      yield {
        what: recomputeWords(plan, mode, names),
        kind: 'recompute',
        edits: bodies.map((block) => (block === undefined ? undefined : setKey(text, block, 'recompute', mode))),
      };
    }
  }
  yield* everyStage(subject);
}

/** Recompute the attention of every stage, or what the engine does for it, then all of every stage, then its MLPs or experts. */
export function* everyStage({ plan, body, analysis }: Subject): Generator<Candidate, void, void> {
  for (const mode of modesAfter(
    plan,
    plan.stages.map(({ recomputeMode }) => recomputeMode),
  )) {
    yield {
      what: recomputeWords(plan, mode, 'every stage'),
      kind: 'recompute',
      edits: [setKey(analysis.syntax.text, body, 'recompute', mode)],
    };
  }
  // Between attention and whole layers: what most layers keep most of.
  if (!plan.stages.every(({ recomputeMode }) => recomputesLittle(recomputeMode))) return;
  const kept = modules.filter(({ of }) =>
    plan.stages.some(({ activationParts = {} }) => of.some((part) => part in activationParts)),
  );
  // One key says both, so no combination of two changes does.
  const withNorms = kept.includes(norms) ? kept.filter((each) => each !== norms).map((each) => [norms, each]) : [];
  for (const group of [...kept.map((each) => [each]), ...withNorms])
    yield {
      what: `Recompute the ${list(group.map(({ what }) => what))} of every stage`,
      kind: 'recompute',
      edits: [
        setKey(analysis.syntax.text, body, 'recompute', `modules(${group.map(({ module }) => module).join(', ')})`),
      ],
    };
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

/**
 * Recompute whole layers of every stage, as few of each as reach the goal, with the margin of `memory/headroom` if some number keeps it.
 * Fewer layers take less time.
 */
export function* layerCandidates(subject: Subject, met: Goal['met']): Generator<Candidate | undefined, void, void> {
  const { plan, body, analysis, pipeline, again } = subject;
  if (trialsFor(plan) < fewTrials) return;
  const [mode, ...others] = new Set(plan.stages.map(({ recomputeMode }) => recomputeMode));
  const some = someLayersIn(mode);
  if (others.length > 0 || (!recomputesLittle(mode) && some?.method !== 'block')) return;
  const { text } = analysis.syntax;
  const edit = (layers: number) => setKey(text, body, 'recompute', someLayersMode({ method: 'block', layers }));
  function* reached(layers: number): Generator<undefined, 'nothing' | 'goal' | 'margin', void> {
    const written = edit(layers);
    if (written === undefined) return 'nothing';
    const changed = yield* checkedAgain(again, apply(text, [written]));
    const after = simulated(changed, pipeline);
    const figures = after === undefined ? undefined : figuresIn(changed, after);
    if (after === undefined || figures?.fits !== true || !met(changed, after)) return 'nothing';
    return figures.left === undefined ? 'margin' : 'goal';
  }
  // Each layer that is recomputed too frees more, so the least number is found by halving.
  let most = Math.max(...plan.stages.map(({ layers }) => layers.length));
  let least = (some?.layers ?? 0) + 1;
  if (least > most) return;
  const wanted = yield* reached(most);
  if (wanted === 'nothing') return;
  while (least < most) {
    yield undefined;
    const middle = Math.floor((least + most) / 2);
    const found = yield* reached(middle);
    if (found === 'margin' || found === wanted) most = middle;
    else least = middle + 1;
  }
  yield { what: `Recompute ${count(least, 'layer', 'layers')} of every stage`, kind: 'layers', edits: [edit(least)] };
}

/** Those before experts and latent attention. They take next to no time to run again. */
const norms = { of: [parts.experts, parts.compressed], what: 'norms', module: 'layernorm' } as const;

/** Modules that free much, by parts of the layers that have them. */
const modules = [
  { of: [parts.mlp], what: 'MLPs', module: 'mlp' },
  { of: [parts.experts], what: 'experts', module: 'moe' },
  norms,
  { of: [parts.experts], what: 'activations of the experts', module: 'moe_act' },
] as const;

/** Recomputes less: only the attention, or no activations at all. */
export function* keepCandidates({ plan, body, analysis }: Subject): Generator<Candidate, void, void> {
  const { text } = analysis.syntax;
  if (plan.stages.some(({ recomputeMode }) => recomputeMode !== 'none'))
    yield { what: 'Recompute no stage', kind: 'recompute', edits: [setKey(text, body, 'recompute', 'none')] };
  if (plan.stages.some(({ recomputeMode }) => recomputeMode === 'full' || recomputeMode === 'stage'))
    yield {
      what:
        selectiveIn(plan) === 'selective'
          ? 'Recompute the attention alone'
          : recomputeWords(plan, selectiveIn(plan), 'every stage'),
      kind: 'recompute',
      edits: [setKey(text, body, 'recompute', selectiveIn(plan))],
    };
}

const engineOf = ({ engines }: PipelinePlan) => findEngine(engines?.chosen ?? '');

const selectiveIn = (plan: PipelinePlan): RecomputeMode => selectiveMode(engineOf(plan));

/** `Recompute every stage by the selective policy of torchtitan`. */
function recomputeWords(plan: PipelinePlan, mode: RecomputeMode, stages: string): string {
  if (mode === 'selective') return `Recompute the attention of ${stages}`;
  const { title } = engineOf(plan) ?? {};
  return `Recompute ${stages}${mode === 'operations' && title !== undefined ? ` by the selective policy of ${title}` : ''}`;
}

/** Of copies and parts of one stage the first: the file writes them once. */
const writtenOnce = (stages: readonly StagePlan[]): readonly StagePlan[] =>
  stages.filter((stage, index) => stages.findIndex((other) => stageName(other) === stageName(stage)) === index);

/** Modes that keep less than the least that some stage already recomputes. */
function modesAfter(plan: PipelinePlan, present: readonly RecomputeMode[]): readonly RecomputeMode[] {
  if (present.every((mode) => mode === 'full')) return [];
  return present.includes('none') ? [selectiveIn(plan), 'full'] : ['full'];
}
