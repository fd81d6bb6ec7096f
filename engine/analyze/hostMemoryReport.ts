/** What devices keep in the memory of the nodes that hold them, and whether it fits. */
import type { Run } from '../schedule/evaluation.ts';
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { type PipelinePlan, paths } from '../values/plan.ts';
import { bytes, count } from '../basics/quantities.ts';
import type { DeviceReport, HostMemoryReport } from '../values/report.ts';
import { stagesOn } from '../basics/stagesOn.ts';

/**
 * Each device counts with its peak: pinned memory stays with the process that has allocated it. Undefined if nothing is kept on a host that
 * says its memory.
 */
export function hostMemoryReports(
  { hosts = [], devices }: Pick<PipelinePlan, 'hosts' | 'devices'>,
  reports: readonly Pick<DeviceReport, 'host'>[],
): readonly HostMemoryReport[] | undefined {
  const peaks = new Float64Array(hosts.length);
  devices.forEach(({ on = [] }, device) => {
    for (const { host, devices: members } of on) peaks[host] += members * (reports[device].host?.peak ?? 0);
  });
  if (peaks.every((peak) => peak === 0)) return undefined;
  return hosts.map(({ name, memory }, host) => ({ name, peak: peaks[host], capacity: memory }));
}

/** `memory/host` for the host that is over its memory by most. */
export function hostMemoryFindings(plan: PipelinePlan, { report }: Run): PlanFinding[] {
  const over = (report.hosts ?? []).map(({ peak, capacity }) => peak - capacity);
  const worst = over.reduce((most, bytesOver, host) => (bytesOver > (over[most] ?? 0) ? host : most), -1);
  const host = report.hosts?.[worst];
  if (host === undefined) return [];
  const parts = plan.devices.flatMap(({ name, on = [] }, device) => {
    const members = on.find((each) => each.host === worst)?.devices ?? 0;
    const { peak = 0 } = report.devices[device].host ?? {};
    return members * peak === 0
      ? []
      : [{ bytes: members * peak, text: `${bytes(members * peak)} for ${named(name, members)}` }];
  });
  parts.sort((a, b) => b.bytes - a.bytes);
  const most = layersThatFit(plan, report);
  return [
    planFinding(
      'memory/host',
      paths.key(plan.name, keyOf(plan)),
      {
        host: host.name,
        need: host.peak,
        over: host.peak - host.capacity,
        capacity: host.capacity,
        parts: parts.slice(0, shown).map(({ text }) => text),
        more: Math.max(0, parts.length - shown),
        help: helpFor(plan, most),
      },
      { hint: { kind: 'value', pipeline: plan.name, input: 'layers', values: most === undefined ? [] : [most] } },
    ),
  ];
}

function helpFor(plan: PipelinePlan, most = 0): string {
  const key = keyOf(plan);
  if (key === 'optimizer') return 'Offload less, use more nodes, or split the state over data ranks.';
  if (key !== 'offload') return 'Send less to the host, or use more nodes.';
  return most === 0
    ? 'Not even the activations of one layer of each stage fit: recompute instead, or use more nodes.'
    : `Offload the activations of fewer layers: if these are alike, at most ${count(most, 'layer', 'layers')} of each stage fit${most === 1 ? 's' : ''}.`;
}

/**
 * The most layers of each stage whose activations fit on all hosts, fewer than now. Layers of one stage are taken as alike. Undefined if
 * hosts keep anything but activations of layers.
 */
function layersThatFit(
  plan: PipelinePlan,
  { hosts, devices }: Pick<Run['report'], 'hosts' | 'devices'>,
): number | undefined {
  if (hosts === undefined || keyOf(plan) !== 'offload') return undefined;
  const away = plan.stages.map(({ offloaded }) => offloaded);
  /** Of what a device keeps on its host, the share that n layers of each stage keep. */
  const shareOf = (device: number, layers: number): number => {
    const kept = stagesOn(plan.placement, device).flatMap((stage) => away[stage] ?? []);
    const whole = kept.reduce((sum, each) => sum + each.bytes, 0);
    const left = kept.reduce((sum, each) => sum + each.bytes * Math.min(1, layers / each.layers), 0);
    return whole === 0 ? 0 : left / whole;
  };
  const fits = (layers: number): boolean => {
    const peaks = hosts.map(() => 0);
    plan.devices.forEach(({ on = [] }, device) => {
      for (const { host, devices: members } of on)
        peaks[host] += members * (devices[device].host?.peak ?? 0) * shareOf(device, layers);
    });
    return hosts.every(({ capacity }, host) => peaks[host] <= capacity);
  };
  let most = Math.max(0, ...away.map((each) => each?.layers ?? 0)) - 1;
  while (most > 0 && !fits(most)) most -= 1;
  return Math.max(0, most);
}

/** Devices that a message names. */
const shown = 3;

const named = (device: string, members: number): string =>
  members === 1 ? device : `${members} devices of the rank of ${device}`;

/** The key that sends most to the host. */
const keyOf = ({ step, stages }: PipelinePlan): string =>
  step.some(({ host }) => host !== undefined)
    ? 'optimizer'
    : stages.some(({ offloaded }) => offloaded !== undefined)
      ? 'offload'
      : 'schedule';
