/** Facts of an order that several engines ask for. */
import { findPolicy } from '../policies/registry.ts';
import type { OrderPlan, Refusal } from './engine.ts';

/** Stages of the cut for each pipeline rank, rounded up. */
export const chunksOf = ({ stages, devices }: Pick<OrderPlan, 'stages' | 'devices'>): number =>
  Math.ceil(new Set(stages.map(({ copy }, index) => copy?.stage ?? index)).size / Math.max(1, devices.length));

/** Update rule of the weights; only `flush` is synchronous. */
function ruleOf({ schedule }: OrderPlan): string {
  if (schedule.kind === 'policy') return findPolicy(schedule.name)?.weights?.(schedule.args) ?? 'flush';
  return schedule.weights ?? 'flush';
}

/** A step of PyTorch ends in a flush. Without one, the order has the microbatches of all iterations, and uses other weights. */
export function withoutFlush(plan: OrderPlan): Refusal | undefined {
  const rule = ruleOf(plan);
  const { schedule, microbatches } = plan;
  if (rule === 'flush') return undefined;
  return {
    reason: `the schedule "${schedule.name}" updates weights without a flush (the rule "${rule}"): PyTorch runs the ${microbatches === 1 ? 'microbatch' : `${microbatches} microbatches`} of a step with the same weights and updates once after them`,
    nearest: { key: 'schedule', value: '1f1b' },
  };
}

/** What no order of PyTorch's actions can say. */
export function outsideTables(plan: OrderPlan): Refusal | undefined {
  const reason = unlikePyTorch(plan);
  return reason === undefined ? undefined : { reason, nearest: nearestOrder(plan) };
}

function unlikePyTorch(plan: OrderPlan): string | undefined {
  const { schedule, stages } = plan;
  if (schedule.kind === 'policy' && findPolicy(schedule.name)?.forwardOnly === true)
    return 'the schedule has no backward: a PyTorch table has a backward for each forward';
  for (const { copy } of stages) {
    if (copy === undefined) continue;
    const number = copy.stage;
    const others = stages.filter((other) => other.copy?.stage === number);
    if (copy.segment !== undefined)
      return `stage ${number} computes the sequence in ${others.length} segments: PyTorch cuts microbatches along the batch only`;
    if (copy.spare === true) return `stage ${number} has a spare copy: in PyTorch each stage is on one rank`;
    const devices = others.filter((other) => other.copy?.spare !== true).length;
    if (devices > 1) return `stage ${number} has copies on ${devices} devices: in PyTorch each stage is on one rank`;
  }
  return undefined;
}

/** The schedule of the four engines that is nearest: interleaved where a device has several stages. */
export function nearestOrder(plan: OrderPlan): { readonly key: 'schedule'; readonly value: string } {
  const chunks = chunksOf(plan);
  return {
    key: 'schedule',
    value: chunks > 1 && plan.devices.length > 1 ? `interleaved_1f1b(chunks = ${chunks})` : '1f1b',
  };
}

/** Whether stage s is on device s mod p. */
export const isLoop = ({ placement, devices }: OrderPlan): boolean =>
  placement.every((device, stage) => device === stage % devices.length);

/** Whether each device has two stages, and the second ones go back: 0, 1, …, p − 1, p − 1, …, 1, 0. */
export const isV = ({ placement, devices }: OrderPlan): boolean =>
  placement.length === 2 * devices.length &&
  placement.every((device, stage) => device === (stage < devices.length ? stage : 2 * devices.length - 1 - stage));

/** The 1F1B of the engine: `undefined` for another schedule, or one with a warm-up of the file. */
export function plain1f1b(plan: OrderPlan, title: string): Refusal | undefined {
  const { schedule } = plan;
  if (schedule.kind !== 'policy' || schedule.name !== '1f1b') return undefined;
  if (schedule.args['warmup'] === undefined) return undefined;
  return {
    reason: `${title} derives the warm-up of \`1f1b\` from its pipeline ranks, and takes none from outside`,
    nearest: { key: 'schedule', value: '1f1b' },
  };
}

/** Recomputation as an operation by itself, ahead of the gradient. */
export function recomputesAhead({ schedule }: OrderPlan, title: string): Refusal | undefined {
  if (schedule.kind !== 'policy') return undefined;
  const decides = findPolicy(schedule.name)?.recompute?.(schedule.args) !== undefined;
  if (!decides && schedule.args['recompute'] !== 'ahead') return undefined;
  return {
    reason: `${title} recomputes as a part of the backward, and not ahead of the gradient`,
    nearest: decides
      ? { key: 'schedule', value: '1f1b' }
      : { key: 'schedule', argument: 'recompute', value: 'with_backward' },
  };
}

/** Why a schedule is none of those that an engine has by name. */
export function notAmong(plan: OrderPlan, names: readonly string[], title: string): Refusal | undefined {
  const { schedule } = plan;
  if (schedule.kind === 'policy' && names.includes(schedule.name)) return undefined;
  const runs = `${title} runs ${names.map((name) => `\`${name}\``).join(' and ')}`;
  const nearest = names.length > 1 ? nearestOrder(plan) : { key: 'schedule', value: names[0] };
  return schedule.kind === 'policy'
    ? { reason: `${runs}, not \`${schedule.name}\``, nearest }
    : { reason: `${runs}, no schedule of a file such as "${schedule.name}"`, nearest };
}
