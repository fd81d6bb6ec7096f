import { count } from '../../basics/quantities.ts';
import { loop, wave } from '../../policies/placement.ts';
import type { TorchSchedule } from './faults.ts';
import { laidOut } from '../toPipe.ts';
import { type Slot, writtenRuns } from './runs.ts';
import { type TorchTable, computing } from './table.ts';

/**
 * A `.pipe` file that runs the operations of a table in its order. It has one layer per stage, measured at 1 ms for each of F, I
 * and W (2 ms for B); the user replaces these times. Transfers follow from the order and are not written. `table` must have
 * passed `checkTable`.
 */
export function pipeOfTable(table: TorchTable, { shape }: TorchSchedule): string {
  const { stages, microbatches } = shape;
  const ranks = table.rows.length;
  const what = [
    count(ranks, 'rank', 'ranks'),
    count(stages, 'stage', 'stages'),
    count(microbatches, 'microbatch', 'microbatches'),
  ];
  const text = `/// The order of a PyTorch pipelining schedule: ${what.join(', ')}.
/// The table has no times and no sizes: replace them with the values of your layers.
model imported {
  layer stage[${stages}] { forward = 1ms  backward_input = 1ms  backward_weight = 1ms }
}

/// The table names ranks only: put your devices and links here.
device accelerator { memory = 80GiB }

cluster ranks {
  gpu[${ranks}] = accelerator
  link = 100GB/s
}

${orderText(table, shape)}

pipeline imported_pipeline {
  model = imported
  devices = ranks
  microbatches = ${microbatches}
  stages = balance(${stages})
  schedule = imported_order
}
`;
  return laidOut(text);
}

/** The schedule `imported_order`: where stages are, and the row of each device. */
export function orderText(table: TorchTable, { stages, placement }: TorchSchedule['shape']): string {
  const ranks = table.rows.length;
  const rows = table.rows.map((row, rank) => {
    const slots = row.map(computing).filter((slot): slot is Slot => slot.length > 0);
    return `  row(${rank}) = ${writtenRuns(slots, stages !== ranks).join(', ')}`;
  });
  return `schedule imported_order {
  placement = ${placementText(placement, ranks)}
${rows.join('\n')}
}`;
}

/** The rule that places stages so, or the lists of each rank. */
export function placementText(placement: Int32Array, ranks: number): string {
  const stages = placement.length;
  const same = (other: Int32Array): boolean => placement.every((rank, stage) => rank === other[stage]);
  const chunks = stages / ranks;
  if (chunks === 1 && same(loop(stages, ranks))) return 'linear';
  if (Number.isInteger(chunks) && same(loop(stages, ranks))) return `loop(${chunks})`;
  if (chunks === 2 && same(wave(stages, ranks))) return 'v_shape';
  if (chunks % 2 === 0 && same(wave(stages, ranks))) return `wave(${chunks / 2})`;
  const lists = Array.from({ length: ranks }, (): number[] => []);
  for (const [stage, rank] of placement.entries()) lists[rank].push(stage);
  return `[${lists.map((list) => `[${list.join(', ')}]`).join(', ')}]`;
}
