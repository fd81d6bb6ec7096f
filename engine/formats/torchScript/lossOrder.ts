import { type TorchTable, computing } from '../torchCsv/table.ts';

/**
 * `_PipelineScheduleRuntime` appends the losses as the last stage runs its forwards, and reads them by the number of the
 * microbatch (`_maybe_get_loss`, PyTorch 2.13). Other orders would give the backward the loss of another microbatch.
 */
export function lossOrder(table: TorchTable, stages: number): string | undefined {
  let due = 0;
  for (const row of table.rows) {
    for (const { stage, type, microbatch } of row.flatMap(computing)) {
      if (stage !== stages - 1 || type !== 'F') continue;
      if (microbatch !== due)
        return `${stage}F${microbatch} runs where ${stage}F${due} is due: PyTorch takes losses by their number, so the forwards of the last stage must be in the order of the microbatches`;
      due += 1;
    }
  }
  return undefined;
}
