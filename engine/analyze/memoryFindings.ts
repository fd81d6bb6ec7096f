import type { Run } from '../schedule/evaluation.ts';
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import type { EngineOptions } from '../basics/host.ts';
import { type PipelinePlan, paths } from '../values/plan.ts';
import { bytes } from '../basics/quantities.ts';
import { stageOf } from '../values/program.ts';
import type { MemoryPeak } from '../simulate/memory.ts';
import { itemTexts, reservedText, unitOf } from './memoryWords.ts';
import { isTight, roomOf } from './room.ts';
import { usualMargin } from './spread.ts';
import type { DeviceReport } from '../values/report.ts';

/** `memory/out-of-memory` for each device over its capacity, worst first; where all fit, `memory/headroom` of the fullest. */
export function memoryFindings(
  plan: PipelinePlan,
  run: Run,
  peaks: readonly MemoryPeak[],
  options: EngineOptions,
): PlanFinding[] {
  const devices = run.report.devices.map((report, device) => ({ report, device, ...roomOf(report) }));
  const over = devices.filter((candidate) => candidate.left < 0).sort((a, b) => a.left - b.left);
  if (over.length > 0) return over.map(({ report, device }) => outOfMemory(plan, run, peaks[device], report, device));
  const margin = options.thresholds.headroom ?? usualMargin(plan.runKind);
  const tight = devices.filter((each) => isTight(each, margin));
  if (tight.length === 0) return [];
  // Where the file says what others hold, its figures are meant to foretell a run.
  const predicted = tight.filter(({ report }) => report.memory.reserved > 0);
  const fullest = (predicted.length > 0 ? predicted : tight).reduce((least, each) =>
    each.share < least.share ? each : least,
  );
  const { report, device, left, share } = fullest;
  const stage = peakStage(plan, run, peaks[device], device);
  const published = run.report.accuracy?.memory;
  return [
    planFinding(
      'memory/headroom',
      paths.stage(plan.name, stage),
      {
        ...{ device: report.name, left, share, capacity: report.capacity, margin },
        ...(published === undefined ? {} : { published: { runs: published.runs, fit: published.fit } }),
      },
      {
        severity: predicted.length > 0 ? 'warning' : 'information',
        related: [memoryPlace(plan, report, device)],
        hint: { kind: 'recompute', pipeline: plan.name, stage },
      },
    ),
  ];
}

function outOfMemory(
  plan: PipelinePlan,
  run: Run,
  peak: MemoryPeak,
  report: DeviceReport,
  device: number,
): PlanFinding {
  const stage = peakStage(plan, run, peak, device);
  return planFinding(
    'memory/out-of-memory',
    paths.stage(plan.name, stage),
    {
      stages: report.stages,
      need: report.peak,
      at: report.peak_at,
      over: report.peak - report.capacity,
      capacity: report.capacity,
      device: report.name,
      parts: itemTexts(report.memory_items, unitOf(plan)),
    },
    {
      related: [memoryPlace(plan, report, device)],
      about: { kind: 'device', name: report.name },
      hint: { kind: 'recompute', pipeline: plan.name, stage },
    },
  );
}

/** The device's `memory`: what it has, and what others hold of it. */
function memoryPlace(plan: PipelinePlan, report: DeviceReport, device: number) {
  const { kind, memory } = plan.devices[device];
  const reserved = reservedText(report);
  return {
    at: paths.deviceMemory(kind),
    message: reserved === '' ? `${kind} has ${bytes(memory)}` : `${bytes(memory)}, of which ${reserved}`,
  };
}

/** The stage to point at: the stage of the operation at the peak, or the device's first if there is none. */
function peakStage(plan: PipelinePlan, run: Run, peak: MemoryPeak, device: number): number {
  return peak.position >= 0
    ? stageOf(run.program, run.program.order[peak.position])
    : Math.max(0, plan.placement.indexOf(device));
}
