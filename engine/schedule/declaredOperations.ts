/** Operations that a schedule declares, as a program has them: what they cost, and who waits for whom. */
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { type OperationsPlan, type PipelinePlan, type RuleRead, paths } from '../values/plan.ts';
import { show } from '../basics/quantities.ts';
import { type Reading, reading } from '../order/rules/guards.ts';
import {
  B,
  type DeclaredOperations,
  type DeclaredWait,
  E,
  kinds,
  L,
  microbatchOf,
  type Program,
  resultOf,
  resultRow,
  resultRowOf,
  rowOf,
  W,
} from '../values/program.ts';
import { stagesOn } from '../basics/stagesOn.ts';

/** Costs that are below 0 with the layers of a pipeline, one for each operation and device. */
export function negativeCosts(plan: PipelinePlan, operations: OperationsPlan): readonly PlanFinding[] {
  const { time, holds, sends } = costsOf(plan, operations);
  return operations.costs.flatMap(({ operation, stage }) => {
    const at = operation * plan.stages.length + stage;
    const figures = [
      ['time', time[at], 'time'],
      ['"holds"', holds[at], 'bytes'],
      ['"sends"', sends[at], 'bytes'],
    ] as const;
    const wrong = figures.find(([, value]) => !(value >= 0 && Number.isFinite(value)));
    if (wrong === undefined) return [];
    const [figure, value, dimension] = wrong;
    const what = `The ${figure} of ${operations.names[operation]} on ${plan.devices[plan.placement[stage]].name}`;
    const allowed = `at least ${show(0, dimension)}`;
    return [
      planFinding('value/range', paths.key(plan.name, 'schedule'), { what, value: show(value, dimension), allowed }),
    ];
  });
}

/** One wait by result rows: of who waits and of what it waits for. */
interface Wait {
  readonly who: number;
  readonly whoMicrobatch: number;
  readonly whom: number;
  readonly whomMicrobatch: number;
}

/**
 * The declared operations of a program whose order is known. Waits that follow from others are left out, because a device runs its
 * operations in order. An operation waits only for the last letter of each device. A message is awaited only by the first operation
 * of its receiver. `all` keeps every wait, for an order that is still to be found. Linear in operations and waits.
 */
export function declaredOperations(
  plan: PipelinePlan,
  operations: OperationsPlan,
  program: Pick<Program, 'order' | 'shift' | 'microbatches' | 'placement'>,
  which: 'needed' | 'all' = 'needed',
): DeclaredOperations {
  const { names } = operations;
  const stages = plan.stages.length;
  const costs = costsOf(plan, operations);
  const waits = new Map<number, DeclaredWait[]>();
  const groups = new Map<string, DeclaredWait>();
  const add = (who: number, microbatch: number, whom: number, shift: number, bytes: number): void => {
    const key = `${who} ${whom} ${shift} ${bytes}`;
    let group = groups.get(key);
    if (group === undefined) {
      group = { whom, shift, only: new Uint8Array(program.microbatches), bytes };
      groups.set(key, group);
      const row = waits.get(who);
      if (row === undefined) waits.set(who, [group]);
      else row.push(group);
    }
    group.only[microbatch] = 1;
  };

  const firstDeclared = resultRow(stages, kinds, 0);
  const { awaited, ends } = waitsOf(operations, program, stages, which);
  /** Messages that someone awaits: result slot × devices + receiver. */
  const received = new Set<number>();
  const devices = plan.devices.length;
  for (const { who, whoMicrobatch, whom, whomMicrobatch } of awaited) {
    const receiver = program.placement[who % stages];
    const sender = program.placement[whom % stages];
    const sent = whom - firstDeclared;
    let bytes = 0;
    if (sender !== receiver && sent >= 0 && (costs.to[sent] < 0 || costs.to[sent] === receiver)) {
      bytes = costs.sends[sent];
      received.add((whom * program.microbatches + whomMicrobatch) * devices + receiver);
    }
    add(who, whoMicrobatch, whom, whomMicrobatch - whoMicrobatch, bytes);
  }
  // What is sent though nobody there waits for it takes the route all the same.
  for (let row = firstDeclared; row < firstDeclared + names.length * stages; row += 1) {
    const to = costs.to[row - firstDeclared];
    if (to < 0 || to === program.placement[row % stages]) continue;
    const who = resultRow(stages, kinds + names.length, stagesOn(plan.placement, to)[0] ?? 0);
    for (let microbatch = 0; microbatch < program.microbatches; microbatch += 1) {
      const slot = row * program.microbatches + microbatch;
      if (ends[slot] >= 0 && !received.has(slot * devices + to))
        add(who, microbatch, row, 0, costs.sends[row - firstDeclared]);
    }
  }
  const { factors } = costs;
  return {
    names,
    time: costs.time,
    ...(factors.size === 0 ? {} : { factors }),
    holds: costs.holds,
    sends: costs.sends,
    waits,
  };
}

/** Position of the operation that makes each result; −1 for none. */
function positionsOf(
  { order, shift, microbatches }: Pick<Program, 'order' | 'shift' | 'microbatches'>,
  stages: number,
  results: number,
): Int32Array {
  const positions = new Int32Array(results * stages * microbatches).fill(-1);
  for (const [position, word] of order.entries())
    positions[resultRowOf(stages, rowOf({ shift }, word)) * microbatches + microbatchOf({ shift }, word)] = position;
  return positions;
}

