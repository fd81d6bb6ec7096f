import { microbatchBlocks, microbatchOf, needsOf, typeOf } from './blocks.ts';
import type { Picture } from './picture.ts';

/** From the block that makes an activation or a gradient to the block that takes it. */
export interface PathLink {
  readonly from: number;
  readonly to: number;
}

/** How a microbatch goes from device to device: activations through the forwards, then gradients through the backwards. */
export interface MicrobatchPath {
  readonly forward: readonly PathLink[];
  /** Begins with the turn: from the last forward to the first backward. */
  readonly backward: readonly PathLink[];
}

type Direction = 'forward' | 'backward';

function directionOf(picture: Picture, block: number): Direction | undefined {
  const type = typeOf(picture, block);
  if (type === 'F') return 'forward';
  return type === 'B' || type === 'I' ? 'backward' : undefined;
}

/** Each list is in the order in which its blocks start. Weight gradients are on no path: nothing goes on from them. */
export function microbatchPath(picture: Picture, microbatch: number): MicrobatchPath {
  const path: Record<Direction, PathLink[]> = { forward: [], backward: [] };
  for (const block of microbatchBlocks(picture, microbatch)) {
    const direction = directionOf(picture, block);
    if (direction === undefined) continue;
    const sources = needsOf(picture, block)
      .map(({ from }) => from)
      .filter((from) => microbatchOf(picture, from) === microbatch);
    const same = sources.filter((from) => directionOf(picture, from) === direction);
    // Every backward needs what its forward kept; only the first one continues the path from there.
    const turned = same.length > 0 ? [] : sources.filter((from) => directionOf(picture, from) === 'forward');
    for (const from of same.length > 0 ? same : turned) path[direction].push({ from, to: block });
  }
  return path;
}
