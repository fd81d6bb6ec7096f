/** Says that a pipeline names no optimizer. Without one its memory holds weights and gradients only, and a run needs more. */
import { findOptimizer, keptBytes, usualOptimizer } from '../costs/optimizer.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import type { Precision } from '../costs/types.ts';
import type { PipelinePlan, UnnamedOptimizer } from '../values/plan.ts';
import type { Notes } from './notes.ts';

export function reportNoOptimizer(
  notes: Notes,
  { name, model, optimizer, at }: SettledPipeline,
  { stages }: PipelinePlan,
): void {
  if (optimizer !== undefined || isMeasured(model)) return;
  if (stages.every(({ parameters }) => parameters === 0)) return;
  const { name: usual, without: kept, with: usually } = usualBytes(model.precision);
  const hint = { kind: 'tune', pipeline: name } as const;
  notes.report.report('memory/no-optimizer', at('optimizer'), { kept, usual, usually }, { hint });
}

/**
 * What the usual optimizer would keep of measured layers with weights. Many of them are toys, so it is reported only where a verdict on
 * memory depends on it, which the simulation shows.
 */
export function unnamedOptimizer(
  { model, optimizer }: Pick<SettledPipeline, 'model' | 'optimizer'>,
  stages: readonly { readonly dense: number; readonly experts: number }[],
): UnnamedOptimizer | undefined {
  if (optimizer !== undefined || !isMeasured(model)) return undefined;
  const { copies, ...usual } = usualBytes(model.precision);
  const bytes = (each: number) => stages.map(({ dense, experts }) => (dense + experts) * each);
  const state = bytes(usual.with - usual.without - copies);
  return state.some((kept) => kept > 0) ? { ...usual, state, copied: bytes(copies) } : undefined;
}

const isMeasured = ({ layers }: SettledPipeline['model']): boolean =>
  layers.every((layer) => layer.cost.kind === 'measured');

/** Bytes of a parameter. `copies`: of these, copies of gradients that are there during the update. */
function usualBytes(
  precision: Precision,
): Pick<UnnamedOptimizer, 'name' | 'without' | 'with'> & { readonly copies: number } {
  const name = usualOptimizer(precision);
  const [without, kept] = [findOptimizer('none'), findOptimizer(name)].map((found) => {
    const {
      weight,
      gradient,
      state,
      copied = 0,
    } = found === undefined ? { weight: 0, gradient: 0, state: 0 } : keptBytes(found, precision);
    return { bytes: weight + gradient + state + copied, copies: copied };
  });
  return { name, without: without.bytes, with: kept.bytes, copies: kept.copies };
}
