import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { nothing } from '../basics/packed.ts';
import { type PipelinePlan, paths } from '../values/plan.ts';
import { earlyUpdates, lastOfIteration } from './copyUpdates.ts';
import { findDeadlock } from './deadlock.ts';
import { type DeadlockStep, startsWithNext, stepName } from './deadlockSteps.ts';
import {
  E,
  L,
  type Program,
  kindOf,
  kinds,
  kindsIn,
  microbatchOf,
  operationName,
  R,
  runsForwardOnly,
  runsMicrobatch,
  stageOf,
  U,
  weightsStage,
  wordOf,
} from '../values/program.ts';

/** Findings of one kind at most: the first tell what the rest would. */
const most = 20;
const named = 5;

/**
 * Whether a program does each operation once, on the device of its stage, and ends: empty if so. Otherwise findings
 * `schedule/repeated`, `schedule/incomplete`, or `schedule/deadlock`, at the rows that cause them. Linear in the operations.
 */
export function validate(program: Program, plan: PipelinePlan): readonly PlanFinding[] {
  const faults = misplaced(program, plan);
  if (faults.length > 0) return faults;
  const deadlock = findDeadlock(program, plan);
  return deadlock === undefined ? [] : [deadlockFinding(program, plan, deadlock.circle)];
}

/** The same without a look at whether it ends. */
export function misplaced(program: Program, plan: PipelinePlan): readonly PlanFinding[] {
  const { seen, findings } = repeated(program, plan);
  return [...findings, ...incomplete(program, plan, seen, updatesOf(program))];
}

/** Operations that no row runs; `undefined` where rows run something that they may not. */
export function missingOperations(program: Program, plan: PipelinePlan): readonly number[] | undefined {
  const { seen, findings } = repeated(program, plan);
  const words: number[] = [];
  if (findings.length > 0) return undefined;
  eachMissing(program, plan, seen, updatesOf(program), (word) => words.push(word));
  return words;
}

/** The path of the text that wrote a position of the program. */
function pathAt(program: Program, plan: PipelinePlan, device: number, position: number): string {
  return program.items === undefined
    ? paths.row(plan.name, device)
    : paths.rowItem(plan.name, device, program.items[position]);
}

const deviceName = (plan: PipelinePlan, device: number): string => plan.devices[device]?.name ?? `device ${device}`;

/** `seen`: for each stage and microbatch a bit for each kind. One finding for each written item. */
function repeated(
  program: Program,
  plan: PipelinePlan,
): { readonly seen: Uint8Array | Uint32Array; readonly findings: PlanFinding[] } {
  const { devices, stages, microbatches, order, offsets, placement } = program;
  const seen =
    program.declared === undefined ? new Uint8Array(stages * microbatches) : new Uint32Array(stages * microbatches);
  const findings = new Map<string, PlanFinding>();
  const report = (device: number, position: number, operation: string, reason: string): void => {
    const at = pathAt(program, plan, device, position);
    if (findings.size >= most || findings.has(at)) return;
    findings.set(at, planFinding('schedule/repeated', at, { operation, device: deviceName(plan, device), reason }));
  };
  const { weights, minibatch = 1 } = program;
  const kindLimit = program.declared === undefined ? kinds : kindsIn(program) - 1;
  const early = new Set(earlyUpdates(program));
  const updated = new Set<number>();
  const isUpdated = (stage: number, microbatch: number): boolean => {
    const iteration = stage * microbatches + Math.trunc(microbatch / minibatch);
    if (updated.has(iteration)) return true;
    updated.add(iteration);
    return false;
  };
  for (let device = 0; device < devices; device += 1) {
    for (let position = offsets[device]; position < offsets[device + 1]; position += 1) {
      const word = order[position];
      const kind = kindOf(program, word);
      const stage = stageOf(program, word);
      const microbatch = microbatchOf(program, word);
      if (word < 0 || kind >= kindLimit || microbatch >= microbatches) {
        const name = word < 0 || kind >= kindLimit ? 'An operation' : operationName(program, word);
        report(device, position, name, `is outside ${stages} stages and ${microbatches} microbatches`);
        continue;
      }
      const at = stage * microbatches + microbatch;
      const bit = 1 << kind;
      const others = kind === 1 ? 0b1100 : kind === 2 || kind === 3 ? 0b0010 : 0;
      if (placement[stage] !== device) {
        report(
          device,
          position,
          operationName(program, word),
          `belongs on ${deviceName(plan, placement[stage])}, which holds stage ${stage}`,
        );
      } else if (kind < kinds && !runsMicrobatch(program, stage, microbatch)) {
        report(device, position, operationName(program, word), 'belongs to another copy of the stage');
      } else if (kind !== 0 && kind < kinds && program.copies?.forwards?.[stage] === 1) {
        const own =
          program.copies.spare?.[stage] === 1
            ? 'belongs on the device of the stage: a spare copy runs forwards only'
            : 'is of a stage that runs forwards only (`forward_only`)';
        report(device, position, operationName(program, word), own);
      } else if (kind === U && weights !== undefined && isUpdated(stage, microbatch)) {
        report(device, position, operationName(program, word), 'updates its stage a second time in one iteration');
      } else if (early.has(position)) {
        const last = lastOfIteration(program, stage, Math.trunc(microbatch / minibatch));
        const first =
          (program.copies?.segment[stage] ?? -1) < 0
            ? 'updates a copy before the other copies can have its gradients'
            : 'updates its weights before all parts of the stage have their gradients';
        const reason = `${first}. The backward of microbatch ${last} must be its last one in this iteration, and the update must follow it`;
        report(device, position, operationName(program, word), reason);
      } else if ((seen[at] & bit) !== 0) {
        report(device, position, operationName(program, word), 'appears more than once');
      } else if ((seen[at] & others) !== 0) {
        report(
          device,
          position,
          operationName(program, word),
          'duplicates another backward of the same microbatch: B already includes I and W',
        );
      }
      seen[at] |= bit;
    }
  }
  return { seen, findings: [...findings.values()] };
}

