import type { PipelinePlan, StepPlan } from '../values/plan.ts';
import { wholeStages } from '../costs/stages.ts';
import { exchangeTail } from '../order/exchangeTail.ts';
import type { PolicyArguments, Shape } from './policy.ts';
import { findPolicy } from './registry.ts';
import { stagesOn } from '../basics/stagesOn.ts';

/** A shape whose stages cost nothing: for asking a policy where stages go before their costs are known. */
export const bareShape = (
  counts: Pick<Shape, 'devices' | 'stages' | 'chunks' | 'microbatches' | 'iterations' | 'args' | 'replicas'>,
): Shape => {
  const none = new Float64Array(counts.stages);
  return {
    ...counts,
    forward: none,
    backwardInput: none,
    backwardWeight: none,
    recompute: none,
    transfer: 0,
    transfers: new Float64Array(Math.max(0, counts.stages - 1)),
    activation: none,
    activationForWeight: none,
    step: new Float64Array(counts.devices),
    room: new Float64Array(counts.devices).fill(Infinity),
  };
};

const shapes = new WeakMap<PipelinePlan, Shape>();

/**
 * What a policy sees of a pipeline. Recomputation counts as part of the input gradient. `devices` are those that the policy
 * would spread the stages over: stages / chunks, replicas counted. One plan has one shape.
 */
export function shapeOf(plan: PipelinePlan): Shape {
  let shape = shapes.get(plan);
  if (shape === undefined) shapes.set(plan, (shape = makeShape(plan)));
  return shape;
}

function makeShape(plan: PipelinePlan): Shape {
  const { schedule, jitter, slow } = plan;
  const args: PolicyArguments = schedule.kind === 'policy' ? schedule.args : {};
  const policy = schedule.kind === 'policy' ? findPolicy(schedule.name) : undefined;
  const cut = wholeStages(plan);
  const stages = cut.length;
  const chunks = policy?.chunks(args) ?? Math.max(1, Math.ceil(stages / Math.max(1, plan.devices.length)));
  const replicas = new Int32Array(stages).fill(1);
  // Of other policies the copies are their own doing.
  if (policy?.replicates === true)
    for (const { copy } of plan.stages) if (copy !== undefined) replicas[copy.stage] = copy.every;
  const transfer = transferTimes(plan);
  const of = (stage: number) => plan.placement[cut[stage].index];
  const bytes = new Map(plan.edges.map((edge) => [edge.from * plan.stages.length + edge.to, edge.bytes]));
  // `on` may give the only stage of a policy's device another rank, and several of them one, which they share.
  const alone = chunks === 1 && stages === plan.stages.length;
  const ranks = alone ? cut.map((_, stage) => of(stage)) : plan.devices.map((_, device) => device);
  const sharers = (rank: number): number => (alone ? stagesOn(ranks, rank).length : 1);
  return {
    devices: Math.ceil(replicas.reduce((sum, count) => sum + count, 0) / chunks),
    stages,
    chunks,
    microbatches: plan.microbatches,
    iterations: plan.iterations,
    args,
    replicas,
    forward: Float64Array.from(cut, ({ plan: { forward } }) => forward),
    backwardInput: Float64Array.from(cut, ({ plan: { recompute, backwardInput } }) => recompute + backwardInput),
    backwardWeight: Float64Array.from(cut, ({ plan: { backwardWeight } }) => backwardWeight),
    recompute: Float64Array.from(cut, ({ plan: { recompute } }) => recompute),
    transfer: largestTransfer(plan),
    transfers: Float64Array.from({ length: Math.max(0, stages - 1) }, (_, stage) => {
      const sent = bytes.get(cut[stage].index * plan.stages.length + cut[stage + 1].index);
      return sent === undefined ? 0 : transfer(of(stage), of(stage + 1), sent);
    }),
    activation: Float64Array.from(cut, ({ plan: { activation } }) => activation),
    activationForWeight: Float64Array.from(cut, ({ plan: { activationForWeight } }) => activationForWeight),
    step: Float64Array.from(ranks, (rank) => {
      const step = plan.step[rank];
      return step === undefined ? 0 : tailOf(plan, step) + step.sync + step.optimizer;
    }),
    room: Float64Array.from(ranks, (rank) => roomOf(plan, rank) / sharers(rank)),
    ...(jitter === undefined ? {} : { jitter: Float64Array.from(cut, ({ index }) => jitter[index]) }),
    ...(slow === undefined ? {} : { slow: Float64Array.from(slow) }),
  };
}

/** Seconds of what a last weight gradient of one of the device's stages leaves to exchange, of the stage that leaves most. */
function tailOf({ stages }: PipelinePlan, { overlap = [] }: StepPlan): number {
  return overlap.reduce((most, { stage, buckets }) => {
    const after = buckets.map(({ seconds, left }) => ({ seconds, ready: -left.weight * stages[stage].backwardWeight }));
    return Math.max(most, exchangeTail(after));
  }, 0);
}

function roomOf(plan: PipelinePlan, device: number): number {
  const { memory, reserved } = plan.devices[device];
  let room = memory - reserved;
  let workspace = 0;
  for (const index of stagesOn(plan.placement, device)) {
    const stage = plan.stages[index];
    room -= stage.weights + stage.gradients + stage.optimizer + stage.buffers;
    workspace = Math.max(workspace, stage.workspace + stage.recomputed);
  }
  return room - workspace;
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
  for (const { from, to, bytes, back = bytes } of plan.edges) {
    const [sender, receiver] = [plan.placement[from], plan.placement[to]];
    largest = Math.max(largest, transfer(sender, receiver, bytes), transfer(receiver, sender, back));
  }
  return largest;
}
