/** Which devices a pipeline uses: one group of tensor × data devices for each pipeline rank. */
import type { RanksRequest } from './ranksRequest.ts';
import type { FixHint } from '../../findings/finding.ts';
import type { Notes } from '../notes.ts';
import type { StageBlock } from '../../definitions/cut.ts';
import type { DeviceDefinition } from '../../definitions/device.ts';
import { type RowsDefinition, type ScheduleDefinition, unknownNumbers } from '../../definitions/schedule.ts';
import { type Mesh, meshName, sizeOf, sameMesh } from '../../costs/mesh.ts';
import type { Span } from '../../../grammar/syntax.ts';
import { unpack } from '../../basics/packed.ts';
import { kinds } from '../../values/program.ts';
import { linear, loop } from '../../policies/placement.ts';
import { bareShape } from '../../policies/shape.ts';
import { count, list } from '../../basics/quantities.ts';
import type { StageCopy } from '../../values/plan.ts';
import { devicesInBlocks } from './devicesInBlocks.ts';
import { notePlaces } from './notePlaces.ts';
import { firstCopy } from './copies.ts';
import { type Asking, askingAt, reportUnmet } from '../ownSchedule.ts';
import type { OwnPlacement, Unfit } from './copiesByFunction.ts';
import { ownPlacement, stagesOfDevices } from './ownPlacement.ts';
import { withFreeDevices } from './freeDevices.ts';
import { groups, refusesTurns, replicasOf } from './replicas.ts';

export interface Rank {
  /** Devices of the cluster: tensor ranks innermost, then context, then data ranks (the order of Megatron-LM), then replicas that split microbatches. */
  readonly devices: readonly number[];
  readonly kind: DeviceDefinition;
  readonly mesh: Mesh;
  /** Data ranks, replicas that split microbatches among them, over the data ranks of the pipeline; 1 where absent. Below 1 where a stage has fewer. */
  readonly split?: number;
  /** Its place in the file, if a stage says `on`. */
  readonly at?: Span;
}

export interface Ranks {
  readonly ranks: readonly Rank[];
  /** Rank of each stage, copies and parts of stages included. */
  readonly placement: readonly number[];
  /** What the stages are copies or parts of, where the schedule makes such. */
  readonly copies?: readonly StageCopy[];
}

/** Ranks and the placement of stages on them; `undefined` where they do not fit, which has been reported. */
export function placeRanks(notes: Notes, request: RanksRequest): Ranks | undefined {
  const placement = placementFor(notes, request);
  if (placement === undefined) return undefined;
  const pinned = request.blocks?.some((block) => block.on !== undefined) ?? false;
  if (!pinned) return ranksInOrder(notes, request, placement);
  if (request.place === undefined) return ranksOn(notes, request, placement);
  const { of, copies } = placement;
  const blocks = withFreeDevices(
    notes,
    request,
    (stage) => of[copies === undefined ? stage : firstCopy(copies, stage)],
  );
  return blocks === undefined ? undefined : ranksOn(notes, { ...request, blocks }, placement);
}

/** Rank of each stage, as the schedule wants it. */
interface Placed {
  readonly of: ArrayLike<number>;
  readonly copies?: readonly StageCopy[];
  /** Ranks, some of which have no stage; absent if each has one. */
  readonly devices?: number | undefined;
}

function placementFor(notes: Notes, request: RanksRequest): Placed | undefined {
  const { use, stages, microbatches } = request;
  if (use.kind === 'policy') {
    const chunks = use.policy.chunks(use.args);
    if (stages % chunks !== 0) return unevenChunks(notes, request, chunks);
    const replicas = replicasOf(notes, request);
    if (refusesTurns(notes, request)) return undefined;
    const devices = replicas.reduce((sum, replica) => sum + replica, 0) / chunks;
    const { iterations } = request;
    const shape = bareShape({ devices, stages, chunks, microbatches, iterations, args: use.args, replicas });
    return { of: use.policy.placement(shape), copies: use.policy.copies?.(shape) };
  }
  if (refusesTurns(notes, request)) return undefined;
  const { definition } = use;
  const found = ownPlacementFor(notes, request, definition);
  if (found === undefined) return undefined;
  if (!('problem' in found)) {
    const pinned = request.blocks?.some((block) => block.on !== undefined) === true;
    if (found.devices === undefined || !pinned)
      return { of: found.placement, copies: found.copies, devices: found.devices };
    notes.report.report('type/mismatch', request.at.schedule, {
      expected: 'a schedule with a stage on each device, because `on` of the stages names their devices',
      found: `"${definition.name}", which lets devices idle`,
    });
    return undefined;
  }
  const { problem, values = [] } = found;
  const parameters = { policy: definition.name, problem, input: 'stages', values };
  notes.report.report('schedule/shape', request.at.schedule, parameters, hintFor(request, values));
  return undefined;
}

