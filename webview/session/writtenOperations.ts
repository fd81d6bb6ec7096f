import type { PipelinePlan } from '../../engine/plan.ts';
import type { WrittenBlocks } from '../protocol/requests.ts';

/** Operations that the text at the editor's cursor writes. */
export interface WrittenOperations {
  /** For each stage and microbatch a bit for each kind. */
  readonly kinds: Uint8Array;
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
  const kinds = new Uint8Array(stages.length * all);
  let count = 0;
  for (const [device, bits] of rows.entries()) {
    if (bits === '') continue;
    const row = schedule.rows[device];
    const marks = atob(bits);
    if (marks.length !== Math.ceil(row.kinds.length / 8)) return undefined;
    for (let position = 0; position < row.kinds.length; position += 1) {
      if (((marks.charCodeAt(position >> 3) >> (position & 7)) & 1) === 0) continue;
      kinds[row.stages[position] * all + row.microbatches[position]] |= 1 << row.kinds[position];
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
