import type { Gap } from './blocks.ts';
import { type Columns, idleUntil } from './columns.ts';
import type { Picture } from './picture.ts';

/** More are not walked through one by one. */
const most = 10_000;
/** Asked for at every key, found once. */
const found = new WeakMap<Columns, readonly Gap[]>();

/** The longest idle times of all devices, longest first; equal ones by time, then by device. O(blocks · log). */
export function bubblesBySize({ columns }: Picture): readonly Gap[] {
  const known = found.get(columns);
  if (known !== undefined) return known;
  const { offsets, start, end, makespan, rows } = columns;
  const least = makespan * 1e-9;
  const gaps: Gap[] = [];
  for (let device = 0; device < rows; device += 1) {
    // What is idle before the first block ends the last gap of the iteration before, which is the same as this one's.
    let from = columns.period === undefined || offsets[device] === offsets[device + 1] ? 0 : start[offsets[device]];
    const until = idleUntil(columns, device);
    for (let block = offsets[device]; block < offsets[device + 1]; block += 1) {
      if (start[block] - from > least) gaps.push({ device, from, to: start[block], before: block });
      from = Math.max(from, end[block]);
    }
    if (until - from > least) gaps.push({ device, from, to: until, before: -1 });
  }
  // Equal but for rounding: the order must not depend on the last bit.
  const length = ({ from, to }: Gap) => Math.round((to - from) / least);
  gaps.sort((a, b) => length(b) - length(a) || a.from - b.from || a.device - b.device);
  const longest = gaps.slice(0, most);
  found.set(columns, longest);
  return longest;
}

/** The next shorter (1) or longer (−1) bubble than `gap`; the longest where there is no gap to start from. */
export function nextBubble(picture: Picture, gap: Gap | undefined, direction: 1 | -1): Gap | undefined {
  const all = bubblesBySize(picture);
  const here = gap === undefined ? -1 : all.findIndex(({ device, to }) => device === gap.device && to === gap.to);
  if (here < 0) return all[0];
  return all[Math.max(0, Math.min(all.length - 1, here + direction))];
}
