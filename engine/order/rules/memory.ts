/** Bytes of devices while a rule chooses: what has run decides, as in `heldBytes`. */
import type { PipelinePlan } from '../../values/plan.ts';
import { E, F, kinds, L, resultOf, resultRow } from '../../values/program.ts';
import { stagesOn } from '../../basics/stagesOn.ts';
import { staticBytes } from '../memory/walk.ts';

/** How the stages of a rule recompute; by stage of the program. */
export interface Recomputing {
  /** 1: recomputation is no part of the backward. */
  readonly apart: Uint8Array;
  /** 1: of these stages, those that have an operation R; the others keep everything. */
  readonly again: Uint8Array;
}

export interface RuleMemory {
  /** Bytes of a device between two operations, with its weights. */
  bytes(device: number): number;
  /** Bytes that a forward of a stage leaves until its backward. */
  activation(stage: number): number;
  /**
   * Whether an operation leaves its device at or under its limit, with room for the backward that must come later. For an E this is
   * the device that keeps what is sent.
   */
  fits(result: number, stage: number, limit: number): boolean;
  starts(result: number, stage: number): void;
  ends(result: number, stage: number): void;
  /** Nobody needs any more what an operation of the schedule holds; `row`: its result row. */
  releases(row: number): void;
  /** The copy of an E or L has ended. */
  copied(result: number, stage: number): void;
}

/** Results of a program: F, backward, W, R. */
const backward = 1;
const weight = 2;
const recomputation = 3;
const sends = resultOf[E];
const brings = resultOf[L];

/** What operations that a schedule declares hold: bytes, at operation × stages + stage; those that run somewhere. */
export type HoldsOfOperations = ReadonlyMap<number, number>;

/** `keeper`: who keeps what each device evicts, as `Program.partner`; absent where none does. */
export function ruleMemory(
  plan: PipelinePlan,
  split: boolean,
  { apart, again }: Recomputing,
  keeper?: Int32Array,
  holds: HoldsOfOperations = new Map(),
): RuleMemory {
  const { stages, placement } = plan;
  const on = plan.devices.map((_, device) => stagesOn(placement, device));
  const always = plan.devices.map((_, device) => staticBytes(plan, device));
  // Levels are sums of counts times sizes: adding and subtracting bytes would drift for fractional sizes.
  const kept = new Int32Array(stages.length);
  const forWeight = new Int32Array(stages.length);
  const made = new Int32Array(stages.length);
  /** Microbatches of a stage that another device holds. */
  const lodged = new Int32Array(stages.length);
  const guests = plan.devices.map((_, device) =>
    keeper === undefined ? [] : [...stages.keys()].filter((stage) => keeper[placement[stage]] === device),
  );
  const whole = Float64Array.from(stages, ({ recomputed, recomputedWhole = recomputed }) => recomputedWhole);
  /** What a forward keeps because nothing makes it again. */
  const extra = Float64Array.from(whole, (size, stage) => (apart[stage] === 1 && again[stage] === 0 ? size : 0));
  const inside = Float64Array.from(stages, ({ recomputed }, stage) => (apart[stage] === 1 ? 0 : recomputed));
  const growth = Float64Array.from(stages, ({ activation, activationForWeight }) =>
    split ? Math.max(0, activationForWeight - activation) : 0,
  );
  const counts = new Map<number, number>();
  const operationsOn = plan.devices.map((_, device) =>
    [...holds].filter(([at, bytes]) => bytes > 0 && placement[at % stages.length] === device),
  );
  const firstDeclared = resultRow(stages.length, kinds, 0);
  const count = (at: number, change: number): number => {
    const now = (counts.get(at) ?? 0) + change;
    counts.set(at, now);
    return now;
  };
  /** Room for one of each operation of the schedule that holds nothing now. */
  const reserved = (device: number, besides = -1): number =>
    operationsOn[device].reduce((total, [at, bytes]) => total + (at !== besides && count(at, 0) === 0 ? bytes : 0), 0);
  const sum = (device: number): number => {
    let total = always[device];
    for (const stage of on[device]) {
      const { activation, activationForWeight } = stages[stage];
      total += kept[stage] * (activation + extra[stage]) + forWeight[stage] * activationForWeight;
      total += made[stage] * whole[stage];
    }
    for (const [at, bytes] of operationsOn[device]) total += count(at, 0) * bytes;
    for (const stage of guests[device]) total += lodged[stage] * stages[stage].activation;
    return total;
  };
  /** Room that a backward and the R before it take on top of what is held. */
  const needed = (stage: number): number =>
    stages[stage].workspace + Math.max(inside[stage], growth[stage]) + (again[stage] === 1 ? whole[stage] : 0);
  const room = on.map((local) => local.reduce((most, stage) => Math.max(most, needed(stage)), 0));
  return {
    bytes: sum,
    activation: (stage) => stages[stage].activation + extra[stage],
    fits(result, stage, limit) {
      const device = placement[stage];
      const { workspace, activation } = stages[stage];
      const level = sum(device);
      if (result === F)
        return level + activation + extra[stage] + Math.max(workspace, room[device]) + reserved(device) <= limit;
      if (result === recomputation) return level + whole[stage] + Math.max(workspace, growth[stage]) <= limit;
      if (result === brings) return level + activation + room[device] + reserved(device) <= limit;
      if (result === sends) {
        const at = keeper?.[device] ?? device;
        return sum(at) + activation + room[at] + reserved(at) <= limit;
      }
      if (result === backward) return level + workspace + Math.max(inside[stage], growth[stage]) <= limit;
      const at = (result - resultOf[kinds]) * stages.length + stage;
      const bytes = holds.get(at) ?? 0;
      return bytes === 0 || level + bytes + room[device] + reserved(device, at) <= limit;
    },
    starts(result, stage) {
      if (result === F) kept[stage] += 1;
      else if (result === recomputation) made[stage] += 1;
      else if (result === sends) lodged[stage] += 1;
      else if (result === brings) kept[stage] += 1;
      else if (result >= resultOf[kinds]) count((result - resultOf[kinds]) * stages.length + stage, 1);
    },
    releases: (row) => void count(row - firstDeclared, -1),
    copied(result, stage) {
      if (result === brings) lodged[stage] -= 1;
      else kept[stage] -= 1;
    },
    ends(result, stage) {
      if (result === backward) {
        kept[stage] -= 1;
        if (again[stage] === 1) made[stage] -= 1;
        if (split) forWeight[stage] += 1;
      } else if (result === weight) forWeight[stage] -= 1;
    },
  };
}
