import { count } from '../basics/quantities.ts';
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { type PipelinePlan, type SchedulePlan, paths } from '../values/plan.ts';
import { programCopies } from './copies.ts';
import { fillTable } from './fillTable.ts';
import { greedy } from './greedy.ts';
import { keptProgram, programOfShape } from './keptPrograms.ts';
import type { OperationSink, Policy, Shape, ShapeFault } from '../policies/policy.ts';
import { B, E, F, I, L, type Program, type ProgramCopies, R, U, W, kinds, shiftFor } from '../values/program.ts';
import { findPolicy, policies } from '../policies/registry.ts';
import { search } from '../policies/builtin/search.ts';
import { emitWords } from '../policies/searched/emit.ts';
import { isWhole } from '../policies/searched/problem.ts';
import type { Words } from '../search/layout.ts';
import type { OrderProblem } from '../search/orderProblem.ts';
import { recomputeAhead } from './recomputeAhead.ts';
import { relocate } from './relocate.ts';
import { programOfRows } from './rows.ts';
import { shapeOf } from '../policies/shape.ts';
import { misplaced } from './validate.ts';

export type Generated = { readonly program: Program } | { readonly faults: readonly PlanFinding[] };

/**
 * The order of each device under the plan's schedule, or why there is none. `schedule/shape`: numbers that a policy cannot take.
 * `schedule/repeated`: rows with operations that cannot be. `value/range`: a rule that never starts a stage. Built-in policies
 * give programs that are complete and end; `validate` checks the programs of rows.
 */
export function generate(plan: PipelinePlan): Generated {
  const fault = tooMany(plan);
  if (fault !== undefined) return { faults: [fault] };
  switch (plan.schedule.kind) {
    case 'policy':
      return byPolicy(plan, plan.schedule);
    case 'rows': {
      const made = programOfRows(plan, plan.schedule.rows);
      if (plan.schedule.fill !== true || !('program' in made) || misplaced(made.program, plan).length > 0) return made;
      return { program: fillTable(plan, made.program, plan.schedule.rows) };
    }
    case 'greedy':
      return greedy(plan, plan.schedule);
  }
}

/** A word holds an operation only while all rows and microbatches together fit in 31 bits. */
function tooMany(plan: PipelinePlan): PlanFinding | undefined {
  const microbatches = plan.microbatches * plan.iterations;
  if (!Number.isSafeInteger(microbatches) || microbatches < 1) {
    const value = {
      what: 'The number of microbatches',
      value: String(microbatches),
      allowed: 'a whole number of at least 1',
    };
    return planFinding('value/range', paths.key(plan.name, 'microbatches'), value);
  }
  const declared = plan.schedule.kind === 'policy' ? 0 : (plan.schedule.operations?.names.length ?? -1) + 1;
  if ((kinds + declared) * plan.stages.length * 2 ** shiftFor(Math.min(microbatches, 2 ** 31)) <= 2 ** 31)
    return undefined;
  return planFinding('limit/too-large', paths.pipeline(plan.name), {
    what: `Operations of pipeline "${plan.name}"`,
    figure: `${count(plan.stages.length, 'stage', 'stages')} of ${count(microbatches, 'microbatch', 'microbatches')}`,
    limit: `${2 ** 31} rows times microbatches`,
    setting: 'pipewright.limits.operations',
  });
}

function byPolicy(plan: PipelinePlan, schedule: Extract<SchedulePlan, { readonly kind: 'policy' }>): Generated {
  const at = paths.key(plan.name, 'schedule');
  const policy = findPolicy(schedule.name);
  if (policy === undefined) {
    const where = `this version (${policies.map(({ name }) => name).join(', ')})`;
    return { faults: [planFinding('name/unknown', at, { kind: 'schedule', name: schedule.name, where })] };
  }
  const shape = shapeOf(plan);
  const faults = faultsOf(plan, policy, shape);
  if (faults.length > 0) {
    return {
      faults: faults.map(({ message, fix: { input, values } }) =>
        planFinding(
          'schedule/shape',
          at,
          { policy: policy.name, problem: message, input, values },
          values.length > 0 ? { hint: { kind: 'value', pipeline: plan.name, input, values } } : {},
        ),
      ),
    };
  }
  const made = programOfShape(policy, shape, (seen) => programOf(policy, seen));
  const placed = onDevices(made, plan);
  return { program: keptProgram(shape.args['recompute'] === 'ahead' ? recomputeAhead(placed, plan) : placed) };
}

/** The program on the devices of the plan. */
function onDevices(program: Program, plan: PipelinePlan): Program {
  const asPlanned =
    program.devices === plan.devices.length &&
    plan.placement.every((device, stage) => device === program.placement[stage]);
  return asPlanned ? program : relocate(program, plan);
}

const faultsOf = (plan: PipelinePlan, policy: Policy, shape: Shape): readonly ShapeFault[] => [
  ...chunkFault(shape),
  ...(policy.alike === true && plan.lengths !== undefined ? [unlike] : []),
  ...policy.check(shape),
];

const unlike: ShapeFault = {
  message:
    'its microbatches have different lengths, and the search is for equal ones; write another schedule, such as zb_auto, or leave out "lengths"',
  fix: { input: 'schedule', values: [] },
};

