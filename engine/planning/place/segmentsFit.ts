/** Which models run under schedules that cut the sequence into segments. */
import type { LayerDefinition } from '../../definitions/model.ts';
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { StageCopy } from '../../values/plan.ts';
import type { Notes } from '../notes.ts';

/** Reports a schedule that cuts sequences where a layer does not work on the sequence of the model; true if there is nothing to report. */
export function segmentsFit(
  notes: Notes,
  { model, use, at }: Pick<SettledPipeline, 'model' | 'use' | 'at'>,
  copies: readonly StageCopy[] | undefined,
): boolean {
  if (copies?.some(({ segments = 1 }) => segments > 1) !== true) return true;
  const [problem] = model.layers.flatMap((layer) => problemOf(layer) ?? []);
  if (problem === undefined) return true;
  notes.report.report('type/mismatch', at('schedule'), {
    expected: 'a schedule that leaves sequences whole, such as `1f1b`',
    found: `${use.kind === 'policy' ? use.policy.name : `"${use.definition.name}"`}, which cuts them into segments: ${problem}`,
  });
  return false;
}

/** Why a layer cannot work on segments; undefined if it can. */
function problemOf({ name, cost }: LayerDefinition): string | undefined {
  if (cost.kind === 'measured') return undefined;
  if (cost.tokens !== undefined) return `layer "${name}" works on ${cost.tokens} other tokens`;
  return typeof cost.args['cross'] === 'number' ? `layer "${name}" attends to another tower` : undefined;
}
