import type { PipelinePlan } from '../plan.ts';
import { limitOf } from '../policies/zbAuto/limit.ts';
import { bytes, count } from '../quantities.ts';
import type { BoundWithin } from '../report.ts';
import { stagesOn } from '../stagesOn.ts';
import type { MemoryPeak } from '../simulate/memory.ts';

/** Which memory limits the orders that the bound of a pipeline is about; undefined where none does. */
export function memoryOfBound(
  plan: PipelinePlan,
  peaks: readonly MemoryPeak[],
  fits: boolean,
): BoundWithin | undefined {
  const { schedule } = plan;
  if (schedule.kind === 'policy' && schedule.name === 'search' && limitOf(schedule).kind !== 'device') return 'limit';
  // A device that has room for all microbatches beside what it holds anyway limits no order.
  const isShort = peaks.some(({ bytes: peak }, device) => {
    const each = stagesOn(plan.placement, device).reduce(
      (sum, stage) => sum + Math.max(plan.stages[stage].activation, plan.stages[stage].activationForWeight),
      0,
    );
    const { memory, reserved } = plan.devices[device];
    return peak + plan.microbatches * each > memory - reserved;
  });
  const isSearched = schedule.kind === 'policy' && schedule.name === 'search';
  return isShort && (fits || isSearched) ? 'memory' : undefined;
}

/** `the memory of the devices`, `5 microbatches on each device`: what a bound is within. */
export function withinWords({ schedule }: PipelinePlan, within: BoundWithin): string {
  if (within === 'memory' || schedule.kind !== 'policy') return 'the memory of the devices';
  const { kind, amount } = limitOf(schedule);
  return `the limit of ${kind === 'bytes' ? bytes(amount) : count(amount, 'microbatch', 'microbatches')} on each device`;
}
