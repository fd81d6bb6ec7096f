import type { PipelinePlan } from '../plan/plan.ts';
import type { PolicyArguments, Shape } from './policy.ts';
import { findPolicy } from './registry.ts';

/**
 * What a policy sees of a pipeline. Recomputation counts as part of the input gradient. `devices` are those that the policy
 * would spread the stages over: stages / chunks.
 */
export function shapeOf(plan: PipelinePlan): Shape {
  const { schedule, stages } = plan;
  const args: PolicyArguments = schedule.kind === 'policy' ? schedule.args : {};
  const policy = schedule.kind === 'policy' ? findPolicy(schedule.name) : undefined;
  const chunks = policy?.chunks(args) ?? Math.max(1, Math.ceil(stages.length / Math.max(1, plan.devices.length)));
  return {
    devices: Math.ceil(stages.length / chunks),
    stages: stages.length,
    chunks,
    microbatches: plan.microbatches,
    args,
    forward: Float64Array.from(stages, (stage) => stage.forward),
    backwardInput: Float64Array.from(stages, (stage) => stage.recompute + stage.backwardInput),
    backwardWeight: Float64Array.from(stages, (stage) => stage.backwardWeight),
    transfer: largestTransfer(plan),
  };
}

/** Seconds from the end of an operation to its result on another device, for `bytes` of one microbatch; nothing queues. */
export type TransferTime = (from: number, to: number, bytes: number) => number;

/** Transfer times between devices of a plan; 0 on one device and where no route is known. */
export function transferTimes(plan: PipelinePlan): TransferTime {
  const routes = new Map(plan.routes.map((route) => [route.from * plan.devices.length + route.to, route]));
  return (from, to, bytes) => {
    const route = from === to ? undefined : routes.get(from * plan.devices.length + to);
    if (route === undefined) return 0;
    return route.latency + (bytes > 0 ? bytes / route.bandwidth : 0);
  };
}

function largestTransfer(plan: PipelinePlan): number {
  const transfer = transferTimes(plan);
  let largest = 0;
  for (const { from, to, bytes } of plan.edges) {
    const [sender, receiver] = [plan.placement[from], plan.placement[to]];
    largest = Math.max(largest, transfer(sender, receiver, bytes), transfer(receiver, sender, bytes));
  }
  return largest;
}
