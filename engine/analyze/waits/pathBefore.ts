/** Without a barrier a critical path does not begin at its first operation: the iteration before decides when that starts. */
import type { Timeline } from '../../values/timeline.ts';
import { heldBack, iterationBefore } from './iterationBefore.ts';

/** What the first operation of a path waits for: gradients of a layer, or the end of all operations of its device. */
export interface PathBefore {
  readonly layer?: string;
}

/** Undefined with a barrier, without lanes, and if periods do not repeat. O(operations). */
export function pathBefore(timeline: Timeline, path: Int32Array): PathBefore | undefined {
  const before = path.length === 0 ? undefined : iterationBefore(timeline);
  const held = before === undefined ? undefined : heldBack(before, timeline, path[0]);
  if (held?.kind === 'tensor') return { layer: timeline.exchange?.lanes[held.lane].plan.tensors[held.tensor].layer };
  return held?.kind === 'free' ? {} : undefined;
}
