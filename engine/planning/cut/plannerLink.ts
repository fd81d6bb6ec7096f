import type { Uncut } from '../../definitions/pipeline.ts';
import type { Notes } from '../notes.ts';
import { routeBetween } from '../../network/index.ts';

/** Bytes per second and seconds: infinite and 0 if there is only one device. */
export interface PlannerLink {
  readonly bandwidth: number;
  readonly latency: number;
  /** Each ordered pair has a separate route, so that transfers between different pairs run side by side. */
  readonly alone: boolean;
}

/** Slowest bandwidth and largest latency between any two of the devices; `undefined` where two have no route (reported). */
export function plannerLink(
  notes: Notes,
  { cluster, at }: Uncut,
  devices: readonly number[],
  bytes: number,
): PlannerLink | undefined {
  let bandwidth = Infinity;
  let latency = 0;
  const channels = new Set<string>();
  let pairs = 0;
  // Without named links the way depends on the innermost node that holds both, and neighbours meet in all nodes that any two do.
  const reach = cluster.named.size === 0 ? 1 : devices.length;
  for (const [index, from] of devices.entries()) {
    for (let other = Math.max(0, index - reach); other < Math.min(devices.length, index + reach + 1); other += 1) {
      if (other === index) continue;
      const to = devices[other];
      pairs += 1;
      const route = routeBetween(cluster, from, to, bytes);
      if (route === undefined) {
        const [first, second] = [from, to].map((device) => cluster.devices[device].name);
        notes.report.report('device/unknown-route', at('devices'), { from: first, to: second });
        return undefined;
      }
      bandwidth = Math.min(bandwidth, route.bandwidth);
      latency = Math.max(latency, route.latency);
      channels.add(route.channel);
    }
  }
  return { bandwidth, latency, alone: channels.size === pairs };
}
