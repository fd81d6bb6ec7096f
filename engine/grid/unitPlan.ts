/** The plan of a schedule on layers that all take the same: F = I = W = 1, and nothing to transfer. */
import type { OnRule, ScheduleDefinition, ScheduleNumbers, UnmetCondition } from '../definitions/schedule.ts';
import type { RowTracer } from '../definitions/rowTracer.ts';
import type { EngineOptions } from '../basics/host.ts';
import type { Reporter } from '../findings/reporter.ts';
import { packedHas } from '../basics/packed.ts';
import type { EdgePlan, PipelinePlan, SchedulePlan, StageCopy, StagePlan } from '../values/plan.ts';
import { copyEdges, copyNames, copyPlan } from '../planning/place/copies.ts';
import { steadyIterations } from '../planning/steadyIterations.ts';
import { ownPlacement, stagesOfDevices } from '../planning/place/ownPlacement.ts';
import { operationsPlan } from '../planning/place/operationCopies.ts';
import { ofCopies } from '../planning/place/rowCopies.ts';
import { inProgram, ruleOperations } from '../planning/ruleOperations.ts';
import { withTimes } from '../planning/scheduleTimes.ts';
import { type Excess, shapeExcess } from './shapeLimit.ts';
import { findPolicy } from '../policies/registry.ts';
import { R } from '../values/program.ts';

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

/** Stages on this many devices; `undefined` where the schedule refuses them, or does not say so (reported). */
export function stagesOn(
  definition: Pick<ScheduleDefinition, 'placement' | 'on'>,
  devices: number,
  report: Reporter,
): number | undefined {
  const found = stagesFor(definition, devices, report);
  return typeof found === 'number' ? found : undefined;
}

function stagesFor(
  { placement, on }: Pick<ScheduleDefinition, 'placement' | 'on'>,
  devices: number,
  report: Reporter,
): ReturnType<OnRule['stages']> {
  if (on !== undefined) return on.stages(devices, report);
  if (placement === undefined) return devices;
  return typeof placement.rule === 'string' ? devices * placement.chunks : placement.rule.flat().length;
}

/** Where stages are. */
interface Placed {
  readonly placement: readonly number[];
  readonly copies?: readonly StageCopy[] | undefined;
  /** Pieces that every microbatch is cut into. Default: 1. */
  readonly parts?: number;
}

export interface UnitPlan {
  readonly plan: PipelinePlan;
  /** What wrote each operation; absent for a rule. */
  readonly trace?: () => RowTracer;
}

/** Why a schedule takes no such shape, and the nearest numbers that it takes where it knows them. */
interface Refused {
  readonly refused: string;
  readonly nearest?: UnmetCondition['nearest'];
}

/** Numbers of a shape that the schedule takes; `refused` says why it takes no such shape. Without either, what is wrong has been reported. */
export function takenShape(
  definition: ScheduleDefinition,
  { devices, microbatches, iterations }: Shape,
  report: Reporter,
): { readonly numbers: Required<ScheduleNumbers> } | Refused | { readonly refused?: undefined } {
  const stages = stagesFor(definition, devices, report);
  if (stages === undefined) return {};
  if (typeof stages !== 'number') return refusal(stages);
  const usual = definition.weights === 'flush' ? 1 : steadyIterations(Math.max(stages, devices), microbatches);
  const numbers = { stages, devices, microbatches, iterations: iterations ?? usual };
  const before = report.errors();
  const unmet = definition.unmet(numbers, report);
  // A condition may be wrong for these numbers.
  if (unmet === undefined && report.errors() > before) return {};
  return unmet === undefined ? { numbers } : refusal(unmet);
}

const refusal = ({ problem, nearest }: UnmetCondition): Refused => ({ refused: problem, nearest });

type Shape = Pick<ScheduleNumbers, 'devices' | 'microbatches' | 'iterations'>;

/**
 * A plan; `refused` says why the schedule takes no such shape, and `excess` why it is too large to be built, which is known before
 * anything is made. Without any of them, what is wrong has been reported. Default of `iterations`:
 * as many as an asynchronous schedule needs to be in step.
 */
