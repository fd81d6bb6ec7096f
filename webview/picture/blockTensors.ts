import { stageOf } from './blocks.ts';
import type { Lane } from './lanes.ts';
import { firstForwardOf } from './laneWords.ts';
import type { Picture } from './picture.ts';

/**
 * Which tensors belong to a block: those whose gradients get ready during it, and those that it waits for as the first forward of its
 * stage. The latter were sent in the iteration before. Undefined where the block is no operation of a stage.
 */
export function tensorsOfBlock(
  picture: Picture,
  block: number,
): ((lane: Lane, tensor: number, shift: number) => boolean) | undefined {
  const { columns, lanes } = picture;
  const stage = stageOf(picture, block);
  if (lanes === undefined || stage < 0) return undefined;
  const [start, end] = [columns.start[block], columns.end[block]];
  const noise = 1e-9 * lanes.period;
  const isFirst = lanes.repeats && firstForwardOf(columns, stage) === block;
  return (lane, tensor, shift) => {
    if (lane.tensors[tensor].stage !== stage) return false;
    const ready = lane.ready[tensor];
    return (shift === 0 && ready > start + noise && ready <= end + noise) || (isFirst && shift === -1);
  };
}
