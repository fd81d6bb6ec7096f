import { unpack } from '../../engine/basics/packed.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { WrittenBlocks } from '../protocol/requests.ts';

/** Operations that the text at the editor's cursor writes. */
export interface WrittenOperations {
  /** For each stage and microbatch a bit for each kind. */
  readonly kinds: Uint8Array | Uint32Array;
  readonly microbatches: number;
  readonly count: number;
}

/** The marks of a pipeline as its blocks are asked for; undefined where they belong to other rows than the plan has. */
export function writtenOperations(
  { schedule, stages, microbatches, iterations }: PipelinePlan,
  { rows }: WrittenBlocks,
): WrittenOperations | undefined {
  if (schedule.kind !== 'rows' || rows?.length !== schedule.rows.length) return undefined;
  const all = microbatches * iterations;
  // A schedule may declare operations of its own, with further kinds.
  const room = stages.length * all;
  const kinds = schedule.operations === undefined ? new Uint8Array(room) : new Uint32Array(room);
  let count = 0;
  for (const [device, bits] of rows.entries()) {
    if (bits === '') continue;
    const row = schedule.rows[device];
    const [written, stagesOf, microbatchesOf] = [row.kinds, row.stages, row.microbatches].map(unpack);
    const marks = atob(bits);
    if (marks.length !== Math.ceil(written.length / 8)) return undefined;
    for (let position = 0; position < written.length; position += 1) {
      if (((marks.charCodeAt(position >> 3) >> (position & 7)) & 1) === 0) continue;
      kinds[stagesOf[position] * all + microbatchesOf[position]] |= 1 << written[position];
      count += 1;
    }
  }
  return { kinds, microbatches: all, count };
}

export const isWritten = (
  { kinds, microbatches }: WrittenOperations,
  kind: number,
  stage: number,
  microbatch: number,
): boolean => ((kinds[stage * microbatches + microbatch] >> kind) & 1) === 1;
