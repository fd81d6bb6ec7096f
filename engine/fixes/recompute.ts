import type { Analysis } from '../check.ts';
import type { FixHint } from '../findings/finding.ts';
import type { RecomputeMode } from '../costs/types.ts';
import type { StagePlan } from '../plan.ts';
import { stageName } from '../stages.ts';
import { fits, memoryEffect, simulated, tried } from './outcome.ts';
import type { Again, Edit, Proposal } from './proposal.ts';
import { pipelineBody, setKey, stageBody } from './source.ts';

type Hint = Extract<FixHint, { readonly kind: 'recompute' }>;

interface Choice {
  readonly title: string;
  readonly edits: readonly (Edit | undefined)[];
}

/**
 * The first of these that fits: recompute the stage that does not fit, then all stages of its device. If stages are not written
 * one by one, the whole pipeline is recomputed. Attention alone is recomputed if that is enough, since it costs less.
 */
export function recomputeFixes(analysis: Analysis, { pipeline, stage }: Hint, again: Again): readonly Proposal[] {
  const before = simulated(analysis, pipeline);
  if (before === undefined) return [];
  const device = before.plan.placement[stage];
  for (const { title, edits } of choices(analysis, pipeline, stage)) {
    const changes = edits.filter((edit) => edit !== undefined);
    if (changes.length < edits.length) continue;
    const changed = tried(analysis, changes, again);
    const after = changed === undefined ? undefined : simulated(changed, pipeline);
    if (after === undefined || !fits(after, device)) continue;
    return [{ title: `${title} (${memoryEffect(before, after, device)})`, edits: changes, preferred: true }];
  }
  return [];
}

function choices(analysis: Analysis, pipeline: string, stage: number): readonly Choice[] {
  const { text } = analysis.syntax;
  const body = pipelineBody(analysis.syntax, pipeline);
  const plan = simulated(analysis, pipeline)?.plan;
  if (body === undefined || plan === undefined) return [];
  const written = writtenOnce(plan.stages.filter((_, index) => plan.placement[index] === plan.placement[stage]));
  const groups = written.length > 1 ? [[plan.stages[stage]], written] : [[plan.stages[stage]]];
  const out: Choice[] = [];
  for (const group of groups) {
    const bodies = group.map((stagePlan) => stageBody(body, stageName(stagePlan)));
    for (const mode of modesAfter(group.map(({ recomputeMode }) => recomputeMode))) {
      out.push({
        title: `Recompute ${mode === 'selective' ? 'the attention of ' : ''}${group.map((stagePlan) => `"${stageName(stagePlan)}"`).join(', ')}`,
        edits: bodies.map((block) => (block === undefined ? undefined : setKey(text, block, 'recompute', mode))),
      });
    }
  }
  for (const mode of modesAfter(plan.stages.map(({ recomputeMode }) => recomputeMode))) {
    out.push({
      title: mode === 'selective' ? 'Recompute the attention of every stage' : 'Recompute every stage',
      edits: [setKey(text, body, 'recompute', mode)],
    });
  }
  return out;
}

/** Of copies and parts of one stage the first: the file writes them once. */
const writtenOnce = (stages: readonly StagePlan[]): readonly StagePlan[] =>
  stages.filter((stage, index) => stages.findIndex((other) => stageName(other) === stageName(stage)) === index);

/** Modes that keep less than the least that some stage already recomputes. */
function modesAfter(present: readonly RecomputeMode[]): readonly RecomputeMode[] {
  if (present.every((mode) => mode === 'full')) return [];
  return present.includes('none') ? ['selective', 'full'] : ['full'];
}
