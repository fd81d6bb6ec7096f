/** Operations that a schedule declares and its rule runs, with the costs of a plan. */
import { rowNumbers } from '../basics/packed.ts';
import type { PipelinePlan, SchedulePlan } from '../values/plan.ts';
import { transferTimes } from '../policies/shape.ts';
import type { RuleWait } from '../order/rules/waits.ts';
import {
  B,
  type DeclaredOperations,
  E,
  F,
  I,
  kinds,
  L,
  type Program,
  resultRow,
  resultRowOf,
  runsMicrobatch,
  shiftFor,
  W,
  wordOf,
} from '../values/program.ts';
import { planCopies } from './copies.ts';
import { declaredOperations } from './declaredOperations.ts';

type GreedyPlan = Extract<SchedulePlan, { readonly kind: 'greedy' }>;

export interface ChosenOperations {
  readonly names: readonly string[];
  readonly costs: DeclaredOperations;
  /** Bytes that each holds, at operation × stages + stage. */
  readonly holds: ReadonlyMap<number, number>;
  /** Numbers of each result row, ascending. */
  readonly numbers: ReadonlyMap<number, Int32Array>;
  /** All waits, with times as whole numbers. */
  waits(perSecond: number): readonly RuleWait[];
}

/** `undefined` where the rule runs none. Linear in operations and waits. */
export function chosenOperations(
  plan: PipelinePlan,
  { operations, runs, split, rule }: GreedyPlan,
): ChosenOperations | undefined {
  if (operations === undefined || runs === undefined) return undefined;
  const stages = plan.stages.length;
  const microbatches = plan.microbatches * plan.iterations;
  const shift = shiftFor(microbatches);
  const placement = Int32Array.from(plan.placement);
  const lists = new Map<number, number[]>();
  const words: number[] = [];
  for (const row of runs.map(rowNumbers)) {
    for (const [at, kind] of row.kinds.entries()) {
      const result = resultRow(stages, kind, row.stages[at]);
      const list = lists.get(result) ?? [];
      if (list.length === 0) lists.set(result, list);
      list.push(row.microbatches[at]);
      words.push(wordOf({ shift, stages }, kind, row.stages[at], row.microbatches[at]));
    }
  }
  const copies = planCopies(plan);
  const all = {
    devices: plan.devices.length,
    stages,
    microbatches,
    split,
    placement,
    shift,
    ...(copies && { copies }),
  };
  // Which microbatches E sends is for the rule to find; who waits for one that stays waits for ever.
  const kindsRun = [...(split ? [F, I, W] : [F, B]), ...(rule?.keeper === undefined ? [] : [E, L])];
  for (let stage = 0; stage < stages; stage += 1)
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1)
      for (const kind of runsMicrobatch(all, stage, microbatch) ? kindsRun : [])
        words.push(wordOf(all, kind, stage, microbatch));
  const order = Int32Array.from(words);
  const costs = declaredOperations(plan, operations, { order, shift, microbatches, placement }, 'all');
  const runsAt = new Uint8Array((resultRow(stages, kinds, 0) + (operations.names.length + 1) * stages) * microbatches);
  for (const word of words) runsAt[resultRowOf(stages, word >> shift) * microbatches + (word & ((1 << shift) - 1))] = 1;
  const first = resultRow(stages, kinds, 0);
  return {
    names: operations.names,
    costs,
    holds: new Map([...lists.keys()].map((row) => [row - first, costs.holds[row - first]])),
    numbers: new Map([...lists].map(([row, list]) => [row, Int32Array.from(list).sort()])),
    waits(perSecond) {
      const time = transferTimes(plan);
      const waits: RuleWait[] = [];
      for (const [row, list] of costs.waits) {
        for (const { whom, shift: further, only, bytes } of list) {
          const seconds = time(placement[whom % stages], placement[row % stages], bytes);
          const delay = Math.round(seconds * perSecond);
          for (const [microbatch, waiting] of only.entries()) {
            const wait = {
              who: row * microbatches + microbatch,
              whom: whom * microbatches + microbatch + further,
              delay,
            };
            // Nobody waits for what does not run; what is sent to nobody has no one who waits.
            if (waiting === 1 && runsAt[wait.who] === 1 && runsAt[wait.whom] === 1) waits.push(wait);
          }
        }
      }
      return waits;
    },
  };
}

/** The program with what its operations wait for in the order that the rule has found. */
export function withOperations(plan: PipelinePlan, { operations }: GreedyPlan, program: Program): Program {
  if (operations === undefined) return program;
  return { ...program, extended: true, declared: declaredOperations(plan, operations, program) };
}
