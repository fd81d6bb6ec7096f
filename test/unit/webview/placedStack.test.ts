import { expect, it } from 'vitest';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { memoryTrack } from '../../../engine/simulate/memory.ts';
import { memoryStack } from '../../../engine/simulate/memoryStack.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import type { Timeline } from '../../../engine/values/timeline.ts';
import { placedStack } from '../../../webview/picture/placedStack.ts';
import { analyseExample } from '../../support/analyse.ts';
import * as fc from '../../support/property.ts';
import { runnable } from '../support/cases.ts';

/** At every moment pieces lie on each other without holes, and the uppermost ends at the level of the device. Returns the moments. */
function checkPlaces(plan: PipelinePlan, timeline: Timeline, device: number): number {
  const stack = memoryStack(plan, timeline, device);
  const track = memoryTrack(plan, timeline, device);
  const { base, places } = placedStack(stack);
  if (places === undefined) throw new Error('too many pieces');
  let moments = 0;
  for (const [step, from] of track.at.entries()) {
    const to = track.at.at(step + 1) ?? timeline.makespan;
    if (to - from <= timeline.makespan * 1e-11) continue;
    for (const part of [0.02, 0.381966, 0.98]) {
      const moment = from + (to - from) * part;
      const there = Array.from(places.piece.keys()).filter(
        (stretch) => places.from[stretch] <= moment && moment < places.to[stretch],
      );
      const pieces = there.map((stretch) => places.piece[stretch]).sort((a, b) => a - b);
      expect(pieces).toEqual(
        Array.from(stack.from.keys()).filter((piece) => stack.from[piece] <= moment && moment < stack.to[piece]),
      );
      let upper = base;
      for (const stretch of there.sort((a, b) => places.offset[a] - places.offset[b])) {
        expect(Math.abs(base + places.offset[stretch] - upper)).toBeLessThan(0.5);
        upper += stack.bytes[places.piece[stretch]];
      }
      expect(Math.abs(upper - track.bytes[step])).toBeLessThan(0.5);
      moments += 1;
    }
  }
  return moments;
}

it('stacks pieces up to the level of the device at every moment, in any order of operations', () => {
  let moments = 0;
  fc.assert(
    fc.property(
      runnable,
      fc.record({ recomputed: fc.nat(3), workspace: fc.nat(2), activationForWeight: fc.nat(4) }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
      ({ plan: bare, program }, sizes, activations) => {
        const stages = bare.stages.map((stage, index) => ({
          ...stage,
          ...sizes,
          activation: activations[index % activations.length],
        }));
        const plan = { ...bare, stages };
        const timeline = simulate(program, timingOf(plan, program));
        if (timeline === undefined) throw new Error('deadlock');
        for (let device = 0; device < program.devices; device += 1) moments += checkPlaces(plan, timeline, device);
      },
    ),
    { numRuns: 40 },
  );
  expect(moments).toBeGreaterThan(0);
});

it.each([
  'quickstart',
  'systems/bpipe',
  'systems/recompute_ahead',
  'systems/pipedream',
  'systems/zero_bubble',
  'systems/chimera',
])('stacks the pieces of %s up to the level of each device', (name) => {
  for (const { plan, run } of analyseExample(`${name}.pipe`).pipelines) {
    if (run === undefined) continue;
    for (const device of plan.devices.keys()) expect(checkPlaces(plan, run.timeline, device)).toBeGreaterThan(0);
  }
});

/** Microbatch, start, end and lower edge of each stretch, for sizes and times that are given. */
function stretchesOf(bytes: readonly number[], from: readonly number[], to: readonly number[]) {
  const stack = {
    device: 0,
    statics: { weights: 0, gradients: 0, optimizer: 0, buffers: 0 },
    from: Float64Array.from(from),
    to: Float64Array.from(to),
    bytes: Float64Array.from(bytes),
    kind: new Uint8Array(bytes.length).fill(1),
    stage: new Int32Array(bytes.length),
    microbatch: Int32Array.from(bytes.keys()),
    operation: new Int8Array(bytes.length).fill(-1),
  };
  const { places } = placedStack(stack);
  if (places === undefined) throw new Error('too many pieces');
  return Array.from(places.piece, (piece, at) => [piece, places.from[at], places.to[at], places.offset[at]]);
}

it('gives the next microbatch the place of the one that ends when it starts', () => {
  expect(stretchesOf([1, 1, 1], [0, 1, 3], [3, 5, 6])).toEqual([
    [0, 0, 3, 0],
    [1, 1, 5, 1],
    [2, 3, 6, 0],
  ]);
});

it('drops the uppermost piece into a hole that it fits, and moves all down otherwise', () => {
  expect(stretchesOf([1, 1, 1], [0, 1, 2], [4, 6, 6])).toEqual([
    [0, 0, 4, 0],
    [1, 1, 6, 1],
    [2, 2, 4, 2],
    [2, 4, 6, 0],
  ]);
  expect(stretchesOf([1, 2, 3], [0, 1, 2], [4, 6, 6])).toEqual([
    [0, 0, 4, 0],
    [1, 1, 4, 1],
    [2, 2, 4, 3],
    [1, 4, 6, 0],
    [2, 4, 6, 2],
  ]);
});

it('gives up where there are more stretches than anyone can see', () => {
  const many = Array.from({ length: 60_001 }, (_, piece) => piece);
  const ones = new Float64Array(many.length).fill(1);
  const stack = {
    device: 0,
    statics: { weights: 0, gradients: 0, optimizer: 0, buffers: 0 },
    from: Float64Array.from(many),
    to: Float64Array.from(many, (piece) => piece + 1),
    bytes: ones,
    kind: new Uint8Array(many.length).fill(1),
    stage: new Int32Array(many.length),
    microbatch: Int32Array.from(many),
    operation: new Int8Array(many.length).fill(-1),
  };
  expect(placedStack(stack).places).toBeUndefined();
});
