/** The stages that a planner made, as `stage` blocks and as the report shows them. */
import type { DeviceSet } from '../../definitions/cluster.ts';
import type { PlanCut, Replication, StageBlock } from '../../definitions/cut.ts';
import { elementName } from '../../definitions/model.ts';
import { type Mesh, sameMesh, sizeOf } from '../../costs/mesh.ts';
import type { CutPlan } from '../../values/plan.ts';
import type { Uncut } from '../../definitions/pipeline.ts';
import type { Planned } from './planners/layers.ts';
import type { PlannerLevel } from './planners/pipedreamProblem.ts';
import { deviceText } from '../place/deviceText.ts';

/** A plan, and what a person reads about it. */
export interface Explained extends Planned {
  readonly tooltip: string;
  /** Each stage in a few words, what these are, and fewer words for the hint itself. */
  readonly shown?: { readonly stages: readonly string[]; readonly of: string; readonly short?: readonly string[] };
  readonly levels: readonly PlannerLevel[];
}

/** A stage as a block, and its words. */
export interface PlannedStageBlock {
  readonly block: StageBlock;
  readonly layers: readonly string[];
  readonly replicas: number;
  readonly devices: readonly number[];
  readonly on?: string;
  readonly replicate?: string;
  readonly ranks?: { readonly tensor: number; readonly data: number };
}

/** `on` only if a stage has several replicas or devices are left out between stages, so that a plain cut stays one. */
export function blocksOf(
  { model, mesh }: Uncut,
  { at, planner }: PlanCut,
  { stages, order: planned }: Planned,
  order: Int32Array,
): readonly PlannedStageBlock[] {
  const rule: Replication = planner === 'dapple' ? 'split' : 'round_robin';
  const size = sizeOf(mesh);
  let next = 0;
  const placed = stages.map(({ replicas, machines }) => {
    const first = next;
    next += replicas;
    return machines ?? Array.from({ length: replicas }, (_, index) => first + index);
  });
  const pinned =
    placed.length < next ||
    placed.some(([machine], stage) => machine !== stage) ||
    stages.some(({ ranks }) => ranks !== undefined);
  return stages.map(({ from, to, replicas, ranks }, stage) => {
    const elements = Array.from({ length: to - from }, (_, index) => order[planned?.[from + index] ?? from + index]);
    const devices = placed[stage].flatMap((machine) => Array.from({ length: size }, (_, at) => machine * size + at));
    const end: DeviceSet = { devices: () => devices };
    const replicate = replicas > 1;
    return {
      block: {
        name: `s${stage}`,
        at,
        elements,
        ...(pinned ? { on: { end, at } } : {}),
        ...(replicate ? { replicate: { rule, at } } : {}),
        ...(ranks === undefined ? {} : { mesh: meshOf(mesh, ranks) }),
      },
      layers: elements.map((element) => elementName(model, element)),
      devices,
      replicas,
      ...(pinned ? { on: deviceText(devices) } : {}),
      ...(replicate ? { replicate: rule } : {}),
      ...(ranks === undefined ? {} : { ranks }),
    };
  });
}

/** The mesh of a stage with these ranks, as a `stage` block that names them has it. */
export const meshOf = (base: Mesh, { tensor, data }: Pick<Mesh, 'tensor' | 'data'>): Mesh => {
  const expertTensor = base.expertTensor === base.tensor ? tensor : base.expertTensor;
  const mesh: Mesh = { ...base, tensor, data, expertTensor };
  return sameMesh(mesh, base) ? base : mesh;
};

/** What the report says of the plan. */
export function cutPlan(
  { cluster }: Uncut,
  { planner, objective, allocation, worker }: PlanCut,
  planned: Explained,
  blocks: readonly PlannedStageBlock[],
): CutPlan {
  const { seconds, least, exact, levels } = planned;
  return {
    planner,
    ...(planner === 'pipedream' ? { objective } : {}),
    ...(allocation === undefined ? {} : { allocation, worker }),
    value: seconds,
    least,
    exact,
    // One machine has no link.
    levels: levels.map(({ machines, bandwidth }) => ({
      machines,
      ...(bandwidth < Infinity ? { bandwidth } : {}),
    })),
    stages: blocks.map(({ block, layers, replicas, ranks, devices }) => ({
      name: block.name,
      layers,
      replicas,
      ...ranks,
      devices: devices.map((device) => cluster.devices[device].name),
    })),
  };
}
