/** What devices keep in the memory of the nodes that hold them, and whether it fits. */
import type { Run } from '../evaluation.ts';
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { type PipelinePlan, paths } from '../plan.ts';
import { bytes } from '../quantities.ts';
import type { DeviceReport, HostMemoryReport } from '../report.ts';

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
  return [
    planFinding('memory/host', paths.key(plan.name, keyOf(plan)), {
      host: host.name,
      need: host.peak,
      over: host.peak - host.capacity,
      capacity: host.capacity,
      parts: parts.slice(0, shown).map(({ text }) => text),
      more: Math.max(0, parts.length - shown),
    }),
  ];
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