/**
 * Updates of each stage or copy and iteration of an order that is not a policy's: `stage × iterations + iteration`. A copy without a
 * microbatch in an iteration needs none, and the first part of a sequence is updated for all of them. Undefined if all iterations use the same weights.
 */
function updatesOf(program: Program): Uint8Array | undefined {
  const { weights, copies, items, minibatch = 1, stages, microbatches } = program;
  if (weights === undefined || items === undefined) return undefined;
  const iterations = Math.ceil(microbatches / minibatch);
  const found = new Uint8Array(stages * iterations);
  for (const word of program.order) {
    if (kindOf(program, word) !== U) continue;
    found[stageOf(program, word) * iterations + Math.trunc(microbatchOf(program, word) / minibatch)] = 1;
  }
  if (copies !== undefined)
    for (let at = 0; at < found.length; at += 1)
      if (
        lastOfIteration(program, Math.trunc(at / iterations), at % iterations) < 0 ||
        weightsStage(program, Math.trunc(at / iterations)) !== Math.trunc(at / iterations)
      )
        found[at] = 1;
  return found;
}

const evictLoad = (1 << E) | (1 << L);

/** One finding for each device that misses something. A stage without any backward misses those that the rest of the program uses. */
function incomplete(
  program: Program,
  plan: PipelinePlan,
  seen: Uint8Array | Uint32Array,
  updates: Uint8Array | undefined,
): PlanFinding[] {
  const { devices, placement } = program;
  const missing: { total: number; readonly names: string[] }[] = Array.from({ length: devices }, () => ({
    total: 0,
    names: [],
  }));
  eachMissing(program, plan, seen, updates, (word) => {
    const missed = missing[placement[stageOf(program, word)]];
    missed.total += 1;
    if (missed.names.length < named) missed.names.push(operationName(program, word));
  });
  return missing.flatMap(({ total, names }, device) =>
    total === 0
      ? []
      : [
          planFinding('schedule/incomplete', paths.row(plan.name, device), {
            device: deviceName(plan, device),
            missing: names,
            total,
            ...(runsNothing(plan, device) ? { empty: true } : {}),
          }),
        ],
  );
}

const runsNothing = ({ schedule }: PipelinePlan, device: number): boolean =>
  schedule.kind === 'rows' && (schedule.rows[device]?.kinds ?? nothing) === nothing;

