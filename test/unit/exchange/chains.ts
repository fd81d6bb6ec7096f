/** Lanes of one device that runs layers in a chain, for tests: seconds and bytes. */
import type { LaneCall } from '../../../engine/values/exchangePlan.ts';
import { closesBySize } from '../../../engine/simulate/exchange/buckets.ts';
import { type LaneProblem, type LaneRun, runLane, type SettledRule } from '../../../engine/simulate/exchange/lane.ts';
import { type ChainLayer, chainOf, periodOf } from './period.ts';

export interface TensorLayer extends ChainLayer {
  readonly bytes: number;
}

export interface Rule extends Partial<SettledRule> {
  readonly bucket?: number | 'layer';
  readonly first?: number;
  readonly barrier?: boolean;
}

const plain: SettledRule = {
  order: 'ready',
  partition: 'whole',
  credit: 'unlimited',
  strict: false,
  ack: 0,
  earlyStart: false,
  halves: 'together',
};

export const MB = 1e6;
export const MiB = 2 ** 20;
export const ms = 1e-3;

/** A collective of `perSecond` bytes a second. */
export const collective = (perSecond: number, fixed = 0): LaneCall => {
  const half = { kind: 'linear', fixed: fixed / 2, perByte: 0.5 / perSecond } as const;
  return {
    name: 'ring',
    push: { kind: 'linear', fixed, perByte: 1 / perSecond },
    halves: { scatter: half, gather: half },
  };
};

/** Servers that take a push, and a pull, of `perSecond` bytes a second. */
export const servers = (perSecond: number, fixed = 0): LaneCall => {
  const cost = { kind: 'linear', fixed, perByte: 1 / perSecond } as const;
  return { name: 'ps', push: cost, pull: cost };
};

/** What a lane has to do under a rule. Orders other than `ready` send one piece at a time by default. */
export function problemOf(
  layers: readonly TensorLayer[],
  call: LaneCall,
  { bucket = 'layer', first, ...rule }: Rule,
  microbatches = 1,
): LaneProblem {
  const tensors = layers.map(({ bytes }) => ({ stage: 0, bytes, call: 0 }));
  return {
    tensors,
    calls: [call],
    rule: { ...plain, credit: rule.order === undefined || rule.order === 'ready' ? 'unlimited' : 'piece', ...rule },
    closes: closesBySize(tensors, bucket, first),
    ...chainOf(layers, microbatches),
  };
}

/** Seconds of an iteration, and how the lane ran. */
export function iteration(
  layers: readonly TensorLayer[],
  call: LaneCall,
  rule: Rule,
  microbatches = 1,
): LaneRun & { readonly period: number } {
  const problem = problemOf(layers, call, rule, microbatches);
  const run = runLane(problem);
  const { end } = chainOf(layers, microbatches);
  const barrier = rule.barrier ?? true;
  return {
    ...run,
    period: periodOf({ arrival: run.arrival, tail: problem.tail }, end, barrier ? { optimizer: 0 } : undefined),
  };
}