export function unitPlan(
  definition: ScheduleDefinition,
  shape: Shape,
  report: Reporter,
  limits: EngineOptions['limits'],
): UnitPlan | Refused | { readonly refused?: undefined; readonly excess?: Excess } {
  const taken = takenShape(definition, shape, report);
  if (!('numbers' in taken)) return taken;
  const { numbers } = taken;
  const excess = shapeExcess(definition.name, numbers, limits);
  if (excess !== undefined) return { excess };
  const found = ownPlacement(definition, numbers, report);
  if (found === undefined) return {};
  if ('problem' in found) return { refused: found.problem };
  const placed = { placement: Array.from(found.placement), copies: found.copies };
  const schedule = scheduleOf(definition, numbers, placed, report);
  if (schedule === undefined) return {};
  const plan = planOf(schedule, numbers, placed);
  const timed = withTimes(schedule, definition, numbers, plan.stages, report);
  if (timed === undefined) return {};
  const { body } = definition;
  const stagesOf = stagesOfDevices(placed.placement, placed.copies, numbers.devices);
  return {
    plan: { ...plan, schedule: timed },
    ...(body.kind === 'rows' ? { trace: () => body.trace({ ...numbers, stagesOf }) } : {}),
  };
}

function scheduleOf(
  { name, body, placement, split, weights }: ScheduleDefinition,
  numbers: ScheduleNumbers,
  { placement: of, copies }: Placed,
  report: Reporter,
): SchedulePlan | undefined {
  if (body.kind === 'greedy') {
    const inFlight = body.inFlight(numbers, report);
    const rule = body.rule(numbers, report);
    if (inFlight === undefined || rule === undefined) return undefined;
    const chosen = ruleOperations(body, { ...numbers, stagesOf: stagesOfDevices(of, copies, numbers.devices) }, report);
    if (chosen === undefined) return undefined;
    const { prefer } = body;
    const greedy = { kind: 'greedy', name, placement: placement?.rule ?? 'linear', split, prefer, inFlight } as const;
    return {
      ...greedy,
      weights,
      ...(rule === null ? {} : { rule }),
      ...(chosen === 'none' ? {} : inProgram(chosen, of, copies)),
    };
  }
  const stagesOf = stagesOfDevices(of, copies, numbers.devices);
  const rows = body.expand({ ...numbers, stagesOf }, report);
  if (rows === undefined) return undefined;
  const used = body.operations?.({ ...numbers, stagesOf }, rows, report);
  if (used === undefined && body.operations !== undefined) return undefined;
  return {
    kind: 'rows',
    name,
    rows: copies === undefined ? rows : ofCopies(rows, of, copies),
    ...(body.fill === true ? { fill: true } : {}),
    ...(body.apart === true ? { apart: true } : {}),
    ...(weights === 'flush' ? {} : { weights }),
    ...(used === undefined || used === 'none' ? {} : { operations: operationsPlan(used, rows, of, copies) }),
  };
}

/** R repeats a forward. */
function recomputes(schedule: SchedulePlan): boolean {
  if (schedule.kind === 'greedy') return schedule.rule?.recomputes !== undefined;
  if (schedule.kind === 'rows') return schedule.rows.some(({ kinds }) => packedHas(kinds, R));
  const { name, args } = schedule;
  return args['recompute'] === 'ahead' || findPolicy(name)?.recompute?.(args) !== undefined;
}

/** A chain of unit stages under a schedule. */
export function planOf(
  schedule: SchedulePlan,
  { stages, devices, microbatches, iterations = 1 }: ScheduleNumbers,
  { placement, copies, parts = 1 }: Placed,
): PipelinePlan {
  const times = { ...unit, recompute: recomputes(schedule) ? unit.forward : 0 };
  const cut = Array.from({ length: stages }, (_, stage) => `s${stage}`);
  const names = copies === undefined ? cut : copyNames(cut, copies);
  const chain = Array.from({ length: stages - 1 }, (_, stage): EdgePlan => ({ from: stage, to: stage + 1, bytes: 0 }));
  return {
    name: schedule.name,
    model: '',
    unitTimes: true,
    microbatches: microbatches * parts,
    iterations,
    schedule,
    devices: Array.from({ length: devices }, (_, device) => ({
      name: `device ${device}`,
      kind: '',
      memory: Infinity,
      reserved: 0,
    })),
    stages: Array.from(placement, (_, stage): StagePlan => {
      const copy = copies?.[stage];
      return copyPlan({ ...times, name: names[stage] }, copy, parts, 1);
    }),
    placement,
    edges: copies === undefined ? chain : copyEdges(chain, copies),
    routes: [],
    tensor: 1,
    context: 1,
    data: 1,
    expert: 1,
    microBatchSize: 1 / parts,
    step: Array.from({ length: devices }, () => ({ sync: 0, optimizer: 0 })),
    expects: [],
  };
}