const hintFor = ({ pipeline }: RanksRequest, values: readonly number[]): { readonly hint?: FixHint } =>
  values.length === 0 ? {} : { hint: { kind: 'value', pipeline, input: 'stages', values } };

/** The placement of a schedule that a file declares, or why the stages do not fit it; `undefined` for what has been reported. */
function ownPlacementFor(
  notes: Notes,
  request: RanksRequest,
  definition: ScheduleDefinition,
): OwnPlacement | undefined {
  const { stages, microbatches } = request;
  const { placement, on } = definition;
  const asking = askingAt(notes, request.at.schedule);
  // Arguments that a condition refuses may leave nothing to place by.
  if (reportUnmet(notes, request.pipeline, request.at.schedule, definition, unknownNumbers)) return undefined;
  if (on !== undefined) {
    const devices = devicesFor(asking, definition, request);
    if (devices === undefined || typeof devices !== 'number') return devices;
    const numbers = { stages, devices, microbatches };
    // A shape that the schedule refuses may have no device for a stage.
    if (reportUnmet(notes, request.pipeline, request.at.schedule, definition, numbers)) return undefined;
    return ownPlacement(asking, definition, numbers);
  }
  if (placement === undefined) {
    const devices =
      definition.kind === 'rows' ? rowsPlacement(asking, definition, stages, microbatches) : linear(stages);
    const numbers = { stages, devices: 1 + devices.reduce((most, device) => Math.max(most, device), 0), microbatches };
    return ownPlacement(asking, definition, numbers, devices);
  }
  const { rule, chunks } = placement;
  if (typeof rule === 'string' && stages % chunks !== 0) return unevenChunks(notes, request, chunks);
  const devices = typeof rule === 'string' ? stages / chunks : rule.length;
  return ownPlacement(asking, definition, { stages, devices, microbatches });
}

/** The number of devices on which `on` has these stages: all that the cluster has for the pipeline, or the fewest. */
export function devicesFor(
  { schedules, heard }: Asking,
  definition: ScheduleDefinition,
  { stages, cluster, mesh }: Pick<RanksRequest, 'stages' | 'cluster' | 'mesh'>,
): number | Unfit | undefined {
  const near: number[] = [];
  let refusal: Unfit | undefined;
  const room = Math.trunc(cluster.devices.length / sizeOf(mesh));
  for (const devices of [room, ...Array.from({ length: Math.max(room, stages) }, (_, index) => index + 1)]) {
    if (devices === 0) continue;
    const found = heard(schedules.stages(definition, devices));
    if (found === undefined) return undefined;
    if (found === stages) return devices;
    if (typeof found === 'number') near.push(found);
    else refusal ??= { problem: found.problem };
  }
  if (near.length === 0 && refusal !== undefined) return refusal;
  const values = [...new Set(near)].sort((a, b) => Math.abs(a - stages) - Math.abs(b - stages) || a - b).slice(0, 2);
  const problem = `"stages" is ${stages} for no number of devices`;
  return { problem, values };
}

/**
 * Rows without a placement: as many devices as stages. If every device has a row and there are fewer rows than stages, a stage is
 * on the device whose row first names it (`F[0, stage = 2]`).
 */
function rowsPlacement(
  { schedules }: Asking,
  definition: RowsDefinition,
  stages: number,
  microbatches: number,
): Int32Array {
  const devices = definition.devices?.length ?? stages;
  if (devices >= stages || definition.devices?.every((device) => device < devices) !== true) return linear(stages);
  const placement = loop(stages, devices);
  const stagesOf = stagesOfDevices(placement, undefined, devices);
  const { value: rows } = schedules.rows(definition, { stages, devices, microbatches, stagesOf });
  // Rows that name no stage are rows of devices with one stage, and others are not written yet.
  if (rows === undefined) return linear(stages);
  const named = new Set<number>();
  for (const [device, row] of rows.entries()) {
    const written = unpack(row.kinds);
    for (const [at, piece] of unpack(row.stages).entries()) {
      // An operation that the schedule declares may leave its stage out.
      if (written[at] >= kinds) continue;
      const stage = Math.trunc(piece / definition.parts);
      if (stage < stages && !named.has(stage)) placement[stage] = device;
      named.add(stage);
    }
  }
  return placement;
}

function unevenChunks(notes: Notes, { stages, layers, at, use }: RanksRequest, chunks: number): undefined {
  const below = stages - (stages % chunks);
  const possible = [below, below + chunks].filter((number) => number > 0 && number <= layers);
  const advice =
    possible.length > 0
      ? `nearest: ${possible.join(' or ')} stages`
      : `put fewer stages on each device, because ${count(layers, 'layer makes', 'layers make')} at most ${count(layers, 'stage', 'stages')}`;
  const name = use.kind === 'policy' ? use.policy.name : use.definition.name;
  const message = `${name} puts ${count(chunks, 'stage', 'stages')} on each device, but ${count(stages, 'stage', 'stages')} do not divide by ${chunks.toLocaleString('en-US')}; ${advice}.`;
  notes.report.report('stage/device-count', at.stages, { message });
  return undefined;
}

