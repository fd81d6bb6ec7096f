import type { Columns } from './columns.ts';

/**
 * Blocks of `columns` that run at another place than in `before`: as few as possible for which all others of their device keep
 * their order. Operations that the device does not have in `before` are among them. Ascending. O(n log n).
 */
export function movedBlocks(columns: Columns, before: Columns): Int32Array {
  const moved: number[] = [];
  for (let row = 0; row < columns.rows; row += 1) {
    const places = placesIn(before, row);
    const blocks: number[] = [];
    const rising: number[] = [];
    for (let block = columns.offsets[row]; block < columns.offsets[row + 1]; block += 1) {
      if (columns.word[block] < 0) continue;
      const place = places.get(nameOf(columns, block));
      if (place === undefined) moved.push(block);
      else {
        blocks.push(block);
        rising.push(place);
      }
    }
    const kept = longestRising(rising);
    for (const [index, block] of blocks.entries()) if (kept[index] === 0) moved.push(block);
  }
  return Int32Array.from(moved).sort();
}

/** Operations may be numbered with another shift. */
const nameOf = ({ word, shift }: Columns, block: number): string =>
  `${word[block] >> shift} ${word[block] & ((1 << shift) - 1)}`;

function placesIn(columns: Columns, row: number): Map<string, number> {
  const places = new Map<string, number>();
  if (row >= columns.rows) return places;
  for (let block = columns.offsets[row]; block < columns.offsets[row + 1]; block += 1)
    if (columns.word[block] >= 0) places.set(nameOf(columns, block), block);
  return places;
}

/** 1 for each number of one of the longest rising sequences. */
function longestRising(numbers: readonly number[]): Uint8Array {
  /** Index of the least last number of a sequence of each length. */
  const ends: number[] = [];
  const before = new Int32Array(numbers.length).fill(-1);
  for (const [index, number] of numbers.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]] < number) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[index] = ends[low - 1];
    ends[low] = index;
  }
  const kept = new Uint8Array(numbers.length);
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at]) kept[at] = 1;
  return kept;
}
