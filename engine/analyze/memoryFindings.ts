import type { Run } from '../evaluate.ts';
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import type { EngineOptions } from '../host.ts';
import { type PipelinePlan, paths } from '../plan/plan.ts';
import { bytes } from '../quantities.ts';
import { stageOf } from '../schedule/program.ts';
import type { MemoryPeak } from '../simulate/memory.ts';
import type { DeviceReport } from './report.ts';

/** `memory/out-of-memory` for each device over its capacity, worst first; where all fit, `memory/headroom` of the fullest. */
export function memoryFindings(
  plan: PipelinePlan,
  run: Run,
  peaks: readonly MemoryPeak[],
  options: EngineOptions,
): PlanFinding[] {
  const devices = run.report.devices.map((report, device) => ({ report, device, left: report.capacity - report.peak }));
  const over = devices.filter((one) => one.left < 0).sort((a, b) => a.left - b.left);
  if (over.length > 0) return over.map(({ report, device }) => outOfMemory(plan, run, peaks[device], report, device));
  const fullest = devices.reduce((least, one) =>
    one.left / one.report.capacity < least.left / least.report.capacity ? one : least,
  );
  const shareLeft = fullest.left / fullest.report.capacity;
  if (!(shareLeft < options.thresholds.headroom)) return [];
  const { name, capacity } = fullest.report;
  return [
    planFinding('memory/headroom', atStage(plan, run, peaks[fullest.device], fullest.device), {
      device: name,
      left: fullest.left,
      share: shareLeft,
      capacity,
    }),
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
  const { weights, gradients, optimizer, activations, versions, buffers, workspace } = report.memory;
  const parts = Object.entries({ weights, gradients, optimizer, activations, versions, buffers, workspace }).filter(
    ([, size]) => size > 0,
  );
  const { kind, memory, reserved } = plan.devices[device];
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
      parts,
      inFlight: report.in_flight,
    },
    {
      related: [
        {
          at: paths.deviceMemory(kind),
          message:
            reserved > 0
              ? `${bytes(memory)}, of which ${bytes(reserved)} are reserved`
              : `${kind} has ${bytes(memory)}`,
        },
      ],
      hint: { kind: 'recompute', pipeline: plan.name, stage },
    },
  );
}

/** The stage to point at: that of the operation at the peak, else the device's first. */
function peakStage(plan: PipelinePlan, run: Run, peak: MemoryPeak, device: number): number {
  return peak.position >= 0
    ? stageOf(run.program, run.program.order[peak.position])
    : Math.max(0, plan.placement.indexOf(device));
}
const atStage = (plan: PipelinePlan, run: Run, peak: MemoryPeak, device: number) =>
  paths.stage(plan.name, peakStage(plan, run, peak, device));
