/** BitPipe (arXiv:2410.19367) against the drawing in the authors' repository, wuhouming/BitPipe, and the order of their code. */
import { describe, expect, it } from 'vitest';
import { unitRun } from './unitRun.ts';

/** 4 devices, 4 microbatches: when each operation starts, in forwards of a stage. Microbatches 0 and 2 run down, 1 and 3 up. */
const drawn = [
  '0F0@0 0F2@2 3F1@3 4F1@4 3F3@5 4F3@6 7F0@7 7B0@8 7F2@10 7B2@12 4B1@14 3B1@16 4B3@18 3B3@20 0B0@22 0B2@26',
  '1F0@1 2F1@2 1F2@3 2F3@4 5F1@5 6F0@6 5F3@7 6F2@8 6B0@10 5B1@12 6B2@14 5B3@16 2B1@18 1B0@20 2B3@22 1B2@24',
  '1F1@1 2F0@2 1F3@3 2F2@4 5F0@5 6F1@6 5F2@7 6F3@8 6B1@10 5B0@12 6B3@14 5B2@16 2B0@18 1B1@20 2B2@22 1B3@24',
  '0F1@0 0F3@2 3F0@3 4F0@4 3F2@5 4F2@6 7F1@7 7B1@8 7F3@10 7B3@12 4B0@14 3B0@16 4B2@18 3B2@20 0B1@22 0B3@26',
];

const bitpipe = (devices: number, microbatches: number) =>
  unitRun('schedules/bitpipe.pipe', { devices, microbatches, stages: 2 * devices, use: 'bitpipe' });

it('is the drawing of one unit: the same order, and no operation is later', () => {
  const { order, starts, iteration } = bitpipe(4, 4);
  const published = drawn.map((row) => row.split(' ').map((text) => text.split('@')));
  expect(order).toEqual(published.map((row) => row.map(([name]) => name)));
  // The drawing delays the second microbatch of each direction on its first device, without need.
  const early = published.flatMap((row, device) =>
    row.flatMap(([name, start]) => {
      const found = starts[device].get(name);
      return found === Number(start) ? [] : [`${name} at ${found}, drawn at ${start}`];
    }),
  );
  expect(early).toEqual([
    '0F2 at 1, drawn at 2',
    '7B2 at 11, drawn at 12',
    '0F3 at 1, drawn at 2',
    '7B3 at 11, drawn at 12',
  ]);
  expect(iteration).toBe(28);
});

interface Piece {
  /** 0 before the turn of the V, 1 behind it. */
  readonly half: number;
  readonly up: boolean;
  /** Number in its unit and direction. */
  readonly index: number;
}

/**
 * The order of a unit in the authors' code. A device in the upper half of the devices leads with microbatches that run up, the others
 * with those that run down; the further it is from the middle, the more of them run before both directions take turns.
 */
function unitOf(devices: number, device: number, letter: 'F' | 'B'): readonly Piece[] {
  const half = devices / 2;
  const upper = device >= half;
  const alone = upper ? device - half + 1 : half - device;
  const pieces: Piece[] = [];
  const add = (which: number, up: boolean, index: number) => pieces.push({ half: which, up, index });
  // Backwards come back along the same V.
  const [near, far] = letter === 'F' ? [0, 1] : [1, 0];
  const own = upper;
  for (let i = 0; i < alone; i += 1) add(near, own, i);
  for (let i = 0; i < half - alone; i += 1) {
    add(near, !own, i);
    add(near, own, i + alone);
  }
  for (let i = 0; i < alone; i += 1) {
    add(near, !own, i + half - alone);
    add(far, !own, i);
  }
  for (let i = 0; i < half - alone; i += 1) {
    add(far, own, i);
    add(far, !own, i + alone);
  }
  for (let i = 0; i < alone; i += 1) add(far, own, i + half - alone);
  return pieces;
}

/** All operations of a device: a warm-up, forwards and backwards in turn, and between units backwards and the next warm-up. */
function ofCode(devices: number, microbatches: number, device: number): readonly string[] {
  const units = microbatches / devices;
  const name = (letter: 'F' | 'B') =>
    Array.from({ length: units }, (_, unit) =>
      unitOf(devices, device, letter).map(({ half, up, index }) => {
        const along = up ? devices - 1 - device : device;
        const stage = half === 0 ? along : 2 * devices - 1 - along;
        return `${stage}${letter}${2 * (unit * (devices / 2) + index) + (up ? 1 : 0)}`;
      }),
    ).flat();
  const [forwards, backwards] = [name('F'), name('B')];
  const warm = devices + devices / 2 + Math.min(device, devices - 1 - device);
  const rest = 2 * devices - warm;
  const row = forwards.splice(0, warm);
  const inTurn = (count: number) => {
    for (let pair = 0; pair < count; pair += 1) row.push(...forwards.splice(0, 1), ...backwards.splice(0, 1));
  };
  for (let unit = 1; unit < units; unit += 1) {
    inTurn(rest);
    row.push(...backwards.splice(0, warm - rest + 1));
    inTurn(rest - 1);
    row.push(...forwards.splice(0, warm - rest + 1));
  }
  inTurn(rest);
  return [...row, ...backwards];
}

describe.each([2, 4, 6, 8])('%i devices', (devices) => {
  it.each([1, 2, 3])('has the order of the code for %i units', (units) => {
    const { order, iteration } = bitpipe(devices, units * devices);
    order.forEach((row, device) => expect(row).toEqual(ofCode(devices, units * devices, device)));
    // 6 m forwards of a stage, and p − 2 for the fill and for each unit.
    expect(iteration).toBe(6 * units * devices + (devices - 2) * (units + 1));
  });
});

it.each([
  [8, 53],
  [12, 78],
])('ends %i microbatches after %i forwards if gaps are filled, as the drawing of two units', (microbatches, end) => {
  const shape = { devices: 4, microbatches, stages: 8, use: 'bitpipe' };
  expect(unitRun('schedules/bitpipe.pipe', { ...shape, more: 'fill = true' }).iteration).toBe(end);
});
