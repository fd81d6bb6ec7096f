import type { SchedulePlan } from '../values/plan.ts';
import { bytes } from '../basics/quantities.ts';
import { parametersOf } from './parameters.ts';
import type { Policy } from './policy.ts';
import { findPolicy } from './registry.ts';
import { limitOf, limitParameter } from './zbAuto/limit.ts';

/** Arguments by which a user says how much a device may hold. */
export const limitNames: readonly string[] = [limitParameter.name, 'in_flight'];

/** `without your limit of 4`: the limit of a synchronous schedule, if another policy does not take it. Undefined if none is lost. */
export function lostLimit(schedule: SchedulePlan, policy: Policy | undefined): string | undefined {
  if (schedule.kind !== 'policy' || findPolicy(schedule.name)?.weights !== undefined) return undefined;
  const taken = policy === undefined ? [] : parametersOf(policy).map(({ name }) => name);
  const lost = limitNames.find((name) => schedule.args[name] !== undefined && !taken.includes(name));
  if (lost === undefined) return undefined;
  const { kind, amount } = limitOf({ args: { limit: schedule.args[lost] } });
  // The memory of the devices limits every policy.
  if (kind === 'device') return undefined;
  return `without your ${lost} of ${kind === 'bytes' ? bytes(amount) : amount}`;
}
