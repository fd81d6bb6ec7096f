import { describe, expect, it } from 'vitest';
import { figureOfRun } from '../../../engine/simulate/figureOfRun.ts';
import { scaledTiming } from '../../../engine/simulate/scaled.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import type { Timeline } from '../../../engine/values/timeline.ts';
import * as fc from '../../support/property.ts';
import { runnable } from '../support/cases.ts';
import { policy, recipePlan } from '../support/plans.ts';
import { oneForwardOneBackward, programOf } from '../support/programs.ts';

const copied = ({ end, busy, makespan }: Timeline) => [end.slice(), busy, makespan];

describe('a figure of a run', () => {
  it('is that of a run in new memory, after runs with other times', () => {
    fc.assert(
      fc.property(runnable, ({ plan, program }) => {
        const timing = timingOf(plan, program);
        for (const factor of [1, 3, 2, 0.5]) {
          const times = scaledTiming(timing, program, { row: (row) => factor + (row % 3) });
          const run = simulate({ ...program }, times);
          expect(figureOfRun(program, times, copied)).toEqual(run && copied(run));
        }
      }),
      { numRuns: 100 },
    );
  });

  const program = programOf(oneForwardOneBackward(3, 4), 3, 4, [0, 1, 2]);
  const timing = timingOf(recipePlan({ devices: 3, microbatches: 4, schedule: policy('1f1b') }), program);

  it('leaves the ends alone while the figure is made, whatever runs meanwhile', () => {
    const slower = scaledTiming(timing, program, { row: () => 7 });
    for (let turn = 0; turn < 3; turn += 1)
      figureOfRun(program, timing, (run) => {
        const before = run.end.slice();
        figureOfRun(program, slower, ({ makespan }) => makespan);
        figureOfRun(program, slower, ({ makespan }) => makespan);
        expect(run.end).toEqual(before);
      });
  });

  it('leaves the ends of every other run alone', () => {
    const kept = simulate(program, timing);
    const before = kept?.end.slice();
    for (const factor of [5, 6, 7])
      figureOfRun(program, scaledTiming(timing, program, { row: () => factor }), ({ makespan }) => makespan);
    expect(kept?.end).toEqual(before);
  });

  it('takes no new memory for the ends from the third run on', () => {
    const ends = [1, 2, 3, 4].map((factor) =>
      figureOfRun(program, scaledTiming(timing, program, { row: () => factor }), ({ end }) => end.buffer),
    );
    expect(ends[3]).toBe(ends[2]);
  });
});
