/** A bound on rows that were not planned, from one that was: rows of a class have layers of equal cost. */
import { findPolicy } from '../policies/registry.ts';
import type { SweepBase } from './base.ts';
import type { PlacedRow } from './placeRow.ts';
import { scheduleName, stageChunks } from './scheduleText.ts';

/** Keys that change the order of operations and where stages are, but no layer. */
const ofOrder = new Set(['schedule', 'chunks', 'pipeline', 'data']);

/** Equal for rows whose layers cost the same: all but their order, their cut, and their pipeline and data ranks. */
export function classOf(base: SweepBase, row: PlacedRow): string {
  const { tensor, context, expert, microBatch, ranks, data } = row;
  const { groups } = base.size;
  // Ranks of a layer are alike if they are in one group of devices, or fill groups.
  const fills = (size: number): boolean => groups?.every((group) => group % size === 0 || size % group === 0) === true;
  const isAlike = expert === 1 && fills(tensor) && fills(tensor * context);
  const others = Object.entries(row.settings).filter(([key]) => !ofOrder.has(key));
  return JSON.stringify([others, tensor, context, expert, microBatch, ...(isAlike ? [] : [ranks, data])]);
}

/**
 * Seconds that the row cannot be under. `work`: seconds of one microbatch on all layers, T. Some device has at least the mean work, m·T / p.
 * The second bound is for a chain of layers, one stage on each device, and whole backwards. A device then waits for the stages above it,
 * before its first forward and after its last backward: m·t(d) + t(0) + … + t(d − 1) ≤ M. This gives T ≤ M·(1 − (1 − 1/m)^p).
 */
export function leastIteration(
  { size }: SweepBase,
  { schedule, ranks, microbatches }: PlacedRow,
  work: number,
): number {
  const policy = findPolicy(scheduleName(schedule));
  if (policy === undefined || policy.overlap !== undefined || policy.forwardOnly === true) return 0;
  if (policy.loading !== undefined || policy.recompute !== undefined || policy.weights !== undefined) return 0;
  if (policy.parts !== undefined || policy.copies !== undefined) return 0;
  const isLone = stageChunks(schedule) === 1 && !policy.split && size.chain;
  const least = isLone ? work / (1 - (1 - 1 / microbatches) ** ranks) : (microbatches * work) / ranks;
  return least * (1 - 1e-9);
}
