import type { StageBlock } from '../../definitions/cut.ts';
import { createReporter } from '../../findings/reporter.ts';
import { sizeOf } from '../../costs/mesh.ts';
import { count } from '../../basics/quantities.ts';
import type { Notes } from '../notes.ts';
import type { RanksRequest } from './ranksRequest.ts';

/**
 * Stages with the devices of `place = best` before it chooses: a stage without `on` gets the first devices that no stage names.
 * Stages that the schedule puts on one device share it. `rankOf` is the schedule's device of a stage. `undefined` if there are too
 * few devices, which has been reported.
 */
export function withFreeDevices(
  notes: Notes,
  { blocks = [], cluster, mesh }: RanksRequest,
  rankOf: (stage: number) => number,
): readonly StageBlock[] | undefined {
  const used = new Set<number>();
  const taken = new Map<number, StageBlock['on']>();
  const quiet = createReporter(notes.uri, 0);
  for (const [stage, { on }] of blocks.entries()) {
    if (on === undefined) continue;
    for (const device of on.end.devices(quiet, cluster.groups, 0, cluster.nodes) ?? []) used.add(device);
    if (!taken.has(rankOf(stage))) taken.set(rankOf(stage), on);
  }
  const free = cluster.devices.flatMap((_, device) => (used.has(device) ? [] : [device]));
  const placed: StageBlock[] = [];
  for (const [stage, block] of blocks.entries()) {
    const rank = rankOf(stage);
    if (block.on === undefined && !taken.has(rank)) {
      const size = sizeOf(block.mesh ?? mesh);
      if (free.length < size) {
        const message = `Stage "${block.name}" needs ${count(size, 'device', 'devices')}, but "${cluster.name}" has ${free.length} that no other stage uses; use fewer stages or name its devices with \`on\`.`;
        notes.report.report('stage/device-count', block.at, { message });
        return undefined;
      }
      const devices = free.splice(0, size);
      taken.set(rank, { end: { devices: () => devices }, at: block.at, chosen: true });
    }
    placed.push(block.on === undefined ? { ...block, on: taken.get(rank) } : block);
  }
  return placed;
}
