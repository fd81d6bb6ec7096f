/** Nodes of a graph file that need each other. */
import { LineIndex } from '../../grammar/lines.ts';
import { circleNames } from '../basics/ordering.ts';
import type { TextFault } from './fault.ts';

/** Names the lines of the nodes, in the direction of the data. `places` has at least one, and each node needs the next. */
export function cycleFault(
  text: string,
  places: readonly { readonly start: number; readonly end: number }[],
): TextFault {
  const lines = new LineIndex(text);
  const [first, ...others] = places;
  const numbers = [first, ...others.toReversed()].map((place) => String(lines.positionAt(place.start).line + 1));
  const { start, end } = first;
  return { start, end, message: `Nodes depend on each other in a cycle: lines ${circleNames(numbers).join(' → ')}.` };
}
