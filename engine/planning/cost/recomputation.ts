/** What the stages of a pipeline recompute: as the file says, unless the schedule decides. */
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { Notes } from '../notes.ts';
import type { RecomputeMode } from '../../costs/types.ts';
import type { StagePlan } from '../../values/plan.ts';

/** The mode of stages that set none. */
export const pipelineMode = ({ use, recompute }: Pick<SettledPipeline, 'use' | 'recompute'>): RecomputeMode =>
  forced(use) ?? recompute;

/** What a schedule that recomputes as it sees fit makes of every stage. */
const forced = (use: SettledPipeline['use']): RecomputeMode | undefined =>
  use.kind === 'policy' ? use.policy.recompute?.(use.args) : undefined;

/** Modes of the stages of the cut. A key that the schedule overrules is reported as without effect. */
export function stageModes(notes: Notes, pipeline: SettledPipeline): readonly RecomputeMode[] {
  const { cut, use } = pipeline;
  const blocks = cut.kind === 'blocks' ? cut.stages : undefined;
  const mode = forced(use);
  if (mode === undefined || use.kind !== 'policy')
    return Array.from({ length: cut.count }, (_, stage) => blocks?.[stage].recompute ?? pipeline.recompute);
  const reason = `${use.policy.name} decides what is recomputed`;
  const written = [
    ...(pipeline.recompute === 'none' ? [] : [pipeline.at('recompute')]),
    ...(blocks ?? []).flatMap((block) => (block.recompute === undefined ? [] : [block.at])),
  ];
  for (const at of written) notes.report.report('key/not-applicable', at, { key: 'recompute', reason });
  return Array.from({ length: cut.count }, () => mode);
}

/** `key/not-applicable` where a schedule is to recompute ahead of the gradient and no stage recomputes anything. */
export function reportNothingAhead(notes: Notes, { use }: SettledPipeline, stages: readonly StagePlan[]): void {
  const at = use.kind === 'policy' && use.args['recompute'] === 'ahead' ? use.recomputeAt : undefined;
  if (at === undefined || stages.some((stage) => stage.recompute > 0 || stage.recomputed > 0)) return;
  notes.report.report('key/not-applicable', at, {
    key: 'recompute = ahead',
    reason: 'no stage recomputes anything; write `recompute = full` in the pipeline too',
  });
}
