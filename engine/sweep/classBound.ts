/** A bound on rows that were not planned, from one that was: rows of a class have layers that compute the same. */
import { findPolicy } from '../policies/registry.ts';
import type { SweepBase } from './base.ts';
import type { PlacedRow } from './placeRow.ts';
import { isPlain } from './plainPolicy.ts';
import { scheduleName, stageChunks } from './scheduleText.ts';
import { leastBytes, type LeastBytes, type StoredBytes } from './storedBytes.ts';

/** Keys that change the order of operations and where stages are, but not what a layer computes. */
const ofOrder = new Set(['schedule', 'chunks', 'pipeline', 'data']);

/**
 * Seconds of one microbatch on all stages, forwards and backwards. `computing` is a part of them that no other cut, order or place
 * of the stages makes shorter: without exchanges, on devices as fast as the fastest.
 */
export interface RowWork {
  readonly all: number;
  readonly computing: number;
  readonly stored: StoredBytes;
}

/** Keys that change what layers compute or keep for the backward, but neither their weights nor what belongs to these. */
const ofActivations = new Set([...ofOrder, 'micro_batch', 'recompute']);

/** Equal for rows whose layers have the same weights, gradients and optimizer state. */
export function weightsOf({ settings, tensor, context, expert }: PlacedRow): string {
  const others = Object.entries(settings).filter(([key]) => !ofActivations.has(key));
  return JSON.stringify([others, tensor, context, expert]);
}

/** Equal for rows whose layers compute the same. What they exchange may differ: it goes by pipeline and data ranks. */
export function classOf({ settings, tensor, context, expert, microBatch }: PlacedRow): string {
  const others = Object.entries(settings).filter(([key]) => !ofOrder.has(key));
  return JSON.stringify([others, tensor, context, expert, microBatch]);
}

/**
 * Seconds that a row is hardly under, from `work` of another row of its class: which rows to look at first. Some device has at least
 * the mean work, m·T / p. The second estimate is for a chain of layers, one stage on each device, and whole backwards. A device then
 * waits for the stages above it, before its first forward and after its last backward: m·t(d) + t(0) + … + t(d − 1) ≤ M. This gives
 * T ≤ M·(1 − (1 − 1/m)^p). Seconds are for the samples that rows share.
 */
export function iterationOf(
  { size, batch }: Pick<SweepBase, 'size' | 'batch'>,
  { schedule, ranks, microbatches, samples }: Pick<PlacedRow, 'schedule' | 'ranks' | 'microbatches' | 'samples'>,
  work: number,
): number {
  const policy = findPolicy(scheduleName(schedule));
  if (policy === undefined || !isPlain(policy) || policy.copies !== undefined) return 0;
  const isLone = stageChunks(schedule) === 1 && !policy.split && size.chain;
  const own = isLone ? work / (1 - (1 - 1 / microbatches) ** ranks) : (microbatches * work) / ranks;
  return own * (batch / samples);
}

/** The value of a param may change any number of the file, ranks and microbatches too. */
const isKnown = ({ size, params }: SweepBase, { settings }: PlacedRow): boolean =>
  size.sameWork && params.every((name) => !(name in settings));

/** Bytes that the row needs at least; 0 if its layers may hold less than the layers of the row that was planned. */
export const leastMemory = (base: SweepBase, row: PlacedRow, { stored }: RowWork): LeastBytes =>
  isKnown(base, row) ? leastBytes(base, row, stored) : { state: 0, peak: 0 };

/** Seconds for the samples that rows share, which the row cannot be under. 0 if its layers may compute less than the layers of the row that was planned. */
export function leastIteration(base: SweepBase, row: PlacedRow, { computing }: Pick<RowWork, 'computing'>): number {
  return isKnown(base, row) ? iterationOf(base, row, computing) * (1 - 1e-9) : 0;
}
