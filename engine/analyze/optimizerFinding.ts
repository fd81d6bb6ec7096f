/** `memory/no-optimizer` for measured layers: their plan fits only because it keeps no state. */
import type { Parameters } from '../findings/catalogue.ts';
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { type PipelinePlan, paths } from '../values/plan.ts';
import type { PipelineReport } from '../values/report.ts';
import type { Run } from '../schedule/evaluation.ts';
import { figureOf, holds } from './expectations.ts';
import { stagesOn } from '../basics/stagesOn.ts';

/** The finding if the usual optimizer would fill a device that fits, or break an upper bound on `peak_memory` that holds. */
export function optimizerFinding(plan: PipelinePlan, { program, report }: Run): PlanFinding[] {
  const { unnamedOptimizer: usual } = plan;
  if (usual === undefined || program.forwardOnly === true) return [];
  const trained: PipelineReport = {
    ...report,
    devices: report.devices.map((device, index) => {
      const stages = stagesOn(plan.placement, index);
      const sum = (bytes: readonly number[]) => stages.reduce((all, stage) => all + bytes[stage], 0);
      const { weights, gradients, buffers } = device.memory;
      const updating = weights + gradients + buffers + sum(usual.copied);
      return { ...device, peak: Math.max(device.peak, updating) + sum(usual.state) };
    }),
  };
  const missed = overfilled(report, trained) ?? brokenBound(plan, report, trained);
  if (missed === undefined) return [];
  const figures = { kept: usual.without, usual: usual.name, usually: usual.with, missed };
  const hint = { kind: 'tune', pipeline: plan.name } as const;
  return [planFinding('memory/no-optimizer', paths.key(plan.name, 'optimizer'), figures, { hint })];
}

type Missed = NonNullable<Parameters<'memory/no-optimizer'>['missed']>;

/** The device that would be over its memory by most; undefined where all fit, or one is over it today. */
function overfilled(report: PipelineReport, trained: PipelineReport): Missed | undefined {
  if (report.devices.some(({ peak, capacity }) => peak > capacity)) return undefined;
  const [worst] = trained.devices.toSorted((a, b) => b.peak - b.capacity - (a.peak - a.capacity));
  if (worst === undefined || worst.peak <= worst.capacity) return undefined;
  return { need: worst.peak, device: worst.name, capacity: worst.capacity };
}

function brokenBound(plan: PipelinePlan, report: PipelineReport, trained: PipelineReport): Missed | undefined {
  for (const expect of plan.expects) {
    if (expect.figure !== 'peak_memory' || !expect.operator.startsWith('<')) continue;
    const need = figureOf(plan, trained, expect);
    if (holds(figureOf(plan, report, expect), expect) && !holds(need, expect)) return { need, expected: expect.text };
  }
  return undefined;
}
