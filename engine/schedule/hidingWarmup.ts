import type { PipelinePlan } from '../values/plan.ts';
import { hidingWarmupOf } from '../policies/builtin/one_f_one_b.ts';
import { shapeOf } from '../policies/shape.ts';

/** Warm-up of each device with which 1F1B hides the transfers of this plan: what `1f1b(warmup = hide_latency)` uses. */
export const hidingWarmup = (plan: PipelinePlan): readonly number[] => hidingWarmupOf(shapeOf(plan));
