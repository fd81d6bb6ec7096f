/** The plan of a schedule on layers that all take the same: F = I = W = 1, and nothing to transfer. */
import type { ScheduleDefinition, ScheduleNumbers } from '../definitions/schedule.ts';
import type { PlacedNumbers, UnmetCondition } from '../definitions/scheduleEvaluator.ts';
import type { RowTracer } from '../definitions/rowTracer.ts';
import type { EngineOptions } from '../basics/host.ts';
import type { Reporter } from '../findings/reporter.ts';
import { packedHas } from '../basics/packed.ts';
import type { EdgePlan, PipelinePlan, SchedulePlan, StageCopy, StagePlan } from '../values/plan.ts';
import { rowsPlan, rulePlan } from '../planning/ownOrder.ts';
import { type Asking, askingWith } from '../planning/ownSchedule.ts';
import { copyEdges, copyNames, copyPlan } from '../planning/place/copies.ts';
import { steadyIterations } from '../planning/steadyIterations.ts';
import { ownPlacement, stagesOfDevices } from '../planning/place/ownPlacement.ts';
import { withTimes } from '../planning/scheduleTimes.ts';
import { scheduleEvaluator } from '../read/scheduleEvaluator.ts';
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

/** What is wrong with a schedule is added to this reporter. */
export const askingFor = (report: Pick<Reporter, 'add'>): Asking =>
  askingWith(scheduleEvaluator, (findings) => {
    for (const found of findings) report.add(found);
  });

/** Stages on this many devices; `undefined` where the schedule refuses them, or does not say so. */
export function stagesOn(definition: ScheduleDefinition, devices: number): number | undefined {
  const { value } = scheduleEvaluator.stages(definition, devices);
  return typeof value === 'number' ? value : undefined;
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

/** Why a schedule takes no such shape, and its condition that does not hold, if that is why. */
interface Refused {
  readonly refused: string;
  readonly unmet?: UnmetCondition;
}

/** Numbers of a shape that the schedule takes; `refused` says why it takes no such shape. Without either, something is wrong. */
export function takenShape(
  definition: ScheduleDefinition,
  { devices, microbatches, iterations }: Shape,
  { schedules, heard }: Asking = askingWith(scheduleEvaluator),
): { readonly numbers: Required<ScheduleNumbers> } | Refused | { readonly refused?: undefined } {
  const stages = heard(schedules.stages(definition, devices));
  if (stages === undefined) return {};
  if (typeof stages !== 'number') return refusal(stages);
  const usual = definition.weights === 'flush' ? 1 : steadyIterations(Math.max(stages, devices), microbatches);
  const numbers = { stages, devices, microbatches, iterations: iterations ?? usual };
  const answer = schedules.unmet(definition, numbers);
  const unmet = heard(answer);
  if (unmet !== undefined) return refusal(unmet);
  // A condition may be wrong for these numbers.
  return answer.findings.some(({ severity }) => severity === 'error') ? {} : { numbers };
}

const refusal = (unmet: UnmetCondition): Refused => ({ refused: unmet.problem, unmet });

type Shape = Pick<ScheduleNumbers, 'devices' | 'microbatches' | 'iterations'>;

/**
 * A plan; `refused` says why the schedule takes no such shape, and `excess` why it is too large to be built, which is known before
 * anything is made. Without any of them, what is wrong has been reported. Default of `iterations`:
 * as many as an asynchronous schedule needs to be in step.
 */
export function unitPlan(
  definition: ScheduleDefinition,
  shape: Shape,
  report: Pick<Reporter, 'add'>,
  limits: EngineOptions['limits'],
): UnitPlan | Refused | { readonly refused?: undefined; readonly excess?: Excess } {
  const asking = askingFor(report);
  const taken = takenShape(definition, shape, asking);
  if (!('numbers' in taken)) return taken;
  const { numbers } = taken;
  const excess = shapeExcess(definition.name, numbers, limits);
  if (excess !== undefined) return { excess };
  const found = ownPlacement(asking, definition, numbers);
  if (found === undefined) return {};
  if ('problem' in found) return { refused: found.problem };
  const placed = { placement: Array.from(found.placement), copies: found.copies };
  const asked = { ...numbers, stagesOf: stagesOfDevices(placed.placement, placed.copies, numbers.devices) };
  const schedule = orderOf(asking, definition, asked, placed);
  if (schedule === undefined) return {};
  const plan = planOf(schedule, numbers, placed);
  const timed = withTimes(asking, schedule, definition, numbers, plan.stages);
  if (timed === undefined) return {};
  return {
    plan: { ...plan, schedule: timed },
    ...(definition.kind === 'rows' ? { trace: () => scheduleEvaluator.trace(definition, asked) } : {}),
  };
}

function orderOf(
  { schedules, heard }: Asking,
  definition: ScheduleDefinition,
  numbers: PlacedNumbers,
  placed: Placed,
): SchedulePlan | undefined {
  if (definition.kind === 'greedy') {
    const order = heard(schedules.ruleOrder(definition, numbers));
    return order && rulePlan(definition, order, placed);
  }
  const rows = heard(schedules.rows(definition, numbers));
  const used = rows && heard(schedules.operations(definition, numbers, rows));
  return rows && used && rowsPlan(definition, rows, used, placed);
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