/** Searches the order of a plan's policy, with pauses, if it must be searched; `generate` then has it at once. */
export function* orderSteps(plan: PipelinePlan): Generator<void, void> {
  const policy = plan.schedule.kind === 'policy' ? findPolicy(plan.schedule.name) : undefined;
  if (policy?.prepare === undefined || tooMany(plan) !== undefined) return;
  const shape = shapeOf(plan);
  if (faultsOf(plan, policy, shape).length === 0) yield* policy.prepare(shape) as Generator<void, void>;
}

/** Why `search` cannot take a plan that asks for it, in sentences without a full stop. */
export function searchFaults(plan: PipelinePlan): readonly string[] {
  const fault = tooMany(plan);
  if (fault !== undefined) return [fault.message];
  return faultsOf(plan, search, shapeOf(plan)).map(({ message }) => message);
}

/** The program of an order that `search` found for the shape of a plan. */
export function searchedProgram(plan: PipelinePlan, shape: Shape, problem: OrderProblem, words: Words): Program {
  const whole = isWhole(shape.args);
  const policy: Policy = {
    ...search,
    order: (_, device, out) => emitWords(problem, words, whole, device, out),
  };
  return onDevices(programOf(policy, shape), plan);
}

function chunkFault({ stages, chunks }: Shape): ReturnType<Policy['check']> {
  if (stages % chunks === 0 && stages > 0) return [];
  const below = stages - (stages % chunks);
  const values = below > 0 ? [below, below + chunks] : [chunks];
  return [
    {
      message: `${count(stages, 'stage does', 'stages do')} not divide into ${chunks} on each device`,
      fix: { input: 'stages', values },
    },
  ];
}

/** Runs a policy that takes this shape. The operations of all devices go straight into one array, sized up front. */
export function programOf(policy: Policy, shape: Shape): Program {
  const copies = copiesOf(policy, shape);
  const { devices } = shape;
  const placement = policy.placement(shape);
  const stages = placement.length;
  const microbatches = shape.microbatches * shape.iterations;
  const shift = shiftFor(microbatches);
  const runs = copies?.every.reduce((sum, every) => sum + Math.ceil(microbatches / every), 0) ?? stages * microbatches;
  const room = new Int32Array((policy.operations ?? (policy.split ? 3 : 2)) * runs);
  const offsets = new Int32Array(devices + 1);
  const [backwards, inputs, weights] = [B * stages, I * stages, W * stages];
  let order = room;
  let at = 0;
  let extended = false;
  let fused: Uint8Array | undefined;
  const append = (kind: number, stage: number, microbatch: number): void => {
    order[at++] = ((kind * stages + stage) << shift) | microbatch;
    extended = true;
  };
  const out: OperationSink = {
    forward(stage, microbatch) {
      order[at++] = ((F * stages + stage) << shift) | microbatch;
    },
    backward(stage, microbatch) {
      order[at++] = ((backwards + stage) << shift) | microbatch;
    },
    backwardInput(stage, microbatch) {
      order[at++] = ((inputs + stage) << shift) | microbatch;
    },
    backwardWeight(stage, microbatch) {
      order[at++] = ((weights + stage) << shift) | microbatch;
    },
    recompute: (stage, microbatch) => append(R, stage, microbatch),
    update: (stage, microbatch) => append(U, stage, microbatch),
    evict: (stage, microbatch) => append(E, stage, microbatch),
    load: (stage, microbatch) => append(L, stage, microbatch),
    fuse() {
      fused ??= new Uint8Array(room.length);
      fused[at - 1] = 1;
    },
  };
  for (let device = 0; device < devices; device += 1) {
    policy.order(shape, device, out);
    offsets[device + 1] = at;
  }
  if (at < order.length) order = order.slice(0, at);
  const ownRecompute = policy.recompute?.(shape.args) !== undefined;
  const weightRule = policy.weights?.(shape.args) ?? 'flush';
  const weightCopies = policy.weightCopies?.(shape.args);
  return {
    devices,
    stages,
    microbatches,
    split: policy.split && policy.whole?.(shape.args) !== true,
    placement,
    order,
    offsets,
    shift,
    ...(fused === undefined ? {} : { fused: fused.slice(0, at), overlap: policy.overlap?.(shape.args) ?? 0 }),
    // A policy that decides what is recomputed writes each R itself: no backward contains it.
    ...(ownRecompute ? { apart: new Uint8Array(stages).fill(1) } : {}),
    ...(extended || ownRecompute ? { extended: true } : {}),
    ...(copies === undefined ? {} : { copies }),
    ...(policy.partners === undefined ? {} : { partner: policy.partners(shape) }),
    ...(weightRule === 'flush' ? {} : { weights: weightRule, minibatch: shape.microbatches }),
    ...(weightCopies === undefined ? {} : { weightCopies }),
    ...(policy.forwardOnly === true ? { forwardOnly: true } : {}),
  };
}

function copiesOf(policy: Policy, shape: Shape): ProgramCopies | undefined {
  const copies = policy.copies?.(shape);
  return copies === undefined ? undefined : programCopies(copies);
}
