import type { EdgePlan, PipelinePlan } from '../values/plan.ts';
import { ownNeeds } from '../order/dependencies.ts';
import { hostCopy } from '../order/hostCopy.ts';
import { peerResults, peersOf, updateResult } from '../order/peers.ts';
import {
  B,
  E,
  F,
  I,
  L,
  type Program,
  R,
  U,
  W,
  kindOf,
  kindOfRow,
  kinds,
  kindsIn,
  microbatchesPerRun,
  resultOf,
  resultRow,
  rowOf,
  weightsStage,
} from '../values/program.ts';
import { exchangeTiming } from './exchange/exchangeTiming.ts';
import { crowdOf, linkSeconds } from './sharing/crowd.ts';
import { gradientBuckets, holdersOf, releases } from './gradients.ts';
import { hostSteps } from './hostStep.ts';
import { channelsOf, flowsOf } from './hops.ts';
import { singleTimes } from './singleTimes.ts';
import { transferSizes } from './transferSizes.ts';
import type { StepSharing, Timing } from '../values/timeline.ts';

/** Which parts of a plan's costs to leave out, for asking what they cost. */
export interface TimingOptions {
  /** Transfers take no time. */
  readonly freeTransfers?: boolean;
  /**
   * Every stage takes the mean of all stages, for each kind; copies in proportion to the microbatches that they leave to others.
   * Each device takes its share of an operation that the schedule declares, if it runs any.
   */
  readonly equalStages?: boolean;
  /** Every microbatch takes the mean of all, where they have different lengths. */
  readonly equalMicrobatches?: boolean;
  /** No gradient synchronisation, no optimizer step: no update waits for the gradients of other copies either. */
  readonly freeStep?: boolean;
}

