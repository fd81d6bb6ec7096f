/** Microbatches, and stages of a device. */
import type { SweepBase } from '../base.ts';
import { takesChunks } from '../scheduleText.ts';
import { type Choice, kept, numbers, small } from './choice.ts';

const sizes = [1, 2, 4];

export function microBatchChoice({ size, batch, asked }: SweepBase): Choice {
  const { model, microBatch } = size;
  if (model.measured > 0)
    return kept('micro_batch', `measured layers have their times for microbatches of ${microBatch}`);
  const values = sizes.filter((value) => asked !== undefined || batch % value === 0);
  const others = sizes.filter((value) => !values.includes(value));
  return numbers('micro_batch', values, microBatch, [
    { what: 'micro_batch over 4', why: small },
    ...(others.length === 0
      ? []
      : [
          {
            what: `micro_batch ${others.join(', ')}`,
            why: `${batch.toLocaleString('en-US')} samples do not divide into microbatches of that size`,
          },
        ]),
  ]);
}

const counts = [2, 3, 4, 5, 6, 7, 8];
/** On fewer ranks there is little to fill. */
const leastRanks = 4;

/** Chunks that divide the layers, or the layers of the longest array, on some number of pipeline ranks. */
export function chunksChoice(
  { size: { model }, schedule }: SweepBase,
  schedules: readonly string[],
  pipeline: readonly number[],
): Choice | undefined {
  if (!schedules.some(takesChunks)) return undefined;
  const deep = pipeline.filter((ranks) => ranks >= leastRanks);
  const tried = deep.length > 0 ? deep : pipeline.filter((ranks) => ranks > 1);
  const possible = counts.filter((chunks) => tried.some((ranks) => chunks * ranks <= model.layers));
  const even = possible.filter((chunks) =>
    tried.some((ranks) => [model.layers, model.blocks].some((layers) => layers % (chunks * ranks) === 0)),
  );
  const values = even.length > 0 ? even : possible.slice(0, 1);
  const own = /\bchunks\s*=\s*(\d+)/u.exec(schedule)?.[1];
  if (values.length === 0 && own === undefined) return undefined;
  const others = possible.filter((chunks) => !values.includes(chunks) && String(chunks) !== own);
  return numbers('chunks', values, own === undefined ? values[0] : Number(own), [
    ...(others.length === 0
      ? []
      : [
          {
            what: `chunks ${others.join(', ')}`,
            why: `neither the ${model.layers} layers nor the ${model.blocks} of the longest array divide into that many equal stages on ${deep.length > 0 ? `${leastRanks} or more ranks` : 'these ranks'}`,
          },
        ]),
    { what: 'chunks over 8', why: small },
  ]);
}
