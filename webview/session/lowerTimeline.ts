import type { GivenOrder } from '../../engine/policies/searched/given.ts';
import { list } from '../../engine/basics/quantities.ts';
import type { EngineOptions } from '../../engine/basics/host.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { BesideEntry } from '../protocol/messages.ts';
import { givenOf } from './incomingOrder.ts';

/** What is below in a comparison side by side. */
export interface LowerTimeline {
  /** `other.pipe: train` */
  readonly name: string;
  readonly plan?: PipelinePlan;
  readonly options?: EngineOptions;
  readonly order?: GivenOrder;
  /** Why there is no plan. */
  readonly problem?: string;
}

/** The pipeline that was chosen, otherwise the one with the name of the pipeline above, otherwise the only one. */
export function lowerTimeline(
  { title, pipeline, plans, options, orders, problem }: BesideEntry,
  above: string | undefined,
): LowerTimeline {
  const wanted = pipeline ?? above;
  if (plans === undefined || options === undefined)
    return { name: pipeline === undefined ? title : `${title}: ${pipeline}`, problem: problem ?? 'It has no plan.' };
  const plan = plans.find(({ name }) => name === wanted) ?? (plans.length === 1 ? plans[0] : undefined);
  if (plan === undefined) {
    const has = plans.length === 0 ? '' : ` It has ${list(plans.map(({ name }) => name))}.`;
    const lacking =
      plans.length === 0 ? `${title} has no pipeline.` : `${title} has no valid pipeline ${wanted ?? ''}.`;
    return { name: title, problem: lacking + has };
  }
  const order = orders?.[plan.name];
  return { name: `${title}: ${plan.name}`, plan, options, ...(order === undefined ? {} : { order: givenOf(order) }) };
}
