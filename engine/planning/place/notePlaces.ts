/** Stages that say `on`, compared with the devices that the schedule gives them. */
import type { Notes } from '../notes.ts';
import type { RanksRequest } from './ranksRequest.ts';

/** As the file places the stages: devices of the cluster by rank, and the rank of each stage. */
interface FoundPlaces {
  readonly ranks: readonly { readonly devices: readonly number[] }[];
  readonly placement: readonly number[];
}

/**
 * `device/oversubscribed` for stages that the schedule keeps apart and the file puts on one device. Without any, `device/apart` is reported
 * once, for stages that the schedule puts on one device and the file on several. `wanted`: the schedule's device of each stage.
 */
export function notePlaces(notes: Notes, request: RanksRequest, wanted: ArrayLike<number>, found: FoundPlaces): void {
  const groups = groupsOf(request, wanted);
  if (!noteSharing(notes, request, wanted, found, groups)) noteApart(notes, request, found, groups);
}

/** Numbers of the stages on each device of the schedule. */
type Groups = readonly (readonly number[])[];

function groupsOf({ blocks = [] }: RanksRequest, wanted: ArrayLike<number>): Groups {
  const groups = new Map<number, number[]>();
  for (const stage of blocks.keys()) {
    const group = groups.get(wanted[stage]);
    if (group === undefined) groups.set(wanted[stage], [stage]);
    else group.push(stage);
  }
  return [...groups.values()];
}

const hintFor = ({ pipeline, blocks = [] }: RanksRequest, groups: Groups) =>
  groups.every(({ length }) => length === 1)
    ? {}
    : {
        hint: { kind: 'group' as const, pipeline, groups: groups.map((group) => group.map((at) => blocks[at].name)) },
      };

/** Whether anything was reported. */
function noteSharing(
  notes: Notes,
  request: RanksRequest,
  wanted: ArrayLike<number>,
  { ranks, placement }: FoundPlaces,
  groups: Groups,
): boolean {
  const { cluster, blocks = [] } = request;
  let noted = false;
  for (const [index, { devices }] of ranks.entries()) {
    const stages = blocks.filter((_, stage) => placement[stage] === index);
    const asked = new Set(placement.flatMap((value, stage) => (value === index ? [wanted[stage]] : [])));
    const at = stages[1]?.on?.at;
    if (asked.size <= 1 || at === undefined) continue;
    noted = true;
    const joined = groups.find((group) => group.length > 1 && group.some((stage) => placement[stage] === index));
    notes.report.report(
      'device/oversubscribed',
      at,
      {
        device: cluster.devices[devices[0]].name,
        stages: stages.map((stage) => `"${stage.name}"`),
        ...(joined === undefined
          ? {}
          : { schedule: nameOf(request), joined: joined.map((stage) => `"${blocks[stage].name}"`) }),
      },
      {
        related: stages
          .slice(0, 1)
          .map((stage) => ({ place: notes.report.place(stage.on?.at ?? stage.at), message: 'Here too.' })),
        ...hintFor(request, groups),
      },
    );
  }
  return noted;
}

function noteApart(notes: Notes, request: RanksRequest, { ranks, placement }: FoundPlaces, groups: Groups): void {
  const { cluster, blocks = [] } = request;
  const apart = groups.filter((group) => group.some((stage) => placement[stage] !== placement[group[0]]));
  const [group] = apart;
  if (group === undefined) return;
  const moved = group.find((stage) => placement[stage] !== placement[group[0]]) ?? group[0];
  const deviceOf = (stage: number): string => cluster.devices[ranks[placement[stage]].devices[0]].name;
  notes.report.report(
    'device/apart',
    blocks[moved].on?.at ?? blocks[moved].at,
    {
      schedule: nameOf(request),
      stages: group.map((stage) => `"${blocks[stage].name}"`),
      devices: [...new Set(group.map(deviceOf))],
      others: apart.length - 1,
    },
    {
      related: [
        {
          place: notes.report.place(blocks[group[0]].on?.at ?? blocks[group[0]].at),
          message: `"${blocks[group[0]].name}" is on ${deviceOf(group[0])}.`,
        },
      ],
      ...hintFor(request, groups),
    },
  );
}

const nameOf = ({ use }: RanksRequest): string => (use.kind === 'policy' ? use.policy.name : use.definition.name);