/** Durations and dependencies of `program`'s rows under the costs of `plan`. Routes that the plan lacks count as instant. */
export function timingOf(plan: PipelinePlan, program: Program, options: TimingOptions = {}): Timing {
  const { stages, devices } = program;
  const rowKinds = kindsIn(program);
  const free = options.freeStep === true;
  const alike = options.equalStages === true || (options.equalMicrobatches === true && plan.lengths !== undefined);
  const { transfer } = plan;
  const layers = slowed(plan, durations(plan, program, options), stages);
  // The means of rows: what equal stages are made of.
  const single = singleTimes(plan, program, layers);
  const duration = options.equalStages === true ? equalDurations(program, layers) : layers;
  const routes = new Map(plan.routes.map((route, index) => [route.from * devices + route.to, index]));
  const needOffsets = new Int32Array(rowKinds * stages + 1);
  const needs: number[] = [];
  const needRoute: number[] = [];
  const needLatency: number[] = [];
  const needOccupancy: number[] = [];
  const needChannel: number[] = [];
  const needShift: number[] = [];
  const needOnly: (Uint8Array | undefined)[] = [];
  /** Edges whose messages or gradients needs carry; only if microbatches differ. */
  const needEdge = new Map<number, number>();
  const peers = free ? undefined : peersOf(program);
  const { declared, room } = program;
  const listed = declared !== undefined || room !== undefined;
  /** Needs of operations that wait for a copy. */
  const copied: number[] = [];

  const channels = channelsOf(plan);
  const toHost = program.partner?.some((partner) => partner >= devices) === true;
  /** The copy between a device and its host, which has a number from `devices` on. */
  const hostNeed = (result: number, sender: number, receiver: number, bytes: number) => {
    const device = Math.min(sender, receiver);
    const copy = options.freeTransfers ? undefined : hostCopy(plan, device, sender > receiver ? 'back' : 'out', bytes);
    needs.push(result);
    needShift.push(0);
    needOnly.push(undefined);
    needRoute.push(-1);
    needChannel.push(copy === undefined ? -1 : channels + 2 * device + copy.line);
    needLatency.push(copy?.latency ?? 0);
    needOccupancy.push(copy?.occupancy ?? 0);
  };
  const need = (result: number, sender: number, receiver: number, bytes: number, shift = 0, only?: Uint8Array) => {
    if (sender >= devices || receiver >= devices) return hostNeed(result, sender, receiver, bytes);
    const index = sender === receiver ? -1 : (routes.get(sender * devices + receiver) ?? -1);
    const route = index < 0 ? undefined : plan.routes[index];
    needs.push(result);
    needShift.push(shift);
    needOnly.push(only);
    needRoute.push(index);
    needChannel.push(route?.channel ?? -1);
    needLatency.push(route === undefined || options.freeTransfers ? 0 : route.latency);
    needOccupancy.push(route === undefined || options.freeTransfers ? 0 : bytes / route.bandwidth);
  };

  const into = edgesBy(plan, 'to', stages);
  const outOf = edgesBy(plan, 'from', stages);
  for (let kind = 0; kind < rowKinds; kind += 1) {
    for (let stage = 0; stage < stages; stage += 1) {
      const device = program.placement[stage];
      if (kind === F) {
        for (const [edge, index] of into[stage]) {
          if (plan.lengths !== undefined) needEdge.set(needs.length, index);
          need(resultRow(stages, F, edge.from), program.placement[edge.from], device, edge.bytes);
        }
      } else if (kind === W) {
        need(resultRow(stages, I, stage), device, device, 0);
      } else if (kind === B || kind === I) {
        need(resultRow(stages, F, stage), device, device, 0);
        for (const [edge, index] of outOf[stage]) {
          if (edge.forwardOnly === true) continue;
          if (plan.lengths !== undefined) needEdge.set(needs.length, index);
          need(resultRow(stages, B, edge.to), program.placement[edge.to], device, edge.back ?? edge.bytes);
        }
      }
      for (const [who, whom] of rowKinds > 4 ? ownNeeds : []) {
        if (resultOf[kind] !== who) continue;
        // What is evicted goes to the partner before L may ask for it, and comes back before the backward.
        const partner = program.partner?.[device] ?? device;
        const away = partner < 0 ? device : partner;
        const bytes = plan.stages[stage].activation;
        if (kind === L) need(whom * stages + stage, device, away, bytes);
        else if (whom === resultOf[L]) need(whom * stages + stage, away, device, bytes);
        else need(whom * stages + stage, device, device, 0);
      }
      // The time of the exchange is part of the update.
      for (const peer of resultOf[kind] === updateResult ? (peers?.[stage] ?? []) : [])
        for (const result of peerResults) need(result * stages + peer.stage, device, device, 0, peer.shift);
      const row = resultOf[kind] * stages + stage;
      for (const { whom, shift, only, bytes } of [...(declared?.waits.get(row) ?? []), ...(room?.get(row) ?? [])]) {
        if (isCopy(Math.trunc(whom / stages))) copied.push(needs.length);
        need(whom, program.placement[whom % stages], device, bytes, shift, only);
      }
      needOffsets[kind * stages + stage + 1] = needs.length;
    }
  }
  const needCopy = copied.length === 0 ? undefined : new Int32Array(needs.length).fill(-1);
  for (const index of copied) {
    const asker = Math.trunc(needs[index] / stages) === resultOf[E] ? L : B;
    const first = needOffsets[asker * stages + (needs[index] % stages)];
    needCopy?.fill(needs.indexOf(needs[index], first), index, index + 1);
  }
  const flows = options.freeTransfers === true || transfer !== undefined ? undefined : flowsOf(plan);
  // The step is part of every update where there are updates.
  const atEnd = !free && program.weights === undefined;
  const buckets = atEnd ? gradientBuckets(plan, program) : [];
  const onHost = atEnd ? hostSteps(plan, program, buckets) : undefined;
  const release = atEnd ? releases(plan, duration.length) : undefined;
  const holders = atEnd ? holdersOf(plan) : undefined;
  const exchange = atEnd ? exchangeTiming(plan, program) : undefined;
  const sharing = atEnd ? stepSharing(plan) : undefined;
  const crowd = crowdOf(plan, program, duration);
  const least = free ? undefined : linkSeconds(plan);
  return {
    duration,
    ...(single === undefined || alike ? {} : { single }),
    needOffsets,
    needs: Int32Array.from(needs),
    ...(peers === undefined && !listed ? {} : { needShift: Int32Array.from(needShift) }),
    ...(listed ? { needOnly } : {}),
    ...(needCopy === undefined ? {} : { needCopy }),
    needRoute: Int32Array.from(needRoute),
    needLatency: Float64Array.from(needLatency),
    needOccupancy: Float64Array.from(needOccupancy),
    ...(plan.lengths === undefined || options.freeTransfers === true || alike
      ? {}
      : { sizes: transferSizes(plan, program.microbatches, needOccupancy, needEdge) }),
    needChannel: Int32Array.from(needChannel),
    channels: toHost ? channels + 2 * devices : channels,
    ...(flows === undefined ? {} : { flows }),
    sync: Float64Array.from({ length: devices }, (_, device) => (atEnd ? (plan.step[device]?.sync ?? 0) : 0)),
    optimizer: Float64Array.from({ length: devices }, (_, device) => (atEnd ? (plan.step[device]?.optimizer ?? 0) : 0)),
    ...(atEnd && plan.step.some(({ outer }) => outer !== undefined)
      ? { outer: plan.step.map(({ outer }) => outer) }
      : {}),
    ...(buckets.length === 0 ? {} : { buckets }),
    ...(onHost === undefined ? {} : { hostSteps: onHost }),
    ...(release === undefined ? {} : { release }),
    ...(holders === undefined ? {} : { holders }),
    ...(exchange === undefined ? {} : { exchange }),
    ...(sharing === undefined ? {} : { sharing }),
    ...(crowd === undefined ? {} : { crowd }),
    ...(least === undefined ? {} : { linkSeconds: least }),
    // Transfers that take no time block nobody.
    ...(transfer === undefined || options.freeTransfers === true ? {} : { transfer }),
  };
}