/** What the outermost groups of a cluster are called, and how many of them have enough devices; undefined if they differ. */
function enoughOf(
  { devices, groups, nodes }: RanksRequest['cluster'],
  needed: number,
): { readonly name: string; readonly count: number } | undefined {
  const [first] = devices;
  if (first === undefined) return undefined;
  if (nodes.length === 0)
    return groups.length === 1 ? { name: first.name.replace(/\[.*$/s, ''), count: needed } : undefined;
  const sizes = new Set(nodes.map((node) => groups[node].end - groups[node].first));
  const [size] = sizes;
  const inNodes = nodes.length * size === devices.length;
  return sizes.size === 1 && inNodes ? { name: 'node', count: Math.ceil(needed / size) } : undefined;
}

function ranksInOrder(notes: Notes, request: RanksRequest, placed: Placed): Ranks | undefined {
  const { cluster, at } = request;
  const meshes = meshesOf(notes, request, placed);
  if (meshes === undefined) return undefined;
  const needed = meshes.reduce((sum, mesh) => sum + sizeOf(mesh), 0);
  if (needed > cluster.devices.length) {
    const [first] = meshes;
    const alike = meshes.every((mesh) => mesh === first);
    const size = sizeOf(first);
    const each = size === 1 ? '' : ` of ${size} devices each (${meshName(first)})`;
    const fit = Math.floor(cluster.devices.length / size);
    const enough = enoughOf(cluster, needed);
    const write =
      enough === undefined ? 'not one rank fits' : `write \`${enough.name}[${enough.count}]\` in the cluster`;
    const most = fit === 0 ? `; ${write}` : alike ? `; at most ${count(fit, 'rank fits', 'ranks fit')}` : '';
    const message =
      `${count(meshes.length, 'pipeline rank', 'pipeline ranks')}${alike ? each : ' of different meshes'} ${meshes.length === 1 ? 'needs' : 'need'} ${count(needed, 'device', 'devices')}, ` +
      `but "${cluster.name}" has ${cluster.devices.length}${most}.`;
    notes.report.report(
      'stage/device-count',
      at.stages,
      { message },
      {
        ...(enough === undefined
          ? {}
          : { hint: { kind: 'value', pipeline: request.pipeline, input: enough.name, values: [enough.count] } }),
        related: [
          {
            place: notes.report.place(at.devices),
            message: `${count(cluster.devices.length, 'device', 'devices')} here.`,
          },
        ],
      },
    );
    return undefined;
  }
  const found: Rank[] = [];
  let next = 0;
  for (const [index, mesh] of meshes.entries()) {
    const size = sizeOf(mesh);
    const inner = mesh.tensor * mesh.context;
    const devices = devicesInBlocks(
      request.order === 'tp_cp_dp_pp'
        ? { first: next, size, inner: size, gap: 0 }
        : { first: index * inner, size, inner, gap: (meshes.length - 1) * inner },
    );
    next += size;
    const rank = rankOf(notes, request, { devices, mesh, at: at.devices });
    if (rank === undefined) return undefined;
    found.push(rank);
  }
  return { ranks: found, placement: Array.from(placed.of), copies: placed.copies };
}

/** The mesh of each rank: its stages must all have the same. */
function meshesOf(
  notes: Notes,
  { blocks, mesh: base, order }: RanksRequest,
  placed: Placed,
): readonly Mesh[] | undefined {
  const meshes: Mesh[] = [];
  const holder: StageBlock[] = [];
  for (const [index, rank] of Array.from(placed.of).entries()) {
    const block = blocks?.[placed.copies?.[index].stage ?? index];
    const mesh = block?.mesh ?? base;
    const known = meshes[rank];
    if (known !== undefined && block !== undefined && !sameMesh(known, mesh)) {
      const message = `Stages "${holder[rank].name}" and "${block.name}" share their devices, but "${holder[rank].name}" is for ${meshName(known)} and "${block.name}" for ${meshName(mesh)}.`;
      notes.report.report('stage/device-count', block.at, { message });
      return undefined;
    }
    meshes[rank] = mesh;
    if (block !== undefined) holder[rank] = block;
  }
  // A device without a stage waits in the mesh of the pipeline.
  for (let rank = 0; rank < (placed.devices ?? 0); rank += 1) meshes[rank] ??= base;
  const odd = meshes.findIndex((mesh) => !sameMesh(mesh, meshes[0]));
  if (order === 'tp_cp_pp_dp' && odd >= 0) {
    const message = `\`rank_order = tp_cp_pp_dp\` needs stages of one mesh, and "${holder[odd].name}" is for ${meshName(meshes[odd])}; use \`on\` to place stages of different meshes.`;
    notes.report.report('stage/device-count', holder[odd].at, { message });
    return undefined;
  }
  return meshes;
}

/** A group of devices of one kind: its slowest member would set the pace of all, so kinds are not mixed. */
function rankOf(
  notes: Notes,
  { cluster, mesh: base }: RanksRequest,
  {
    devices,
    mesh,
    at,
    own,
  }: { readonly devices: readonly number[]; readonly mesh: Mesh; readonly at: Span; readonly own?: Span },
): Rank | undefined {
  const kinds = new Set(devices.map((device) => cluster.devices[device].kind));
  const [kind] = kinds;
  const split = mesh.data / base.data;
  if (kinds.size === 1) return { devices, kind, mesh, at: own, ...(split === 1 ? {} : { split }) };
  const message = `One pipeline rank would mix ${list([...kinds].map((device) => device.name))} among its ranks; they must be of one kind.`;
  notes.report.report('stage/device-count', at, { message });
  return undefined;
}

function ranksOn(notes: Notes, request: RanksRequest, placed: Placed): Ranks | undefined {
  const { cluster, blocks = [] } = request;
  const before = notes.report.errors();
  const ranks: Rank[] = [];
  const byDevices = new Map<string, number>();
  const holder = new Map<number, number>();
  const placement: number[] = [];
  /** Ranks of each stage: several where its replicas take turns. */
  const turns: number[][] = [];
  for (const block of blocks) {
    const { on, replicate, mesh = request.mesh } = block;
    const size = sizeOf(mesh);
    if (on === undefined) {
      notes.report.report('key/missing', block.at, { key: 'on', block: 'stage', example: 'on = gpu[0]' });
      continue;
    }
    const devices = on.end.devices(notes.report, cluster.groups, 0, cluster.nodes);
    if (devices === undefined) continue;
    if (replicate === undefined ? devices.length !== size : devices.length % size !== 0) {
      const needs =
        replicate === undefined
          ? `${meshName(mesh)} needs ${size}${devices.length > size && devices.length % size === 0 ? '; set `replicate` to share the work among replicas' : ''}`
          : `they do not divide into replicas of ${size} devices (${meshName(mesh)})`;
      const message = `Stage "${block.name}" has ${count(devices.length, 'device', 'devices')}, but ${needs}.`;
      notes.report.report('stage/device-count', on.at, { message });
      continue;
    }
    const replicas = devices.length / size;
    const numbers: number[] = [];
    for (const group of replicate?.rule === 'round_robin' ? groups(devices, size) : [devices]) {
      const key = `${replicas}:${JSON.stringify(mesh)}:${group.join()}`;
      let index = byDevices.get(key);
      if (index === undefined) {
        index = ranks.length;
        const shared = group.find((value) => holder.has(value));
        const rank = rankOf(notes, request, {
          devices: group,
          mesh,
          at: on.at,
          own: on.chosen === true ? undefined : on.at,
        });
        if (shared !== undefined) {
          const message = `Stage "${block.name}" shares ${cluster.devices[shared].name} with another stage but not all of its devices.`;
          notes.report.report('stage/device-count', on.at, { message });
        }
        if (rank === undefined || shared !== undefined) continue;
        byDevices.set(key, index);
        for (const device of group) holder.set(device, index);
        ranks.push(replicate?.rule === 'split' ? { ...rank, split: (rank.split ?? 1) * replicas } : rank);
      }
      numbers.push(index);
    }
    turns.push(numbers);
    placement.push(numbers[0]);
  }
  if (notes.report.errors() !== before) return undefined;
  const { use } = request;
  if (placed.copies !== undefined && use.kind === 'policy' && use.policy.replicates === true) {
    const { copies } = placed;
    return { ranks, placement: copies.map(({ stage, first }) => turns[stage][first]), copies };
  }
  if (placed.copies !== undefined)
    return { ranks, placement: copiesOn(placed, placed.copies, placement), copies: placed.copies };
  notePlaces(notes, request, placed.of, { ranks, placement });
  return { ranks, placement };
}

/** Copies go to the rank of the stage whose device the schedule gives them: `on` names the rank of each first copy. */
function copiesOn(placed: Placed, copies: readonly StageCopy[], placement: readonly number[]): readonly number[] {
  const rankOfDevice = new Map<number, number>();
  for (const [index, { stage }] of copies.entries()) {
    if (firstCopy(copies, stage) === index) rankOfDevice.set(placed.of[index], placement[stage]);
  }
  return copies.map(({ stage }, index) => rankOfDevice.get(placed.of[index]) ?? placement[stage]);
}
