/** Mario (PPoPP 2025): R in bubbles. The bounds are of every order that recomputes in all stages but the last, for F = R and B = 2 F. */
import { describe, expect, it } from 'vitest';
import { only, unitRun } from './unitRun.ts';

const mario = (devices: number, microbatches: number) =>
  unitRun('schedules/mario.pipe', { devices, microbatches, use: 'mario', recompute: true });

/** A device starts after the forwards before it, is busy, and the backwards of the devices before it follow its last one. */
const bound = (devices: number, microbatches: number): number =>
  Math.max(
    ...Array.from({ length: devices }, (_, device) => {
      const each = device === devices - 1 ? 3 : 4;
      return device + each * microbatches + 2 * device;
    }),
  );

describe.each([2, 3, 4, 6])('%i devices', (devices) => {
  it.each([1, 2, 3, 5, 8, 16])('%i microbatches end at the bound of all orders', (microbatches) => {
    expect(mario(devices, microbatches).iteration).toBe(bound(devices, microbatches));
  });

  it('recomputes before the gradient arrives, without waiting, until the device is busy', () => {
    const { starts } = mario(devices, 4 * devices);
    for (let device = 0; device < devices - 1; device += 1) {
      const arrives = (starts[device + 1].get(`${device + 1}B0`) ?? NaN) + 2;
      const recomputed = (starts[device].get(`${device}R0`) ?? NaN) + 1;
      expect(recomputed).toBe(arrives);
      expect(starts[device].get(`${device}B0`)).toBe(arrives);
      // The forwards before it fill the bubble.
      expect(recomputed - device).toBe(3 * (devices - 1 - device) + 1);
    }
  });

  it('recomputes nothing on the last stage', () => {
    const { order, run } = mario(devices, 6);
    expect(order.map((row) => only(row, 'R').length)).toEqual([...Array<number>(devices - 1).fill(6), 0]);
    // Its backwards take 2: they recompute nothing either.
    expect(run.report.devices[devices - 1].busy).toBeCloseTo(6 * 3e-3, 9);
  });
});

describe.each([
  ['mario_x', 'chimera', 4],
  ['mario_w', 'interleaved_1f1b', 8],
])('%s', (use, original, stages) => {
  it.each([4, 8, 12])(
    'moves R only: the rest is the order of the built-in, and %i microbatches end earlier',
    (microbatches) => {
      const shape = { devices: 4, microbatches, stages };
      const moved = unitRun('schedules/mario.pipe', { ...shape, use, recompute: true });
      const inside = unitRun('schedules/mario.pipe', { ...shape, use, builtIn: original, recompute: true });
      expect(moved.order.map((row) => row.filter((name) => !name.includes('R')))).toEqual(inside.order);
      expect(moved.iteration).toBeLessThan(inside.iteration);
    },
  );
});