function stepSharing({ linkSharing, step, devices, exchange }: PipelinePlan): StepSharing | undefined {
  if (linkSharing === undefined || exchange !== undefined) return undefined;
  return {
    links: Float64Array.from(linkSharing.links, ({ bandwidth }) => bandwidth),
    sync: devices.map((_, device) => {
      const sync = step[device]?.sync ?? 0;
      return step[device]?.calls ?? (sync > 0 ? [{ seconds: sync, overhead: 0, passes: [] }] : []);
    }),
  };
}

/** Whether a result is a copy that begins with E or L: it ends later than they do. */
const isCopy = (result: number): boolean => result === resultOf[E] || result === resultOf[L];

function durations(plan: PipelinePlan, program: Program, options: TimingOptions): Float64Array {
  const { stages, placement, apart } = program;
  const rowKinds = kindsIn(program);
  const duration = new Float64Array(rowKinds * stages);
  const held = new Int32Array(program.devices);
  for (const [index, device] of placement.entries()) if (weightsStage(program, index) === index) held[device] += 1;
  plan.stages.forEach((stage, index) => {
    const input = (apart?.[index] === 1 ? 0 : stage.recompute) + stage.backwardInput;
    duration[F * stages + index] = stage.forward;
    duration[B * stages + index] = input + stage.backwardWeight;
    // An input gradient alone hides less of the copies back.
    duration[I * stages + index] = input + (stage.offloaded?.split ?? 0);
    duration[W * stages + index] = stage.backwardWeight;
    if (rowKinds === 4) return;
    for (let kind = kinds; kind + 1 < rowKinds; kind += 1)
      duration[kind * stages + index] = program.declared?.time[(kind - kinds) * stages + index] ?? 0;
    const step = plan.step[placement[index]];
    duration[R * stages + index] = stage.recompute;
    // The stages of a device share its step.
    if (options.freeStep !== true && step !== undefined)
      duration[U * stages + index] = (step.sync + step.optimizer) / held[placement[index]];
  });
  return duration;
}

/** With the factors of slow devices, but for the update of weights. Rows of copies to other memory take no time. */
function slowed({ slow, placement }: PipelinePlan, duration: Float64Array, stages: number): Float64Array {
  if (slow === undefined) return duration;
  return duration.map((seconds, row) =>
    kindOfRow(stages, row) === U ? seconds : seconds * slow[placement[row % stages]],
  );
}

/** Every stage takes the mean of all stages, for each kind. */
function equalDurations(program: Program, layers: Float64Array): Float64Array {
  const { stages } = program;
  const duration = layers.slice();
  // Copies share the microbatches of their stage: equal is what each does in all.
  const every = (stage: number): number => microbatchesPerRun(program, stage);
  // Spare copies are no stages of their own.
  const counted = Array.from({ length: stages }, (_, stage) => stage).filter(
    (stage) => program.copies?.spare?.[stage] !== 1,
  );
  for (let kind = 0; kind < kinds && kind * stages < duration.length; kind += 1) {
    const rows = duration.subarray(kind * stages, (kind + 1) * stages);
    const mean = counted.reduce((sum, stage) => sum + rows[stage] / every(stage), 0) / counted.length;
    for (const stage of counted) rows[stage] = mean * every(stage);
  }
  if (program.declared !== undefined) shareDeclared(program, duration);
  return duration;
}

/** Devices share the seconds of each operation that the schedule declares. What a device without one would take is left out. */
function shareDeclared(program: Program, duration: Float64Array): void {
  const { stages, devices, order, placement } = program;
  const declared = duration.length / stages - kinds;
  const count = new Int32Array(declared * devices);
  const total = new Float64Array(declared);
  for (const word of order) {
    const row = rowOf(program, word);
    const kind = kindOf(program, word) - kinds;
    if (kind < 0) continue;
    count[kind * devices + placement[row % stages]] += 1;
    total[kind] += duration[row];
  }
  for (let row = kinds * stages; row < duration.length; row += 1) {
    const kind = kindOfRow(stages, row) - kinds;
    const times = count[kind * devices + placement[row % stages]];
    if (times > 0) duration[row] = total[kind] / devices / times;
  }
}

/** By stage: its edges with their indices. */
function edgesBy(plan: PipelinePlan, end: 'from' | 'to', stages: number): (readonly [EdgePlan, number])[][] {
  const by: (readonly [EdgePlan, number])[][] = Array.from({ length: stages }, () => []);
  for (const [index, edge] of plan.edges.entries()) by[edge[end]].push([edge, index]);
  return by;
}
