/** The plan of a schedule on layers that all take the same: F = I = W = 1, and nothing to transfer. */
import type { ScheduleDefinition, ScheduleNumbers } from '../definitions/schedule.ts';
import type { Reporter } from '../findings/reporter.ts';
import type { EdgePlan, PipelinePlan, SchedulePlan, StageCopy, StagePlan } from '../plan.ts';
import { copyEdges, copyPlan } from '../planning/place/copies.ts';
import { ofCopies } from '../planning/schedulePlan.ts';
import { inParts, placementOf } from '../policies/placement.ts';

const unit = {
  layers: [],
  parameters: 0,
  forwardFlops: 0,
  forward: 1,
  backwardInput: 1,
  backwardWeight: 1,
  recompute: 0,
  splitKnown: true,
  weights: 0,
  gradients: 0,
  optimizer: 0,
  activation: 1,
  activationForWeight: 1,
  recomputed: 0,
  workspace: 0,
  buffers: 0,
  recomputeMode: 'none',
} as const;

/** Stages on this many devices. */
export function stagesOn({ placement }: Pick<ScheduleDefinition, 'placement'>, devices: number): number {
  if (placement === undefined) return devices;
  return typeof placement.rule === 'string' ? devices * placement.chunks : placement.rule.flat().length;
}

/** Where stages are. */
interface Placed {
  readonly placement: readonly number[];
  readonly copies?: readonly StageCopy[] | undefined;
}

/** A plan; `refused` says why the schedule takes no such shape. Without either, what is wrong has been reported. */
export function unitPlan(
  definition: ScheduleDefinition,
  { devices, microbatches }: Pick<ScheduleNumbers, 'devices' | 'microbatches'>,
  report: Reporter,
): { readonly plan: PipelinePlan } | { readonly refused?: string } {
  const numbers = { stages: stagesOn(definition, devices), devices, microbatches };
  const found = placementOf(definition.placement?.rule ?? 'linear', numbers.stages, devices);
  if ('problem' in found) return { refused: found.problem };
  const unmet = definition.unmet(numbers, report);
  if (unmet !== undefined) return { refused: unmet.problem };
  const { parts } = definition;
  if (parts > 1 && found.copies !== undefined) return { refused: 'stages with two copies cannot have parts' };
  const parted = inParts(found.placement, parts);
  const placed = { placement: Array.from(parted.placement), copies: parted.copies ?? found.copies };
  const schedule = scheduleOf(definition, numbers, placed, report);
  return schedule === undefined ? {} : { plan: planOf(schedule, numbers, placed) };
}

function scheduleOf(
  { name, body, placement, split, weights, parts }: ScheduleDefinition,
  numbers: ScheduleNumbers,
  { placement: of, copies }: Placed,
  report: Reporter,
): SchedulePlan | undefined {
  if (body.kind === 'greedy') {
    const inFlight = body.inFlight(numbers, report);
    const { prefer } = body;
    const rule = placement?.rule ?? 'linear';
    return inFlight && { kind: 'greedy', name, placement: rule, split, prefer, inFlight, weights };
  }
  const stagesOf: number[][] = Array.from({ length: numbers.devices }, () => []);
  for (const [stage, device] of of.entries())
    if ((copies?.[stage].segment ?? 0) === 0) stagesOf[device].push(copies?.[stage].stage ?? stage);
  const rows = body.expand({ ...numbers, stagesOf }, report);
  return (
    rows && {
      kind: 'rows',
      name,
      rows: copies === undefined || parts > 1 ? rows : ofCopies(rows, { placement: of }, copies),
    }
  );
}

/** A chain of unit stages under a schedule. */
export function planOf(
  schedule: SchedulePlan,
  { stages, devices, microbatches }: ScheduleNumbers,
  { placement, copies }: Placed,
): PipelinePlan {
  const chain = Array.from({ length: stages - 1 }, (_, stage): EdgePlan => ({ from: stage, to: stage + 1, bytes: 0 }));
  return {
    name: schedule.name,
    model: '',
    microbatches,
    iterations: 1,
    schedule,
    devices: Array.from({ length: devices }, (_, device) => ({
      name: `device ${device}`,
      kind: '',
      memory: Infinity,
      reserved: 0,
    })),
    stages: Array.from(placement, (_, stage): StagePlan => {
      const copy = copies?.[stage];
      return copyPlan({ ...unit, name: `s${copy?.stage ?? stage}` }, copy, 1, 1);
    }),
    placement,
    edges: copies === undefined ? chain : copyEdges(chain, copies),
    routes: [],
    tensor: 1,
    context: 1,
    data: 1,
    expert: 1,
    microBatchSize: 1,
    step: Array.from({ length: devices }, () => ({ sync: 0, optimizer: 0 })),
    expects: [],
  };
}
