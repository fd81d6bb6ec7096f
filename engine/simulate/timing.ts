import type { PipelinePlan } from '../plan/plan.ts';
import { B, F, I, type Program, W, kinds } from '../schedule/program.ts';
import { type Timing, resultRow } from './timeline.ts';

/** Which parts of a plan's costs to leave out, for asking what they cost. */
export interface TimingOptions {
  /** Transfers take no time. */
  readonly freeTransfers?: boolean;
  /** Every stage takes the mean of all stages, for each kind. */
  readonly equalStages?: boolean;
  /** No gradient synchronisation, no optimizer step. */
  readonly freeStep?: boolean;
}

/** Durations and dependencies of `program`'s rows under the costs of `plan`. Routes that the plan lacks count as instant. */
export function timingOf(plan: PipelinePlan, program: Program, options: TimingOptions = {}): Timing {
  const { stages, devices } = program;
  const duration = durations(plan, stages, options.equalStages === true);
  const routes = new Map(plan.routes.map((route, index) => [route.from * devices + route.to, index]));
  const needOffsets = new Int32Array(kinds * stages + 1);
  const needs: number[] = [];
  const needRoute: number[] = [];
  const needLatency: number[] = [];
  const needOccupancy: number[] = [];
  const needChannel: number[] = [];

  const need = (result: number, from: number, to: number, bytes: number) => {
    const sender = program.placement[from];
    const receiver = program.placement[to];
    const index = sender === receiver ? -1 : (routes.get(sender * devices + receiver) ?? -1);
    const route = index < 0 ? undefined : plan.routes[index];
    needs.push(result);
    needRoute.push(index);
    needChannel.push(route?.channel ?? -1);
    needLatency.push(route === undefined || options.freeTransfers ? 0 : route.latency);
    needOccupancy.push(route === undefined || options.freeTransfers ? 0 : bytes / route.bandwidth);
  };

  const into = edgesBy(plan, 'to', stages);
  const outOf = edgesBy(plan, 'from', stages);
  for (let kind = 0; kind < kinds; kind += 1) {
    for (let stage = 0; stage < stages; stage += 1) {
      if (kind === F) {
        for (const edge of into[stage]) need(resultRow(stages, F, edge.from), edge.from, stage, edge.bytes);
      } else if (kind === W) {
        need(resultRow(stages, I, stage), stage, stage, 0);
      } else {
        need(resultRow(stages, F, stage), stage, stage, 0);
        for (const edge of outOf[stage]) need(resultRow(stages, B, edge.to), edge.to, stage, edge.bytes);
      }
      needOffsets[kind * stages + stage + 1] = needs.length;
    }
  }
  const channels = plan.routes.reduce((most, route) => Math.max(most, route.channel + 1), 0);
  const free = options.freeStep === true;
  return {
    duration,
    needOffsets,
    needs: Int32Array.from(needs),
    needRoute: Int32Array.from(needRoute),
    needLatency: Float64Array.from(needLatency),
    needOccupancy: Float64Array.from(needOccupancy),
    needChannel: Int32Array.from(needChannel),
    channels,
    sync: Float64Array.from({ length: devices }, (_, device) => (free ? 0 : (plan.step[device]?.sync ?? 0))),
    optimizer: Float64Array.from({ length: devices }, (_, device) => (free ? 0 : (plan.step[device]?.optimizer ?? 0))),
  };
}

function durations(plan: PipelinePlan, stages: number, equal: boolean): Float64Array {
  const duration = new Float64Array(kinds * stages);
  plan.stages.forEach((stage, index) => {
    const input = stage.recompute + stage.backwardInput;
    duration[F * stages + index] = stage.forward;
    duration[B * stages + index] = input + stage.backwardWeight;
    duration[I * stages + index] = input;
    duration[W * stages + index] = stage.backwardWeight;
  });
  if (!equal) return duration;
  for (let kind = 0; kind < kinds; kind += 1) {
    const rows = duration.subarray(kind * stages, (kind + 1) * stages);
    rows.fill(rows.reduce((sum, one) => sum + one, 0) / stages);
  }
  return duration;
}

function edgesBy(plan: PipelinePlan, end: 'from' | 'to', stages: number): PipelinePlan['edges'][number][][] {
  const by: PipelinePlan['edges'][number][][] = Array.from({ length: stages }, () => []);
  for (const edge of plan.edges) by[edge[end]].push(edge);
  return by;
}
