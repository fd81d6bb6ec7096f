import { expect, it } from 'vitest';
import { memoryTrack } from '../../../engine/simulate/memory.ts';
import { memoryStack } from '../../../engine/simulate/memoryStack.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { placedStack } from '../../../webview/picture/placedStack.ts';
import { analyseExample } from '../../support/analyse.ts';
import * as fc from '../../support/property.ts';
import { runnable } from '../support/cases.ts';

it('puts no two pieces in one place, and none above the peak', () => {
  let places = 0;
  fc.assert(
    fc.property(
      runnable,
      fc.record({ recomputed: fc.nat(3), workspace: fc.nat(2) }),
      ({ plan: bare, program }, sizes) => {
        const plan = {
          ...bare,
          stages: bare.stages.map((stage) => ({ ...stage, activation: 4, activationForWeight: 4, ...sizes })),
        };
        const timeline = simulate(program, timingOf(plan, program));
        if (timeline === undefined) throw new Error('deadlock');
        for (let device = 0; device < program.devices; device += 1) {
          const stack = memoryStack(plan, timeline, device);
          const { bytes } = memoryTrack(plan, timeline, device);
          const peak = bytes.reduce((most, level) => Math.max(most, level), 0);
          const { base, offset } = placedStack(stack, peak);
          if (offset === undefined) continue;
          for (let piece = 0; piece < offset.length; piece += 1) {
            places += 1;
            expect(base + offset[piece] + stack.bytes[piece]).toBeLessThanOrEqual(peak);
            for (let other = 0; other < piece; other += 1) {
              if (Math.min(stack.to[piece], stack.to[other]) <= Math.max(stack.from[piece], stack.from[other]))
                continue;
              expect(
                offset[piece] >= offset[other] + stack.bytes[other] ||
                  offset[other] >= offset[piece] + stack.bytes[piece],
              ).toBe(true);
            }
          }
        }
      },
    ),
    { numRuns: 100 },
  );
  expect(places).toBeGreaterThan(0);
});

it('gives the next microbatch the place of the one that is freed, as in 1F1B', () => {
  const [{ plan, run }] = analyseExample('quickstart.pipe').pipelines;
  if (run === undefined) throw new Error('no run');
  const stack = memoryStack(plan, run.timeline, 0);
  const { offset } = placedStack(stack, run.report.devices[0].peak);
  const GiB = 2 ** 30;
  expect(Array.from(stack.microbatch, (microbatch, piece) => [microbatch, (offset?.[piece] ?? NaN) / GiB])).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 0],
    [5, 1],
    [6, 2],
    [7, 3],
  ]);
});

it('has no fixed places where unequal pieces would leave holes', () => {
  const stack = {
    device: 0,
    statics: { weights: 0, gradients: 0, optimizer: 0, buffers: 0 },
    from: Float64Array.of(0, 1, 3),
    to: Float64Array.of(2, 4, 5),
    bytes: Float64Array.of(1, 1, 2),
    kind: Uint8Array.of(1, 1, 1),
    stage: Int32Array.of(0, 0, 0),
    microbatch: Int32Array.of(0, 1, 2),
  };
  // Microbatch 2 fits neither under nor beside microbatch 1 within the peak of 3 bytes.
  expect(placedStack(stack, 3).offset).toBeUndefined();
  expect(placedStack({ ...stack }, 4).offset).toEqual(Float64Array.of(0, 1, 2));
});
