import { answersWithin, listKey } from '../answers.ts';
import type { Shape } from '../policy.ts';
import type { Block, Row, Taken } from './vBlocks.ts';
import { best } from './vSearch.ts';
import { type VTimes, vTimesOf } from './vTimes.ts';

const room = 2 ** 23;
const bytesOf = (rows: readonly Row[]): number => rows.reduce((sum, row) => sum + row.byteLength, 0);

/**
 * The rows of a shape, of all devices; they are asked for device by device. Shapes with the same times have the same rows, which are
 * searched once: quick fixes try a schedule on many versions of a file that differ elsewhere.
 */
export function vRows(
  taken: Taken,
  block: (device: number, devices: number) => Block,
): (shape: Shape) => readonly Row[] {
  const made = new WeakMap<Shape, readonly Row[]>();
  const found = answersWithin(room, bytesOf);
  const search = (shape: Shape): readonly Row[] => {
    const times = vTimesOf(shape, taken);
    const key = keyOf(shape, times);
    const known = found.known(key);
    if (known !== undefined) return known;
    const blocks = Array.from({ length: shape.devices }, (_, device) => block(device, shape.devices));
    const rows = best(blocks, shape.microbatches, times);
    found.keep(key, rows);
    return rows;
  };
  return (shape) => {
    const rows = made.get(shape) ?? search(shape);
    made.set(shape, rows);
    return rows;
  };
}

/** All that the rows depend on: the lengths of the lists tell the devices, and only even times are single ticks. */
const keyOf = ({ microbatches }: Shape, { duration, transfer }: VTimes): string =>
  [microbatches, ...[duration, ...transfer].map(listKey)].join(';');