/** Visits the operations that no row runs. */
function eachMissing(
  program: Program,
  plan: PipelinePlan,
  seen: Uint8Array | Uint32Array,
  updates: Uint8Array | undefined,
  visit: (word: number) => void,
): void {
  const { stages, microbatches } = program;
  for (let stage = 0; stage < stages; stage += 1) {
    let used = 0;
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1)
      used |= seen[stage * microbatches + microbatch];
    const split = (used & 0b1110) === 0 ? program.split : (used & 0b0010) === 0;
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
      if (!runsMicrobatch(program, stage, microbatch)) continue;
      const bits = seen[stage * microbatches + microbatch];
      const backward = (bits & 0b1100) !== 0 || (split && (bits & 0b0010) === 0) ? 0b1100 : 0b0010;
      // A microbatch with B beside I or W is reported as repeated.
      const both = (bits & 0b0010) !== 0 ? 0b0011 : 0b0001 | backward;
      // What has been evicted must be loaded back, and only that.
      const wanted = (runsForwardOnly(program, stage) ? 0b0001 : both) | ((bits & evictLoad) === 0 ? 0 : evictLoad);
      const lacks = wanted & ~bits;
      for (let kind = 0; lacks >> kind !== 0; kind += 1) {
        if (((lacks >> kind) & 1) === 0) continue;
        visit(wordOf(program, kind, stage, microbatch));
      }
    }
  }
  for (const word of unmet(program, plan, seen)) visit(word);
  const { minibatch = 1 } = program;
  for (const [at, found] of (updates ?? []).entries()) {
    if (found > 0) continue;
    const iterations = Math.ceil(microbatches / minibatch);
    const stage = Math.trunc(at / iterations);
    const last = lastOfIteration(program, stage, at % iterations);
    visit(wordOf(program, U, stage, last));
  }
}

/** Operations that declared operations wait for, or that wait for them, and that no row runs; without those that every row must run. */
function unmet(program: Program, { schedule }: PipelinePlan, seen: Uint8Array | Uint32Array): ReadonlySet<number> {
  const found = new Set<number>();
  const waits = schedule.kind === 'policy' ? [] : (schedule.operations?.waits ?? []);
  for (let at = 0; at < waits.length; at += 3) {
    const [kind, stage, microbatch] = waits.slice(at, at + 3);
    if (kind >= R && (seen[stage * program.microbatches + microbatch] & (1 << kind)) === 0)
      found.add(wordOf(program, kind, stage, microbatch));
  }
  return found;
}

/** Steps named in a message; a longer circle is cut in its middle. */
const mostSteps = 12;

/** An operation that comes before what it needs, if that is the whole circle. */
function behindIn(program: Program, plan: PipelinePlan, circle: readonly DeadlockStep[]) {
  const [first, second] = circle;
  if (circle.length !== 2 || first.device !== second.device || circle.some(({ exchange }) => exchange !== undefined))
    return undefined;
  const [user, need] = first.because === 'needs' ? [first, second] : [second, first];
  if (user.because !== 'needs' || need.because === 'needs' || startsWithNext(program, need, user)) return undefined;
  return {
    operation: stepName(program, user),
    needs: stepName(program, need),
    device: deviceName(plan, user.device),
  };
}

function deadlockFinding(program: Program, plan: PipelinePlan, circle: readonly DeadlockStep[]): PlanFinding {
  const name = (step: DeadlockStep): string => `${stepName(program, step)} (${deviceName(plan, step.device)})`;
  const names = [...circle, circle[0]].map(name);
  const shown = names.length <= mostSteps ? names : [...names.slice(0, mostSteps - 2), '…', names[names.length - 1]];
  const related = circle.map((step, index) => {
    const next = circle[(index + 1) % circle.length];
    const message =
      step.because === 'needs'
        ? `${name(step)} waits for the result of ${name(next)}`
        : step.because === 'exchange'
          ? `${name(step)} ends at the same time as ${name(next)}`
          : `${name(step)} ${startsWithNext(program, step, next) ? 'starts at the same time as' : 'comes after'} ${stepName(program, next)}`;
    return { at: pathAt(program, plan, step.device, step.position), message };
  });
  const { device, position } = circle[0];
  const exchanged = circle.some((step) => step.exchange !== undefined);
  const at =
    exchanged && program.items === undefined
      ? paths.key(plan.name, 'transfer')
      : pathAt(program, plan, device, position);
  const hint =
    exchanged && plan.transfer !== undefined && plan.transfer.batched !== 'all'
      ? ({
          kind: 'transfer',
          pipeline: plan.name,
          batched: plan.transfer.batched === 'none' ? ['true', 'all'] : ['all'],
        } as const)
      : undefined;
  const behind = behindIn(program, plan, circle);
  const parameters = { circle: shown, ...(behind === undefined ? {} : { behind }) };
  return planFinding('schedule/deadlock', at, parameters, { related, hint });
}
