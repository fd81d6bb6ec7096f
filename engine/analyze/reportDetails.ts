/** What a report in words says in addition to its figures. It is made for whoever reads one report, and no part of every check. */
import type { Run } from '../schedule/evaluation.ts';
import { type FillStretches, fillStretches } from '../fill/stretches.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { explainWait } from './waits/explainWait.ts';
import { longestGradientWait } from './waits/longestWait.ts';

export interface ReportDetails {
  /** What the fill job does on each device that it is on. */
  readonly fills: readonly FillStretches[];
  /** Why a forward waits for gradients where no barrier does: the longest wait, as the editor explains it. */
  readonly wait?: ReturnType<typeof explainWait>;
  /** Stages that send 0 bytes to a stage of another device, and to whom. */
  readonly silent: readonly { readonly from: string; readonly to: string }[];
}

export function reportDetails(plan: PipelinePlan, { timeline }: Pick<Run, 'timeline'>): ReportDetails {
  const wait = longestGradientWait(timeline);
  return {
    fills: plan.devices.flatMap((_, device) => fillStretches(plan, timeline, device) ?? []),
    ...(wait === undefined ? {} : { wait: explainWait(plan, timeline, wait) }),
    silent: silentEdges(plan),
  };
}

/** A schedule without a pipeline has no sizes. */
const silentEdges = ({ edges, placement, stages, unitTimes }: PipelinePlan): ReportDetails['silent'] =>
  unitTimes === true
    ? []
    : edges
        .filter(({ from, to, bytes }) => bytes === 0 && placement[from] !== placement[to])
        .map(({ from, to }) => ({ from: stages[from].name, to: stages[to].name }));
