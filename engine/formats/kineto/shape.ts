/** Stages, microbatches and the rank of each stage, from what ran. */
import { numbered } from '../../basics/quantities.ts';
import { atTop, type RankRun } from './rankRun.ts';
import type { TraceFault } from './read.ts';
import type { Operation } from './operation.ts';

export interface Shape {
  readonly stages: number;
  readonly microbatches: number;
  /** Index of the rank in the pipeline, by stage. */
  readonly placement: Int32Array;
}

export function shapeOf(runs: readonly RankRun[]): Shape | { readonly faults: readonly TraceFault[] } {
  const rankOf = new Map<number, number>();
  let microbatches = 0;
  for (const [index, run] of runs.entries()) {
    for (const operation of allOf(run)) {
      microbatches = Math.max(microbatches, operation.microbatch + 1);
      const other = rankOf.get(operation.stage) ?? index;
      if (other !== index)
        return {
          faults: [
            { file: run.file, ...operation.place, message: twice(operation.stage, runs[other], run), ambiguous: true },
          ],
        };
      rankOf.set(operation.stage, index);
    }
  }
  const stages = Math.max(...rankOf.keys()) + 1;
  const without: number[] = [];
  for (let stage = 0; stage < stages && without.length < 8; stage += 1) if (!rankOf.has(stage)) without.push(stage);
  if (without.length > 0)
    return {
      faults: [
        atTop(
          runs[0],
          `No trace has ${numbered(without, 'stage', 'stages')}, but stage ${stages - 1} ran. Name the files of all ranks of the pipeline.`,
        ),
      ],
    };
  return { stages, microbatches, placement: Int32Array.from({ length: stages }, (_, stage) => rankOf.get(stage) ?? 0) };
}

function* allOf({ steps }: RankRun): Generator<Operation> {
  for (const { operations } of steps) yield* operations;
}

const twice = (stage: number, other: RankRun, run: RankRun): string =>
  `Stage ${stage} ran on rank ${other.rank} and on rank ${run.rank}. With data, tensor or context parallelism each of them is in another pipeline, and these traces do not say which ranks form one (a process group "mesh_pp"). Name the ranks of one pipeline: --ranks ${other.rank},…`;
