import * as fc from '../../support/property.ts';
import type { OrderProblem } from '../../../engine/search/orderProblem.ts';

/** Small problems: one or two chunks in a loop or a V, uneven stages, transfers, steps, memory from one microbatch on. */
export const smallProblem: fc.Arbitrary<OrderProblem> = fc
  .record({
    devices: fc.integer({ min: 1, max: 3 }),
    microbatches: fc.integer({ min: 1, max: 3 }),
    placement: fc.constantFrom('linear', 'linear', 'loop', 'v'),
    times: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 18, maxLength: 18 }),
    whole: fc.boolean(),
    transfers: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 5, maxLength: 5 }),
    far: fc.boolean(),
    steps: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 3, maxLength: 3 }),
    bytes: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 12, maxLength: 12 }),
    room: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 3, maxLength: 3 }),
    limited: fc.boolean(),
  })
  .map((drawn): OrderProblem => {
    const { devices, placement } = drawn;
    const chunks = placement === 'linear' ? 1 : 2;
    // Two chunks on three devices are left to two microbatches with whole backwards: all orders of more are too many.
    const most = chunks === 2 && devices === 3;
    const microbatches = most ? Math.min(2, drawn.microbatches) : drawn.microbatches;
    const whole = drawn.whole || (most && microbatches > 1);
    const stages = chunks * devices;
    const device = Int32Array.from({ length: stages }, (_, stage) =>
      placement === 'v' && stage >= devices ? 2 * devices - 1 - stage : stage % devices,
    );
    const each = (of: (stage: number) => number): Float64Array => Float64Array.from(device, (_, stage) => of(stage));
    const activation = each((stage) => drawn.bytes[stage]);
    const least = new Float64Array(devices);
    device.forEach((on, stage) => {
      // So that some order fits: one microbatch through all stages of a device.
      least[on] += Math.max(activation[stage], drawn.bytes[6 + stage]);
    });
    return {
      ...{ devices, microbatches, device, activation },
      forward: each((stage) => drawn.times[3 * stage]),
      input: each((stage) => drawn.times[3 * stage + 1]),
      weight: each((stage) => (whole ? 0 : drawn.times[3 * stage + 2])),
      transfer: Float64Array.from({ length: stages - 1 }, (_, stage) =>
        drawn.far && device[stage] !== device[stage + 1] ? drawn.transfers[stage] : 0,
      ),
      step: Float64Array.from({ length: devices }, (_, on) => drawn.steps[on]),
      forWeight: each((stage) => drawn.bytes[6 + stage]),
      limit: Float64Array.from(least, (bytes, on) => (drawn.limited ? bytes + drawn.room[on] : Infinity)),
    };
  });

/** Stages on two or three devices that have room for few microbatches, so that microbatches wait for each other. */
export const shortMemory = (devices: number, mostMicrobatches: number): fc.Arbitrary<OrderProblem> =>
  fc
    .record({
      microbatches: fc.integer({ min: 3, max: mostMicrobatches }),
      times: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 9, maxLength: 9 }),
      whole: fc.constantFrom(false, false, true),
      transfers: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 2, maxLength: 2 }),
      steps: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 3, maxLength: 3 }),
      bytes: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 3, maxLength: 3 }),
      forWeight: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 3, maxLength: 3 }),
      room: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 3, maxLength: 3 }),
    })
    .map(({ microbatches, times, whole, transfers, steps, bytes, forWeight, room }): OrderProblem => {
      const each = (of: (stage: number) => number): Float64Array =>
        Float64Array.from({ length: devices }, (_, stage) => of(stage));
      return {
        ...{ devices, microbatches, device: Int32Array.from({ length: devices }, (_, stage) => stage) },
        forward: each((stage) => times[3 * stage]),
        input: each((stage) => times[3 * stage + 1]),
        weight: each((stage) => (whole ? 0 : times[3 * stage + 2])),
        transfer: Float64Array.from(transfers.slice(0, devices - 1)),
        step: each((stage) => steps[stage]),
        activation: each((stage) => bytes[stage]),
        forWeight: each((stage) => forWeight[stage]),
        limit: each((stage) => Math.max(bytes[stage], forWeight[stage]) + room[stage]),
      };
    });
