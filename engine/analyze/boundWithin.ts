import type { PipelinePlan } from '../values/plan.ts';
import { limitOf, limitWords } from '../policies/zbAuto/limit.ts';
import type { BoundWithin, ReportWithoutCauses } from '../values/report.ts';
import type { SearchReport } from '../values/searchReport.ts';
import { stagesOn } from '../basics/stagesOn.ts';
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

/** The memory that the bound of a report is within, for a sentence on orders: `the memory of the devices`; undefined if memory does not raise it. */
export function withinWords({ bubble, search }: Pick<ReportWithoutCauses, 'bubble' | 'search'>): string | undefined {
  return bubble.bound_within === undefined ? undefined : searchedWithin(search);
}

type Bounded = { readonly bubble: Pick<ReportWithoutCauses['bubble'], 'bound_backward'> };

/** The orders that a bound is for, after "no": `order`, `order with whole backwards`. */
export const boundOrders = ({ bubble }: Bounded): string =>
  bubble.bound_backward === 'whole' ? 'order with whole backwards' : 'order';

/** After what a bound says, if the order of the report has whole backwards and others of the bound do not: `, even with split backwards`. */
export const boundNote = ({ bubble }: Bounded): string =>
  bubble.bound_backward === 'split' ? ', even with split backwards' : '';

/** Behind a figure that is the best possible one: ` with split backwards`; empty if all orders are as this one. */
export const bestWords = ({ bubble }: Bounded): string =>
  bubble.bound_backward === undefined ? '' : ` with ${bubble.bound_backward} backwards`;

/** What all orders of a search are within; for no search the memory of the devices. */
export function searchedWithin(search: Pick<SearchReport, 'limit'> | undefined): string {
  const limit = search?.limit;
  if (limit === undefined) return limitWords({ kind: 'device', amount: Infinity });
  return limitWords(
    'bytes' in limit ? { kind: 'bytes', amount: limit.bytes } : { kind: 'microbatches', amount: limit.microbatches },
  );
}
