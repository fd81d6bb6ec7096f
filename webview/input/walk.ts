import { deviceOf, microbatchBlocks, microbatchOf } from '../picture/blocks.ts';
import { firstEndingAfter } from '../picture/columns.ts';
import type { Picture } from '../picture/picture.ts';

/** The block that a key leads to from a block; the same block at an end. Pure. */
export function walk(picture: Picture, block: number, key: string, shift: boolean, pageOfRows: number): number {
  const { columns } = picture;
  const { offsets, start, end } = columns;
  const device = deviceOf(picture, block);
  const onRow = (row: number): number => {
    const to = Math.max(0, Math.min(columns.rows - 1, row));
    if (offsets[to + 1] === offsets[to]) return block;
    const middle = (start[block] + end[block]) / 2;
    const after = Math.min(offsets[to + 1] - 1, firstEndingAfter(columns, to, middle));
    const before = Math.max(offsets[to], after - 1);
    const far = (other: number) => Math.max(start[other] - middle, middle - end[other], 0);
    return far(before) < far(after) ? before : after;
  };
  switch (key) {
    case 'ArrowLeft':
      return Math.max(offsets[device], block - 1);
    case 'ArrowRight':
      return Math.min(offsets[device + 1] - 1, block + 1);
    case 'ArrowUp':
      return onRow(device - 1);
    case 'ArrowDown':
      return onRow(device + 1);
    case 'PageUp':
      return onRow(device - pageOfRows);
    case 'PageDown':
      return onRow(device + pageOfRows);
    case 'Home':
      return offsets[device];
    case 'End':
      return offsets[device + 1] - 1;
    case ',':
    case '<':
    case '.':
    case '>': {
      const forward = key === '.' || key === '>';
      const along = shift
        ? Array.from(picture.critical)
        : microbatchOf(picture, block) < 0
          ? []
          : microbatchBlocks(picture, microbatchOf(picture, block));
      const here = along.indexOf(block);
      if (here >= 0) return along[here + (forward ? 1 : -1)] ?? block;
      // Not on the path: the nearest block of it in that direction.
      const later = along.filter((other) => (forward ? start[other] > start[block] : start[other] < start[block]));
      return (forward ? later[0] : later[later.length - 1]) ?? block;
    }
    default:
      return block;
  }
}
