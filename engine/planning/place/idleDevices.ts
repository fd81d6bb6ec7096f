/** Says how many devices of a cluster no pipeline of the file uses, and how many data ranks would use them. */
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { PipelineDefinition } from '../../definitions/pipeline.ts';
import type { Notes, Occupied } from '../notes.ts';

interface User extends Occupied {
  readonly definition: PipelineDefinition;
}

/**
 * `definitions`: the pipelines of the file that have a plan. `doubtful`: names of the clusters of those that have none, which may be
 * meant to use all of it. One finding for a cluster, at the pipeline that uses most of it.
 */
export function reportIdleDevices(
  notes: Notes,
  definitions: readonly PipelineDefinition[],
  doubtful: ReadonlySet<string>,
): void {
  const users = new Map<ClusterDefinition, User[]>();
  for (const definition of definitions) {
    const occupied = notes.occupied.get(definition.name);
    if (occupied === undefined) continue;
    const found = users.get(occupied.cluster);
    if (found === undefined) users.set(occupied.cluster, [{ ...occupied, definition }]);
    else found.push({ ...occupied, definition });
  }
  // The devices of a schedule that makes its own stages are not known before it runs.
  const unknown = definitions.filter(({ name }) => !notes.occupied.has(name)).map(({ cluster }) => cluster);
  for (const [cluster, pipelines] of users)
    if (!doubtful.has(cluster.name) && !unknown.includes(cluster)) reportIdle(notes, cluster, pipelines);
}

/** Whether two of its stages share a device unasked, which leaves others idle: that is one mistake. */
const isOversubscribed = ({ report }: Notes, { cut }: PipelineDefinition): boolean =>
  cut.kind === 'blocks' &&
  report.findings.some(
    ({ code, place }) =>
      (code === 'device/oversubscribed' || code === 'device/apart') &&
      cut.stages.some(({ on }) => on !== undefined && on.at.start === place.start),
  );

function reportIdle(notes: Notes, cluster: ClusterDefinition, users: readonly User[]): void {
  const used = new Set(users.flatMap(({ devices }) => devices));
  const devices = cluster.devices.length;
  if (used.size >= devices || users.some(({ definition }) => isOversubscribed(notes, definition))) return;
  const largest = users.reduce((a, b) => (new Set(b.devices).size > new Set(a.devices).size ? b : a));
  const { definition } = largest;
  const busy = new Set(largest.devices).size;
  const times = Math.floor(devices / busy);
  notes.report.report(
    'device/idle',
    definition.at('devices'),
    {
      cluster: cluster.name,
      idle: devices - used.size,
      devices,
      ...(times < 2 || isPlaced(definition) ? {} : { data: times * definition.mesh.data, using: times * busy }),
    },
    { hint: { kind: 'tune', pipeline: definition.name } },
  );
}

/** Whether stages name their devices or their ranks: `data` would not reach them. */
const isPlaced = ({ cut }: PipelineDefinition): boolean =>
  cut.kind === 'plan' ||
  (cut.kind === 'blocks' && cut.stages.some(({ on, mesh }) => on !== undefined || mesh !== undefined));
