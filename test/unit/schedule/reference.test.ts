import { describe, expect, it } from 'vitest';
import { simulated } from './bruteForce.ts';
import { policyPlan } from './plans.ts';

/** Published figures for p = 4, m = 8, F = I = W = 1, B = 2: makespan, idle a device, span bubble, in flight, makespan with c = 0.5. */
const table = [
  { name: 'gpipe', makespan: 33, idle: 9, span: 9, inFlight: [8, 8, 8, 8], late: 36 },
  { name: '1f1b', makespan: 33, idle: 9, span: 9, inFlight: [4, 3, 2, 1], late: 41 },
  { name: 'eager_1f1b', makespan: 33, idle: 9, span: 9, inFlight: [7, 5, 3, 1], late: 36 },
  { name: 'interleaved_1f1b', makespan: 28.5, idle: 4.5, span: 4.5, inFlight: [11, 9, 7, 5], late: 32, v: 2 },
  { name: 'zb_h1', makespan: 27, idle: 3, span: 3, inFlight: [4, 4, 4, 4], late: 33 },
  { name: 'zb_h2', makespan: 27, idle: 3, span: 0, inFlight: [7, 7, 7, 7], late: 28.5 },
];

describe('four devices, eight microbatches', () => {
  for (const { name, makespan, idle, span, inFlight, late, v = 1 } of table) {
    // A device's work is split among its chunks, so operations and transfers are half as long with two.
    const times = { f: 1 / v, i: 1 / v, w: 1 / v, v };
    it(`${name} has the published figures`, () => {
      const run = simulated(policyPlan(name, 4, 8, times));
      expect(run.makespan).toBe(makespan);
      expect(run.idle).toEqual([idle, idle, idle, idle]);
      expect(run.spanBubble).toBe(span);
      expect(run.inFlight).toEqual(inFlight);
    });
    it(`${name} has the published makespan with transfers`, () => {
      expect(simulated(policyPlan(name, 4, 8, { ...times, transfer: 0.5 / v })).makespan).toBe(late);
    });
  }
});
