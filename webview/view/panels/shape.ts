import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { count, devicesInWords } from '../../../engine/basics/quantities.ts';
import { cutStages } from '../../../engine/costs/stages.ts';

/** `4 devices for 32 GPUs · 8 microbatches × 3 iterations · 2 chunks per device`. */
export function shapeText(plan: PipelinePlan): string {
  const iterations = plan.iterations > 1 ? ` × ${plan.iterations} iterations` : '';
  return [
    devicesText(plan),
    `${count(plan.microbatches, 'microbatch', 'microbatches')}${iterations}`,
    cutText(plan),
    plan.exchange === undefined ? '' : `sync = ${plan.exchange.rule.name}`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** Of data parallelism alone: the ranks that hold the model. */
function devicesText({ devices, exchange }: PipelinePlan): string {
  const ranks = devices[0]?.members ?? 1;
  return exchange !== undefined && devices.length === 1 ? count(ranks, 'rank', 'ranks') : devicesInWords(devices);
}

/** The same in the symbols of papers, for the tooltip. */
export function symbolsText(plan: PipelinePlan): string {
  const iterations = plan.iterations > 1 ? `, ${plan.iterations} iterations back to back` : '';
  return `p = ${plan.devices.length}, m = ${plan.microbatches}${iterations}`;
}

/** How the model is cut; empty for one stage per device. `2 chunks per device`, `8 stages × 2 copies`, `4 stages × 4 segments`. */
function cutText(plan: PipelinePlan): string {
  const stages = cutStages(plan).length;
  const segments = plan.stages[0]?.copy?.segments ?? 1;
  if (segments > 1) return `${count(stages, 'stage', 'stages')} × ${segments} segments`;
  const spare = plan.stages.filter(({ copy }) => copy?.spare === true).length;
  if (spare > 0) return `${count(stages, 'stage', 'stages')}, ${count(spare, 'spare copy', 'spare copies')}`;
  if (plan.stages.length === 2 * stages && plan.stages.every(({ copy }) => copy !== undefined))
    return `${count(stages, 'stage', 'stages')} × 2 copies`;
  const chunks = plan.devices.length === 0 ? 0 : plan.stages.length / plan.devices.length;
  if (chunks === 1 && plan.stages.length === stages) return '';
  return plan.stages.length === stages && Number.isInteger(chunks)
    ? `${count(chunks, 'chunk', 'chunks')} per device`
    : count(stages, 'stage', 'stages');
}
