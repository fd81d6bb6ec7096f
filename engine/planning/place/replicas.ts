/** Stages with several replicas (`replicate`): how many there are, and which schedules know of them. */
import type { RanksRequest } from './ranksRequest.ts';
import { createReporter } from '../../findings/reporter.ts';
import type { Notes } from '../notes.ts';
import { sizeOf } from '../../costs/mesh.ts';

/** Replicas of each stage that take turns, as the devices of `on` make them; 1 where there are none. */
export function replicasOf(
  notes: Notes,
  { cluster, blocks = [], stages, mesh: base }: Pick<RanksRequest, 'cluster' | 'blocks' | 'stages' | 'mesh'>,
): Int32Array {
  const replicas = new Int32Array(stages).fill(1);
  // Devices that are wrong are told where ranks are made of them.
  const silent = createReporter(notes.uri, 0);
  for (const [stage, { on, replicate, mesh = base }] of blocks.entries()) {
    if (replicate?.rule !== 'round_robin' || on === undefined) continue;
    const devices = on.end.devices(silent, cluster.groups, 0, cluster.nodes);
    if (devices !== undefined) replicas[stage] = Math.max(1, Math.floor(devices.length / sizeOf(mesh)));
  }
  return replicas;
}

/** `schedule/shape` where replicas take turns and the schedule does not know of such. */
export function refusesTurns(notes: Notes, { use, blocks = [] }: RanksRequest): boolean {
  const first = blocks.find(({ replicate }) => replicate?.rule === 'round_robin')?.replicate;
  if (first === undefined || (use.kind === 'policy' && use.policy.replicates === true)) return false;
  notes.report.report('schedule/shape', first.at, {
    policy: use.kind === 'policy' ? use.policy.name : use.definition.name,
    problem:
      'its stages have no replicas that take microbatches in turn; `replicate = split` divides every microbatch, and `pipedream` takes turns',
    input: 'replicate',
    values: [],
  });
  return true;
}

/** Devices in groups of `size`. */
export const groups = (devices: readonly number[], size: number): readonly (readonly number[])[] =>
  Array.from({ length: devices.length / size }, (_, group) => devices.slice(group * size, (group + 1) * size));
