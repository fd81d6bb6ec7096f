/** What the policies made of V building blocks share. */
import { wave } from '../placement.ts';
import type { OperationSink, Policy, Shape } from '../policy.ts';
import { type Block, F0, F1, I0, I1, peak, type Row, splitBackward, W1, wholeBackward } from './vBlocks.ts';
import { vRows } from './vRows.ts';

export interface VDefinition {
  readonly name: string;
  readonly summary: string;
  /** Backward in two operations (I and W) or one (B). */
  readonly split: boolean;
  /** Of the activations of 1F1B's first device, for many devices. */
  readonly share: string;
  block(device: number, devices: number): Block;
}

export function vPolicy({ name, summary, split, share, block }: VDefinition): Policy {
  const taken = split ? splitBackward : wholeBackward;
  const rowsOf = vRows(taken, block);
  return {
    name,
    summary,
    page: 'v_schedules',
    parameters: [],
    split,
    searches: true,
    chunks: () => 2,
    placement: (shape) => wave(shape.stages, shape.devices),
    check: () => [],
    order: (shape, device, out) => emit(rowsOf(shape)[device], shape, device, split, out),
    explain(shape) {
      const held = peak(rowsOf(shape), shape.microbatches, taken);
      const [f0, f1, i1, i0] = block(0, shape.devices);
      return [
        'chunks: device i holds stages i and 2p − 1 − i',
        `building block, every 6 operations of a chunk. On the first device F at ${f0} and ${f1}, ${split ? 'I' : 'B'} at ${i1} and ${i0}${split ? ', each W in the first free slot after its I' : ''}. Then operations move forward if a device would idle`,
        `in flight${split ? ' until W' : ''}: at most ${held / 2} microbatches; 1F1B’s first device holds ${Math.min(shape.microbatches, shape.devices)} (${share} of that for many devices)`,
        `the block is optimised for ${split ? 'F = I = W' : 'B = 2F'}; its gaps are filled for the times of your stages and their transfers`,
      ];
    },
  };
}

function emit(row: Row, { stages, microbatches }: Shape, device: number, split: boolean, out: OperationSink): void {
  for (const operation of row) {
    const kind = Math.trunc(operation / microbatches);
    const microbatch = operation - kind * microbatches;
    const stage = kind === F0 || kind === I0 || kind > W1 ? device : stages - 1 - device;
    if (kind === F0 || kind === F1) out.forward(stage, microbatch);
    else if (!split) out.backward(stage, microbatch);
    else if (kind === I1 || kind === I0) out.backwardInput(stage, microbatch);
    else out.backwardWeight(stage, microbatch);
  }
}
