import type { PipelinePlan } from '../../engine/values/plan.ts';
import { type SensitivityTarget, sensitivityTo, stageRow, targetName } from '../../engine/analyze/sensitivity.ts';
import { slowdownSteps, type SlowdownProgress } from '../../engine/analyze/slowdown.ts';
import type { SensitivityRow, SlowdownReport } from '../../engine/values/report.ts';
import type { Timeline } from '../../engine/values/timeline.ts';
import { simulateRows } from './simulateRows.ts';

/** What slower and faster parts of one plan do to its iteration. The plan is simulated once, then twice and more for each part. */
export function sensitivityStudy() {
  let of: { readonly plan: PipelinePlan; readonly timeline: Timeline } | undefined;
  let slowdown: ReturnType<typeof slowdownSteps> | undefined;
  let known: SlowdownProgress | SlowdownReport | undefined;
  return {
    begin(plan: PipelinePlan): void {
      // Draws of random times would take longer than all the rest.
      const { jitter: _, ...certain } = plan;
      const found = simulateRows(certain);
      of = 'faults' in found ? undefined : { plan: found.plan, timeline: found.run.timeline };
      slowdown = of === undefined ? undefined : slowdownSteps(of.plan, of.timeline);
      known = undefined;
    },
    /** Undefined if the plan cannot run. */
    row(target: SensitivityTarget): SensitivityRow | undefined {
      if (of === undefined) return undefined;
      const { plan, timeline } = of;
      if (target.kind === 'stage') return stageRow(plan, timeline, target.index);
      return { name: targetName(plan, target), ...sensitivityTo(plan, timeline, target) };
    },
    /** Does up to `runs` more simulations for the slowdown. Undefined if the plan cannot run. */
    slowdown(runs: number): SlowdownProgress | SlowdownReport | undefined {
      for (let run = 0; slowdown !== undefined && run < runs; run += 1) {
        const step = slowdown.next();
        known = step.value;
        if (step.done === true) slowdown = undefined;
      }
      return known;
    },
  };
}
