/** Why devices wait for their hosts, where they wait long. */
import type { Run } from '../schedule/evaluation.ts';
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import type { EngineOptions } from '../basics/host.ts';
import { type PipelinePlan, paths } from '../values/plan.ts';
import { time } from '../basics/quantities.ts';
import type { DeviceReport } from '../values/report.ts';
import { stagesOn } from '../basics/stagesOn.ts';
import { shareOf } from './shares.ts';

/** `comm/host` where devices wait longer than the threshold for updated weights, or for activations of layers. Seconds are means over devices. */
export function hostFinding(plan: PipelinePlan, { report }: Run, options: EngineOptions): PlanFinding[] {
  const { devices, iteration } = report;
  const mean = (of: (device: DeviceReport, index: number) => number): number =>
    devices.reduce((sum, device, index) => sum + of(device, index), 0) / devices.length;
  const weights = mean(({ host }) => host?.optimizer?.exposed ?? 0);
  const layers = mean(({ host }, index) =>
    host === undefined || stagesOn(plan.placement, index).every((stage) => plan.stages[stage].offloaded === undefined)
      ? 0
      : host.exposed - (host.optimizer?.exposed ?? 0),
  );
  const share = shareOf(weights + layers, iteration);
  if (share <= options.thresholds.exposed) return [];
  const parts = [
    ...(weights > 0 ? [{ seconds: weights, what: 'updated weights' }] : []),
    ...(layers > 0 ? [{ seconds: layers, what: 'activations' }] : []),
  ].sort((a, b) => b.seconds - a.seconds);
  const slowest = weights > 0 ? slowestStep(plan, devices) : undefined;
  return [
    planFinding('comm/host', paths.key(plan.name, weights >= layers ? 'optimizer' : 'offload'), {
      exposed: weights + layers,
      share,
      parts: parts.map(({ seconds, what }) => `${what} ${time(seconds)}`),
      ...(slowest === undefined ? {} : { slowest }),
      help:
        weights >= layers
          ? 'Offload a smaller share, or do more microbatches for each update.'
          : 'Offload fewer layers, so that more of them run while a copy does.',
    }),
  ];
}

/** Seconds of the slowest step of the device that waits longest for its weights. */
function slowestStep(
  plan: PipelinePlan,
  devices: readonly DeviceReport[],
): { readonly step: string; readonly seconds: number } | undefined {
  const exposed = devices.map(({ host }) => host?.optimizer?.exposed ?? 0);
  const worst = exposed.indexOf(Math.max(...exposed));
  const buckets = plan.step[worst]?.host?.stages.flatMap((stage) => stage.buckets) ?? [];
  const sum = (of: 'out' | 'step' | 'back') => buckets.reduce((all, bucket) => all + bucket[of], 0);
  return [
    { step: "the host's update (`host_bandwidth`)", seconds: sum('step') },
    { step: 'the copy of gradients to the host', seconds: sum('out') },
    { step: 'the copy of weights to the device', seconds: sum('back') },
  ].sort((a, b) => b.seconds - a.seconds)[0];
}
