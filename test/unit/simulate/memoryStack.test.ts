import { expect, it } from 'vitest';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { memoryTrack } from '../../../engine/simulate/memory.ts';
import { memoryStack, pieceKinds } from '../../../engine/simulate/memoryStack.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import type { Timeline } from '../../../engine/values/timeline.ts';
import { analyseExample } from '../../support/analyse.ts';
import * as fc from '../../support/property.ts';
import { runnable } from '../support/cases.ts';

/** Within every step of the track, the pieces that are there add up to it. Returns the kinds that occur. */
function checkSum(plan: PipelinePlan, timeline: Timeline, device: number): Set<string> {
  const track = memoryTrack(plan, timeline, device);
  const stack = memoryStack(plan, timeline, device);
  expect(stack.bytes.every((bytes) => bytes > 0)).toBe(true);
  const base = Object.values(stack.statics).reduce((sum, bytes) => sum + bytes, 0);
  expect(base).toBeCloseTo(track.base, 0);
  for (const [step, from] of track.at.entries()) {
    const to = track.at.at(step + 1) ?? timeline.makespan;
    // Not the middle, at which one piece may end and another one begin.
    const moment = from + (to - from) * 0.381966;
    // The track leaves out what lasts no longer than rounding.
    if (to - from <= timeline.makespan * 1e-11) continue;
    let sum = base;
    for (let piece = 0; piece < stack.from.length && stack.from[piece] <= moment; piece += 1)
      if (stack.to[piece] > moment) sum += stack.bytes[piece];
    expect(Math.abs(sum - track.bytes[step])).toBeLessThan(0.5);
  }
  return new Set(Array.from(stack.kind, (kind) => pieceKinds[kind]));
}

it('adds up to the memory over time, in any order of operations', () => {
  fc.assert(
    fc.property(
      runnable,
      fc.record({ recomputed: fc.nat(9), workspace: fc.nat(5), activationForWeight: fc.nat(7) }),
      ({ plan: bare, program }, sizes) => {
        const plan = {
          ...bare,
          stages: bare.stages.map((stage) => ({ ...stage, weights: 3, activation: 4, ...sizes })),
        };
        const timeline = simulate(program, timingOf(plan, program));
        if (timeline === undefined) throw new Error('deadlock');
        for (let device = 0; device < program.devices; device += 1) checkSum(plan, timeline, device);
      },
    ),
    { numRuns: 200 },
  );
});

it.each([
  ['quickstart.pipe', ['activations']],
  ['systems/bpipe.pipe', ['activations']],
  ['systems/recompute_ahead.pipe', ['activations', 'recomputed']],
  ['systems/pipedream.pipe', ['activations', 'versions']],
  ['systems/zero_bubble.pipe', ['activations', 'activations_for_weight']],
  ['systems/seq1f1b.pipe', ['activations']],
  ['systems/pipeswitch.pipe', []],
  ['systems/chimera.pipe', ['activations']],
  ['systems/dualpipe_v.pipe', ['activations']],
  ['mixture-of-experts.pipe', ['activations']],
])('adds up to the memory over time in %s', (name, wanted) => {
  const kinds = new Set<string>();
  for (const { plan, run } of analyseExample(name).pipelines) {
    if (run === undefined) continue;
    for (const device of plan.devices.keys()) for (const kind of checkSum(plan, run.timeline, device)) kinds.add(kind);
  }
  expect([...kinds]).toEqual(expect.arrayContaining(wanted));
});

it('adds up where operations recompute apart, for some microbatches only', () => {
  fc.assert(
    fc.property(runnable, fc.nat(), ({ plan: bare, program }, bits) => {
      const sizes = { activation: 4, recomputed: 3, recomputedWhole: 5, workspace: 2 };
      const plan = { ...bare, stages: bare.stages.map((stage) => ({ ...stage, ...sizes })) };
      const apart = Uint8Array.from(plan.stages, (_, stage) => (bits >> (stage % 16)) & 1);
      const timeline = simulate({ ...program, apart }, timingOf(plan, { ...program, apart }));
      if (timeline === undefined) throw new Error('deadlock');
      for (let device = 0; device < program.devices; device += 1) checkSum(plan, timeline, device);
    }),
    { numRuns: 100 },
  );
});

it('counts the workspace of every kind of operation', () => {
  for (const name of ['systems/pipedream.pipe', 'systems/recompute_ahead.pipe', 'systems/bpipe.pipe']) {
    const [{ plan: bare, run }] = analyseExample(name).pipelines;
    if (run === undefined) throw new Error('no run');
    const plan = {
      ...bare,
      stages: bare.stages.map((stage) => ({ ...stage, workspace: 2 ** 20, recomputed: 2 ** 19 })),
    };
    for (const device of plan.devices.keys()) expect(checkSum(plan, run.timeline, device)).toContain('workspace');
  }
});

it('keeps activations of others on the device that holds them, for as long as they are there', () => {
  const [pipeline] = analyseExample('systems/bpipe.pipe').pipelines;
  if (pipeline.run === undefined) throw new Error('no run');
  const { plan, run } = pipeline;
  const guests = plan.devices.flatMap((_, device) => {
    const stack = memoryStack(plan, run.timeline, device);
    return Array.from(stack.stage, (stage, piece) => ({ stage, piece, device, stack })).filter(
      ({ stage }) => stage >= 0 && plan.placement[stage] !== device,
    );
  });
  expect(guests.length).toBeGreaterThan(0);
  for (const { stack, piece } of guests) expect(stack.to[piece]).toBeGreaterThan(stack.from[piece]);
});
