import type { FileContext } from '../context.ts';
import { ringOf } from '../routes.ts';
import type { Ring } from './layerCosts.ts';
import type { PipelineRead } from './pipeline.ts';
import type { Rank } from './ranks.ts';

/** The slowest ring of any tensor group: all ranks of a kind are costed alike. `undefined` where devices have no route (reported). */
export function tensorRing(
  context: FileContext,
  { cluster, tensor, at }: Pick<PipelineRead, 'cluster' | 'tensor' | 'at'>,
  ranks: readonly Pick<Rank, 'devices' | 'at'>[],
): Ring | undefined {
  let bandwidth = Infinity;
  let latency = 0;
  for (const { devices, at: own } of tensor > 1 ? ranks : []) {
    for (let first = 0; first < devices.length; first += tensor) {
      const ring = ringOf(cluster, devices.slice(first, first + tensor), 1e6);
      if ('from' in ring) {
        context.report.report('device/unknown-route', own ?? at('devices'), {
          from: cluster.devices[ring.from].name,
          to: cluster.devices[ring.to].name,
        });
        return undefined;
      }
      bandwidth = Math.min(bandwidth, ring.bandwidth);
      latency = Math.max(latency, ring.latency);
    }
  }
  return { bandwidth: bandwidth === Infinity ? 0 : bandwidth, latency };
}
