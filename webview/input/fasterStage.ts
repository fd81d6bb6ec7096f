import type { PipelinePlan } from '../../engine/values/plan.ts';
import { stageNumber } from '../../engine/costs/stages.ts';
import { stagesOn } from '../../engine/basics/stagesOn.ts';
import { stageOf } from '../picture/blocks.ts';
import { engineWorker } from '../session/engineWorker.ts';
import type { Pointed, Selection } from '../session/selection.ts';
import { type Sensitivity, sensitivities, unaskedOperations } from '../session/sensitivities.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';

/** Stages of one device that are simulated. */
const mostStages = 4;
/** Milliseconds that the pointer rests on a block or the name of a device before its stages are simulated. */
const rest = 300;

const stageTarget = (index: number) => ({ kind: 'stage', index }) as const;

/** How a faster or slower stage would change the iteration: for the block or device under the pointer, for the selected block, and for the stages of a selected device. */
export function fasterStage(timeline: () => ShownTimeline | undefined, found: () => void) {
  const simulated = sensitivities((receive) => engineWorker(receive, () => undefined), found);
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Stages of the cut that a target is about. */
  function stagesAt({ plan, picture }: ShownTimeline, target: Pointed | Selection | undefined): readonly number[] {
    const stages =
      target?.kind === 'device'
        ? stagesOn(plan.placement, target.device)
        : target?.kind === 'block'
          ? [stageOf(picture, target.block)].filter((stage) => stage >= 0)
          : [];
    return [...new Set(stages.map((stage) => stageNumber(plan, stage)))].slice(0, mostStages);
  }
  function want(target: Pointed | Selection | undefined, asked: boolean): void {
    const of = timeline();
    if (of === undefined || (!asked && of.picture.report.operations > unaskedOperations)) return;
    const stages = stagesAt(of, target);
    if (stages.length > 0) simulated.want(of.plan, of.picture.report.operations, stages.map(stageTarget));
  }
  return {
    pointed(at: Pointed | undefined): void {
      clearTimeout(timer);
      timer = at?.kind === 'block' || at?.kind === 'device' ? setTimeout(() => want(at, false), rest) : undefined;
    },
    selected: (selection: Selection | undefined): void => want(selection, false),
    /** On request, however large the pipeline is. */
    ask: (selection: Selection | undefined): void => want(selection, true),
    /** Of a stage of the plan; undefined while not known. */
    row: (plan: PipelinePlan, stage: number): Sensitivity | undefined =>
      simulated.of(plan, stageTarget(stageNumber(plan, stage))),
    /** All that is known, and what is still to be simulated. */
    simulated,
  };
}
