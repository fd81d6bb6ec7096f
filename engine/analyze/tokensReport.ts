import type { PipelinePlan } from '../values/plan.ts';
import type { TokensReport } from '../values/report.ts';

/**
 * Tokens of an iteration are microbatches × samples of a microbatch × data ranks × tokens of a sample. Padding behind documents
 * trains nothing, so it does not count. GPUs are the devices of all ranks. Days and GPU-hours are for all tokens at this rate, without restarts and evaluations. Undefined for a model without a
 * sequence, and if nothing takes time.
 */
export function tokensReport(plan: PipelinePlan, iteration: number): TokensReport | undefined {
  if (plan.tokens === undefined || !(iteration > 0)) return undefined;
  const { perSample, total } = plan.tokens;
  const perIteration = plan.microbatches * plan.microBatchSize * plan.data * perSample;
  const gpus = plan.devices.reduce((sum, { members = 1 }) => sum + members, 0);
  const rate = perIteration / iteration;
  return {
    per_iteration: perIteration,
    per_second: rate,
    per_second_per_gpu: rate / gpus,
    ...(total === undefined ? {} : { total, days: total / rate / 86_400, gpu_hours: ((total / rate) * gpus) / 3600 }),
  };
}
