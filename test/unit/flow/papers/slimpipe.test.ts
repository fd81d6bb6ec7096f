/** SlimPipe (arXiv:2504.14519): slices in flight decide whether a device runs a forward or a backward. */
import { describe, expect, it } from 'vitest';
import { unitRun } from './unitRun.ts';

interface Shape {
  readonly devices: number;
  readonly microbatches: number;
  readonly slices: number;
  readonly chunks: number;
}

/** As many slices as devices at a time, through all chunks: `stage F microbatch.slice`. */
function passes({ devices, microbatches, slices, chunks }: Shape, device: number, letter: 'F' | 'B'): string[] {
  const found: string[] = [];
  for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
    for (let first = 0; first < slices; first += devices) {
      for (let chunk = 0; chunk < chunks; chunk += 1) {
        for (let slice = first; slice < first + devices; slice += 1) {
          // Backwards are the mirror image within a sequence.
          const [at, piece] = letter === 'F' ? [chunk, slice] : [chunks - 1 - chunk, slices - 1 - slice];
          found.push(`${at * devices + device}${letter}${microbatch}.${piece}`);
        }
      }
    }
  }
  return found;
}

/** Forwards until one sequence and two slices for each device behind are in flight, then a backward. */
function expected(shape: Shape, device: number): readonly string[] {
  const target = shape.slices * shape.chunks + 2 * (shape.devices - 1 - device);
  const [forwards, backwards] = [passes(shape, device, 'F'), passes(shape, device, 'B')];
  const row: string[] = [];
  for (let inFlight = 0; backwards.length > 0;) {
    const forward = inFlight < target ? forwards.shift() : undefined;
    row.push(forward ?? backwards.shift() ?? '');
    inFlight += forward === undefined ? -1 : 1;
  }
  return row;
}

const shapes: readonly Shape[] = [
  { devices: 1, microbatches: 2, slices: 3, chunks: 2 },
  { devices: 2, microbatches: 3, slices: 4, chunks: 1 },
  { devices: 3, microbatches: 1, slices: 6, chunks: 2 },
  { devices: 4, microbatches: 3, slices: 4, chunks: 3 },
  { devices: 4, microbatches: 2, slices: 12, chunks: 1 },
];

describe.each(shapes)('$devices devices, $microbatches sequences, $slices slices, $chunks chunks', (shape) => {
  const { devices, microbatches, slices, chunks } = shape;
  const { order, run, iteration } = unitRun('schedules/slimpipe.pipe', {
    devices,
    microbatches,
    stages: devices * chunks,
    use: `slimpipe(slices = ${slices}, chunks = ${chunks})`,
  });

  it('has the order that follows from the slices in flight', () => {
    order.forEach((row, device) => expect(row).toEqual(expected(shape, device)));
  });

  it('idles for (p − 1)(F + B) of a slice', () => {
    expect(iteration).toBeCloseTo(3 * chunks * microbatches + (3 * (devices - 1)) / slices, 5);
    // The share of idle time: (p − 1) / (n v m + p − 1).
    const share = (devices - 1) / (slices * chunks * microbatches + devices - 1);
    expect(run.report.bubble.makespan).toBeCloseTo(share, 6);
  });

  it('holds (1 + 2 (p − 1) / (n v)) / p of the activations of a sequence on its first device', () => {
    const held = run.report.devices[0].in_flight / (slices * chunks * devices);
    const bound = (1 + (2 * (devices - 1)) / (slices * chunks)) / devices;
    expect(held).toBeCloseTo(Math.min(bound, microbatches / devices), 9);
  });
});
