/** Bytes that a row needs at least, from a row of its class that was planned. Shows of rows that were not planned that they cannot be best. */
import type { PipelinePlan, StagePlan } from '../values/plan.ts';
import { findPolicy } from '../policies/registry.ts';
import type { SweepBase } from './base.ts';
import { isPlain } from './plainPolicy.ts';
import type { PlacedRow } from './placeRow.ts';
import { scheduleName } from './scheduleText.ts';
import { shardWords } from './shardText.ts';

/** Sums over all stages of a row, and its ranks. What a microbatch leaves is 0 if another cut may leave less. */
export interface StoredBytes {
  readonly weights: number;
  readonly gradients: number;
  readonly optimizer: number;
  readonly activation: number;
  readonly data: number;
  readonly ranks: number;
}

/** What each layer leaves by itself, wherever the cut is. */
const ofLayers = /^(?:none|selective|full|operations|modules\(.*\))$/u;

/** Whether what is kept and what runs again is a sum over layers. A stage of frozen layers keeps nothing that it would keep next to others. */
export const recomputesLayers = ({ stages }: Pick<PipelinePlan, 'stages'>): boolean =>
  stages.every(({ recomputeMode, trainable }) => ofLayers.test(recomputeMode) && trainable === undefined);

export function storedBytes(plan: PipelinePlan): StoredBytes {
  const { stages, data, devices } = plan;
  const sum = (of: (stage: StagePlan) => number): number => stages.reduce((total, stage) => total + of(stage), 0);
  return {
    weights: sum(({ weights }) => weights),
    gradients: sum(({ gradients }) => gradients),
    optimizer: sum(({ optimizer }) => optimizer),
    activation: recomputesLayers(plan) ? sum(({ activation }) => activation) : 0,
    data,
    ranks: devices.length,
  };
}

export interface LeastBytes {
  /** Weights, gradients and optimizer state of the fullest device. */
  readonly state: number;
  /** And what one microbatch leaves there. */
  readonly peak: number;
}

/**
 * Some device has at least the mean of all. Each parameter is on one pipeline rank, and shared weights on more. Data ranks split what is
 * sharded: among d times as many, each has at least the d-th part.
 */
export function leastBytes(base: SweepBase, row: PlacedRow, known: StoredBytes): LeastBytes {
  const { shares, chain } = { ...base.size.model, ...base.size };
  const valueOf = (key: string): string => row.settings[key] ?? base.written(key) ?? '';
  const optimizer = valueOf('optimizer');
  const words = shardWords(optimizer);
  const { shard = isPlainName(optimizer) ? 'none' : undefined, reshard, over, gradient_sync: sync } = words;
  // Stages of one device have one copy of weights that stages of several devices each have; one rank gathers nothing.
  const isCopied = shares && known.ranks > 1;
  const isGathered = (reshard !== undefined || sync !== undefined) && row.data * row.context === 1;
  if (isCopied || isGathered) return { state: 0, peak: 0 };
  const split = over !== undefined ? 0 : Math.min(1, known.data / row.data);
  const ofState = shard === 'none' ? 1 : split;
  const ofGradients = shard === 'zero1' || shard === 'distributed' ? 1 : ofState;
  const ofWeights = shard === 'zero2' ? 1 : ofGradients;
  const state = known.weights * ofWeights + known.gradients * ofGradients + known.optimizer * ofState;
  // Messages that wait are also activations, and depend on the cut.
  const held = chain && isHeld(row) && !valueOf('transfer').includes('receive') ? known.activation : 0;
  // Parts of what is split may be a little unequal.
  const mean = (bytes: number): number => (bytes / row.ranks) * (1 - 1e-6);
  return { state: mean(state), peak: mean(state + held) };
}

/** Without arguments, nothing is split. */
const isPlainName = (optimizer: string): boolean => /^\w+$/u.test(optimizer);

/** When a microbatch has come down to the last stage, every device holds it for each of its stages. */
function isHeld({ schedule }: PlacedRow): boolean {
  const policy = findPolicy(scheduleName(schedule));
  return policy !== undefined && isPlain(policy) && policy.partners === undefined && policy.copies === undefined;
}