function waitsOf(
  { names, waits }: OperationsPlan,
  program: Pick<Program, 'order' | 'shift' | 'microbatches' | 'placement'>,
  stages: number,
  which: 'needed' | 'all',
): { readonly awaited: Iterable<Wait>; readonly ends: Int32Array } {
  const { microbatches, placement } = program;
  const at = positionsOf(program, stages, resultOf[kinds] + names.length);
  const slotOf = (row: number, microbatch: number): number => row * microbatches + microbatch;
  /** W of a backward that is not split is part of B. */
  const rowOfWait = (kind: number, stage: number, microbatch: number): number => {
    const row = resultRow(stages, kind, stage);
    return kind === W && at[slotOf(row, microbatch)] < 0 ? resultRow(stages, B, stage) : row;
  };
  const lastFrom = new Map<string, Wait>();
  const all: Wait[] = [];
  for (let index = 0; index < waits.length; index += 6) {
    const [kind, stage, whoMicrobatch, ofKind, ofStage, whomMicrobatch] = waits.slice(index, index + 6);
    const who = rowOfWait(kind, stage, whoMicrobatch);
    const whom = rowOfWait(ofKind, ofStage, whomMicrobatch);
    const wait = { who, whoMicrobatch, whom, whomMicrobatch };
    if (which === 'all') {
      all.push(wait);
      continue;
    }
    // A copy ends later than its place in the order says.
    const apart = ofKind >= kinds || ofKind === E || ofKind === L;
    const source = apart ? `o${slotOf(whom, whomMicrobatch)}` : String(placement[ofStage]);
    const key = `${slotOf(who, whoMicrobatch)} ${source}`;
    const known = lastFrom.get(key);
    if (known === undefined || at[slotOf(known.whom, known.whomMicrobatch)] < at[slotOf(whom, whomMicrobatch)])
      lastFrom.set(key, wait);
  }
  if (which === 'all') return { awaited: all, ends: at };
  const firstOn = new Map<string, Wait>();
  for (const wait of lastFrom.values()) {
    const key = `${slotOf(wait.whom, wait.whomMicrobatch)} ${placement[wait.who % stages]}`;
    const known = firstOn.get(key);
    if (known === undefined || at[slotOf(known.who, known.whoMicrobatch)] > at[slotOf(wait.who, wait.whoMicrobatch)])
      firstOn.set(key, wait);
  }
  return { awaited: firstOn.values(), ends: at };
}

/** Costs by operation × stages + stage; `to` is −1 for an operation that sends only to those that wait for it. */
function costsOf(plan: PipelinePlan, { names, costs }: OperationsPlan) {
  const { microbatches, iterations } = plan;
  const factors = new Map<number, Float64Array>();
  const stages = plan.stages.length;
  const room = names.length * stages;
  const [time, holds, sends] = [new Float64Array(room), new Float64Array(room), new Float64Array(room)];
  const to = new Int32Array(room).fill(-1);
  const value = (what: RuleRead): Reading => {
    const found = readStage(plan, what);
    return () => found;
  };
  for (const cost of costs) {
    const at = cost.operation * stages + cost.stage;
    time[at] = reading(cost.time, value)();
    if (cost.times !== undefined) {
      const seconds = new Map(cost.times.map((each) => [each.number, reading(each.time, value)()]));
      const all = [...seconds.values()];
      // One below 0 is what the check of costs has to see.
      time[at] = all.every((each) => each >= 0)
        ? all.reduce((sum, each) => sum + each, 0) / all.length
        : all.reduce((least, each) => Math.min(least, each));
      const mean = time[at];
      if (mean > 0)
        factors.set(
          at,
          Float64Array.from({ length: microbatches * iterations }, (_, number) => (seconds.get(number) ?? mean) / mean),
        );
    }
    holds[at] = reading(cost.holds, value)();
    sends[at] = reading(cost.sends, value)();
    to[at] = cost.to ?? -1;
  }
  return { time, factors, holds, sends, to };
}

/** What a cost reads of a stage of the cut: its first copy, and all of its parts. */
function readStage({ stages }: PipelinePlan, { read, kind, stage }: RuleRead): number {
  const copies = stages.filter((each, index) => (each.copy?.stage ?? index) === stage && each.copy?.away !== true);
  const [first] = copies;
  const parts = copies.filter(({ copy }) => copy?.first === first.copy?.first && copy?.spare === first.copy?.spare);
  const sum = (of: (each: (typeof stages)[number]) => number): number =>
    parts.reduce((total, each) => total + of(each), 0);
  switch (read) {
    case 'time':
      return sum(({ forward, backwardInput, backwardWeight, recompute }) =>
        kind === 'F'
          ? forward
          : kind === 'W'
            ? backwardWeight
            : kind === 'R'
              ? recompute
              : recompute + backwardInput + (kind === 'I' ? 0 : backwardWeight),
      );
    case 'activation':
      return sum(({ activation }) => activation);
    case 'weights':
      return first.weights;
    case 'gradients':
      return first.gradients;
    default:
      return 0;
  }
}
