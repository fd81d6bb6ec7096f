import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { areKept, type RowNumbers, rowNumbers } from '../basics/packed.ts';
import { type PipelinePlan, type RowPlan, type StagePlan, paths } from '../values/plan.ts';
import { stageNumber } from '../costs/stages.ts';
import { planCopies } from './copies.ts';
import { declaredOperations, negativeCosts } from './declaredOperations.ts';
import { E, I, L, type Program, kindName, R, shiftFor, U, W, weightRule, type WeightRule } from '../values/program.ts';
import { withUpdates } from './updates.ts';

const most = 20;
/** With R, the bytes that a stage keeps differ by microbatch, and an R would have to wait for its L. */
const recomputesToo =
  'sends away activations of a stage that recomputes, in a schedule with R; leave R out, and the backward recomputes once the activations are back';

/**
 * Rows as written → program; or findings `schedule/repeated` for operations that no program can hold (stages, microbatches or
 * devices that are not there). Whether the rows are complete and end is for `validate` to say.
 */
export function programOfRows(plan: PipelinePlan, rows: readonly RowPlan[]): ProgramOfRows {
  const shape = areKept(rows) ? shapeKey(plan) : undefined;
  const kept = known.get(rows);
  if (shape !== undefined && kept?.shape === shape) return kept;
  const made = newProgram(plan, rows);
  // Whether a device may evict follows from what its stages recompute.
  if (shape !== undefined && 'program' in made && made.program.partner === undefined)
    known.set(rows, { program: made.program, shape });
  return made;
}

/** What rows were made into last, and for which shape. */
const known = new WeakMap<readonly RowPlan[], { readonly program: Program; readonly shape: string }>();

/** What the program of rows depends on in addition to them; undefined where costs decide too. */
function shapeKey(plan: PipelinePlan): string | undefined {
  const { devices, stages, microbatches, iterations, placement, schedule } = plan;
  if (schedule.kind !== 'rows' || schedule.operations !== undefined) return undefined;
  const copies = stages.map(({ copy }) => copy);
  return JSON.stringify([devices.length, copies, microbatches, iterations, placement, schedule.weights]);
}

type ProgramOfRows = { readonly program: Program } | { readonly faults: readonly PlanFinding[] };

