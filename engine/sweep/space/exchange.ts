/** When data ranks exchange gradients: during the last backwards, as people train. */
import type { SweepBase } from '../base.ts';
import { type Choice, kept } from './choice.ts';

/**
 * Recipes of Megatron overlap with the distributed optimizer, and FSDP always does. DeepSpeed does not next to a pipeline, and says
 * nothing else.
 */
export function syncChoice({ devices, engine, written }: SweepBase): Choice | undefined {
  if (devices === 1 || written('sync') !== undefined) return undefined;
  const value = engine === undefined ? 'overlap' : engine.sync;
  if (value === undefined)
    return kept('sync', `${engine?.title ?? 'the engine'} reduces gradients after the last step of a pipeline`);
  return {
    axis: { key: 'sync', values: [value] },
    leftOut: [{ what: 'sync end', why: 'gradients that wait for the last backward take longer' }],
  };
}
