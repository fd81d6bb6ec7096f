/** What a program for torchtitan says in addition to its settings, and whether these agree. */
import type { WrittenLayers } from '../program/layers.ts';
import type { Keys } from './keys.ts';

/** What a program says in addition to its settings. */
export interface Program {
  /** Name of the model in `std:models`. */
  readonly base: string | undefined;
  /** Transformer layers of each stage. */
  readonly counts: readonly number[];
  readonly layers: WrittenLayers;
  /** The order of its schedule; absent without pipeline ranks. */
  readonly table?: {
    readonly order: string;
    readonly ranks: number;
    readonly stages: number;
    readonly microbatches: number;
  };
}

/** Settings that contradict the table, or that it takes to run stages on several ranks. */
export function checkShape(keys: Keys, { table: shape, counts }: Program): void {
  if (shape === undefined) {
    const path = 'parallelism.pipeline_parallel_degree';
    if ((keys.whole(path) ?? 1) > 1 || counts.length > 1) keys.fault(path, 'The program has no table `SCHEDULE`.');
    return;
  }
  const wanted = [
    ['parallelism.pipeline_parallel_degree', shape.ranks, 'ranks'],
    ['parallelism.num_pp_microbatches', shape.microbatches, 'microbatches'],
  ] as const;
  for (const [path, number, what] of wanted)
    if ((keys.whole(path) ?? 1) !== number)
      keys.fault(path, `This must be ${number}: the table has ${number} ${what}.`);
  if (counts.length !== shape.stages)
    keys.fault(
      'parallelism.pipeline_parallel_degree',
      `The table has ${shape.stages} stages, and \`LAYERS\` has ${counts.length}. Give both the same number.`,
    );
  for (const path of ['schedule', 'layers_per_stage']) keys.word(`parallelism.pipeline_parallel_${path}`);
}