function newProgram(plan: PipelinePlan, rows: readonly RowPlan[]): ProgramOfRows {
  const devices = plan.devices.length;
  const stages = plan.stages.length;
  const microbatches = plan.microbatches * plan.iterations;
  const weights = weightsOf(plan);
  const shift = shiftFor(microbatches);
  const written = rows.map(rowNumbers);
  const total = written.reduce((sum, row) => sum + row.kinds.length, 0);
  const order = new Int32Array(total);
  const items = new Int32Array(total);
  const offsets = new Int32Array(devices + 1);
  const operations = plan.schedule.kind === 'rows' ? plan.schedule.operations : undefined;
  const named = { declared: operations };
  const faults = new Map<string, PlanFinding>();
  let fused: Uint8Array | undefined;
  let updates = false;
  let evicts = false;
  const everywhere = (): Uint8Array => new Uint8Array(stages).fill(1);
  let apart = plan.schedule.kind === 'rows' && plan.schedule.apart === true ? everywhere() : undefined;
  let split = false;
  let at = 0;
  const refuse = (
    device: number,
    { kinds, stages: of, microbatches: which, items: from }: RowNumbers,
    index: number,
    reason: () => string,
  ): void => {
    const path = paths.rowItem(plan.name, device, from[index]);
    if (faults.size >= most || faults.has(path)) return;
    const operation = `${stageNumber(plan, of[index])}${kindName(named, kinds[index])}${which[index]}`;
    const name = plan.devices[device]?.name ?? `device ${device}`;
    faults.set(path, planFinding('schedule/repeated', path, { operation, device: name, reason: reason() }));
  };
  for (const [device, row] of written.entries()) {
    for (const position of row.fused) {
      fused ??= new Uint8Array(total);
      if (position + 1 < row.kinds.length) fused[at + position] = 1;
    }
    const { kinds, stages: of, microbatches: which, items: from } = row;
    for (let index = 0; index < kinds.length; index += 1) {
      const kind = kinds[index];
      const stage = of[index];
      const microbatch = which[index];
      const problem =
        kind === U && weights === 'flush'
          ? () =>
              'updates the weights within an iteration, but `weights = flush` keeps them until its end; write another `weights`, such as `weights = stash`'
          : device < devices && within(stage, stages) && within(microbatch, microbatches)
            ? undefined
            : () => outside(row, index, { devices, stages, microbatches });
      if (kind === U) updates = true;
      if (kind === E || kind === L) evicts = true;
      if (problem !== undefined) refuse(device, row, index, problem);
      order[at] = ((kind * stages + stage) << shift) | microbatch;
      items[at] = from[index];
      if (kind === I || kind === W) split = true;
      // Rows with an R say all that is recomputed; in other stages, and for microbatches without one, everything is kept.
      if (kind === R) apart ??= everywhere();
      at += 1;
    }
    if (device < devices) offsets[device + 1] = at;
  }
  for (let device = rows.length; device < devices; device += 1) offsets[device + 1] = at;
  const wrongCosts = operations === undefined ? [] : negativeCosts(plan, operations);
  for (const [device, row] of apart === undefined || !evicts ? [] : written.entries())
    for (let index = 0; index < row.kinds.length; index += 1)
      if (row.kinds[index] === E && makesAgain(plan.stages[row.stages[index]]))
        refuse(device, row, index, () => recomputesToo);
  if (faults.size > 0 || wrongCosts.length > 0) return { faults: [...faults.values(), ...wrongCosts] };
  const placement = Int32Array.from(plan.placement);
  const copies = planCopies(plan);
  const declared =
    operations === undefined
      ? undefined
      : declaredOperations(plan, operations, { order, shift, microbatches, placement });
  const program = {
    devices,
    stages,
    microbatches,
    split,
    placement,
    order,
    offsets,
    shift,
    items,
    ...(fused === undefined ? {} : { fused, overlap: rows.find((row) => row.fused !== undefined)?.overlap ?? 0 }),
    ...(apart === undefined ? {} : { apart, extended: true }),
    ...(declared === undefined ? {} : { declared, extended: true }),
    ...(evicts ? { partner: keepersOf(rows, devices), extended: true } : {}),
    ...(copies === undefined ? {} : { copies }),
  };
  if (weights === 'flush') return { program };
  // Without any U, each stage is updated after the last backward of each iteration.
  return {
    program: updates
      ? { ...program, extended: true, weights, minibatch: plan.microbatches }
      : withUpdates(program, weights, plan.microbatches),
  };
}

/** Who keeps what each device evicts; the host of device d is `devices + d`. */
const keepersOf = (rows: readonly RowPlan[], devices: number): Int32Array =>
  Int32Array.from({ length: devices }, (_, device) => {
    const keeper = rows[device]?.keeper ?? -1;
    return keeper === 'host' ? devices + device : keeper;
  });

/** Whether a stage recomputes anything. */
const makesAgain = ({ recompute, recomputed, recomputedWhole = recomputed }: StagePlan): boolean =>
  recompute > 0 || recomputedWhole > 0;

const weightsOf = ({ schedule }: PipelinePlan): WeightRule =>
  weightRule(schedule.kind === 'rows' ? (schedule.weights ?? 'flush') : 'flush');

/** What is not there; one of them is not. */
function outside(
  row: RowNumbers,
  index: number,
  { devices, stages, microbatches }: Pick<Program, 'devices' | 'stages' | 'microbatches'>,
): string {
  const [stage, microbatch] = [row.stages[index], row.microbatches[index]];
  if (!within(stage, stages)) return `names a stage that does not exist: stages are 0 to ${stages - 1}`;
  if (!within(microbatch, microbatches)) {
    // One too far is mostly a range that includes its end.
    const asRange = microbatch === microbatches ? `, which is the range \`0..<${microbatches}\`` : '';
    const counted =
      microbatch === microbatches && !startsAtZero(row, row.kinds[index], stage) ? 'counted from 0, so they are ' : '';
    return `names a microbatch that does not exist: microbatches are ${counted}0 to ${microbatches - 1}${asRange}`;
  }
  return `is in a row for a device that does not exist: devices are 0 to ${devices - 1}`;
}

/** Whether a row has the first microbatch of a kind and stage. */
const startsAtZero = ({ kinds, stages, microbatches }: RowNumbers, kind: number, stage: number): boolean =>
  kinds.some((each, at) => each === kind && stages[at] === stage && microbatches[at] === 0);

const within = (value: number, count: number): boolean => value >= 0 && value < count;
