/** Says that a pipeline names no optimizer. Without one its memory holds weights and gradients only, and a run needs more. */
import { findOptimizer, keptBytes, usualOptimizer } from '../costs/optimizer.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Notes } from './notes.ts';

/** Measured layers state their bytes, so only pipelines with parameters from shapes are in doubt. */
export function reportNoOptimizer(
  notes: Notes,
  { name, model, optimizer, at }: SettledPipeline,
  { stages }: PipelinePlan,
): void {
  if (optimizer !== undefined || model.layers.every((layer) => layer.cost.kind === 'measured')) return;
  if (stages.every(({ parameters }) => parameters === 0)) return;
  const usual = usualOptimizer(model.precision);
  const [none, recipe] = [findOptimizer('none'), findOptimizer(usual)].map((found) => {
    if (found === undefined) return 0;
    const { weight, gradient, state, copied = 0 } = keptBytes(found, model.precision);
    return weight + gradient + state + copied;
  });
  notes.report.report(
    'memory/no-optimizer',
    at('optimizer'),
    { kept: none, usual, usually: recipe },
    { hint: { kind: 'tune', pipeline: name } },
  );
}
