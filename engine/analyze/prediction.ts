/** How far ahead a schedule that predicts weights must predict them: counted in the simulated timeline. */
import { B, F, I, microbatchOf, resultRow, rowOf, stageOf } from '../values/program.ts';
import { type Timeline, startAt } from '../values/timeline.ts';

export interface Prediction {
  /** Updates of the weights ahead of the stage's own, where a minibatch's first microbatch runs forward, and where it runs backward. */
  readonly forward: number;
  readonly backward: number;
}

/**
 * By stage of the program. The prediction aims at the weights at the moment when the minibatch has come back: the end
 * of its last backward at stage 0. The figure is a number of backwards in minibatches, rounded, for the minibatch in the middle
 * of the iterations. It takes the backwards that the stage ends between the start of the first microbatch's operation and that
 * moment. Backwards that end with it are left out. Undefined for schedules that predict nothing.
 */
export function predictionsOf(timeline: Timeline): readonly Prediction[] | undefined {
  const { program, end } = timeline;
  const { stages, microbatches, minibatch = 1, order, offsets, placement, weights } = program;
  if (weights !== 'predict') return undefined;
  const first = Math.trunc(Math.floor(microbatches / minibatch) / 2) * minibatch;
  const row = (stage: number) => resultRow(stages, B, stage) * microbatches;
  const slack = timeline.makespan * 1e-12;
  let home = 0;
  for (let microbatch = first; microbatch < Math.min(first + minibatch, microbatches); microbatch += 1)
    home = Math.max(home, end[row(0) + microbatch]);
  const startOf = (stage: number, kinds: readonly number[]): number => {
    const device = placement[stage];
    for (let at = offsets[device]; at < offsets[device + 1]; at += 1) {
      const kind = Math.trunc(rowOf(program, order[at]) / stages);
      if (stageOf(program, order[at]) === stage && microbatchOf(program, order[at]) === first && kinds.includes(kind))
        return startAt(timeline, at);
    }
    return home;
  };
  return Array.from({ length: stages }, (_, stage) => {
    const from = startOf(stage, [F]);
    const back = startOf(stage, [B, I]);
    let forward = 0;
    let backward = 0;
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
      const ended = end[row(stage) + microbatch];
      if (!(ended < home - slack)) continue;
      if (ended > from + slack) forward += 1;
      if (ended > back + slack) backward += 1;
    }
    return { forward: Math.round(forward / minibatch), backward: Math.round(backward / minibatch) };
  });
}
