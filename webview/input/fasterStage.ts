import type { PipelinePlan } from '../../engine/plan.ts';
import { stageNumber } from '../../engine/stages.ts';
import { stageOf } from '../picture/blocks.ts';
import { engineWorker } from '../session/engineWorker.ts';
import type { Selection, Target } from '../session/selection.ts';
import { sensitivities, unaskedOperations } from '../session/sensitivities.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';

/** Milliseconds that the pointer rests on a block before its stage is simulated. */
const rest = 300;

/** What a faster stage would bring: for the block under the pointer and for the selected one. */
export function fasterStage(timeline: () => ShownTimeline | undefined, found: () => void) {
  const simulated = sensitivities((receive) => engineWorker(receive, () => undefined), found);
  let timer: ReturnType<typeof setTimeout> | undefined;

  function stageAt(of: ShownTimeline, target: Target | Selection | undefined): number {
    if (target?.kind !== 'block') return -1;
    const stage = stageOf(of.picture, target.block);
    return stage < 0 ? -1 : stageNumber(of.plan, stage);
  }
  function want(target: Target | Selection | undefined, asked: boolean): void {
    const of = timeline();
    if (of === undefined || (!asked && of.picture.report.operations > unaskedOperations)) return;
    const stage = stageAt(of, target);
    if (stage >= 0) simulated.want(of.plan, stage);
  }
  return {
    pointed(target: Target | undefined): void {
      clearTimeout(timer);
      timer = target?.kind === 'block' ? setTimeout(() => want(target, false), rest) : undefined;
    },
    selected: (selection: Selection | undefined): void => want(selection, false),
    /** On request, however large the pipeline is. */
    ask: (selection: Selection | undefined): void => want(selection, true),
    /** Seconds more of an iteration (less than 0: fewer) for a stage of the plan; undefined while not known. */
    change: (plan: PipelinePlan, stage: number, iteration: number): number | undefined =>
      simulated.change(plan, stageNumber(plan, stage), iteration),
  };
}
