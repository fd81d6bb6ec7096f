import * as fc from '../../../support/property.ts';
import { expect, it } from 'vitest';
import { F, I, type Program, W, shiftFor } from '../../../../engine/values/program.ts';
import { shapeOf } from '../../../../engine/policies/shape.ts';
import { forwardKind, inputKind, problemOf, weightKind } from '../../../../engine/policies/zbAuto/problem.ts';
import { makespanOf, peaksOf, scratchFor } from '../../../../engine/policies/zbAuto/timing.ts';
import { memoryPeak } from '../../../../engine/simulate/memory.ts';
import { simulate } from '../../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../../engine/simulate/timing.ts';
import { pipelines } from './pipelines.ts';

it('the timing of the search is that of the simulator, whatever the order, and so is what each device holds', () => {
  let ended = 0;
  let stuck = 0;
  fc.assert(
    fc.property(pipelines({ devices: 4, microbatches: 5 }), fc.infiniteStream(fc.nat(2)), (plan, choices) => {
      const { microbatches: m } = plan;
      const p = plan.devices.length;
      const shift = shiftFor(m);
      const words = new Uint8Array(3 * p * m);
      const order = new Int32Array(3 * p * m);
      for (let device = 0; device < p; device += 1) {
        const done = [0, 0, 0];
        for (let at = 0; at < 3 * m; at += 1) {
          let kind = Number(choices.next().value);
          const can = [done[0] < m, done[1] < done[0], done[2] < done[1]];
          while (!can[kind]) kind = (kind + 1) % 3;
          words[device * 3 * m + at] = [forwardKind, inputKind, weightKind][kind];
          order[device * 3 * m + at] = (([F, I, W][kind] * p + device) << shift) | done[kind];
          done[kind] += 1;
        }
      }
      const program: Program = {
        devices: p,
        stages: p,
        microbatches: m,
        split: true,
        placement: Int32Array.from({ length: p }, (_, stage) => stage),
        order,
        offsets: Int32Array.from({ length: p + 1 }, (_, device) => device * 3 * m),
        shift,
      };
      const problem = problemOf(shapeOf(plan), false);
      const ticks = makespanOf(problem, words, scratchFor(problem));
      const timeline = simulate(program, timingOf(plan, program));
      if (timeline === undefined) {
        stuck += 1;
        expect(ticks).toBe(Infinity);
        return;
      }
      ended += 1;
      expect(ticks * problem.tick).toBeCloseTo(timeline.makespan, 9);
      const peaks = new Float64Array(p);
      peaksOf(problem, words, peaks);
      for (let device = 0; device < p; device += 1) {
        const { activation, activationForWeight } = plan.stages[device];
        // The simulator samples while operations run; the search also right after an I that leaves more than it found.
        const { activations } = memoryPeak(plan, timeline, device);
        if (activationForWeight <= activation) expect(peaks[device]).toBe(activations);
        else expect(peaks[device]).toBeGreaterThanOrEqual(activations);
      }
    }),
    { numRuns: 500 },
  );
  expect(Math.min(ended, stuck)).toBeGreaterThan(20);
});
