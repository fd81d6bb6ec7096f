/** What a rule is run on, and what comes of it. */
import type { GreedyRule, RuleRead } from '../../values/plan.ts';
import { E, L, type Program, type ProgramCopies, resultOf } from '../../values/program.ts';
import type { Dependencies } from '../dependencies.ts';
import type { WholeTicks } from '../wholeTicks.ts';
import type { Condition } from './conditions.ts';
import type { EvictionCosts } from './evictions.ts';
import type { Reading } from './guards.ts';
import type { RuleMemory } from './memory.ts';
import type { RuleWait } from './waits.ts';

export interface RuleWork {
  readonly devices: number;
  readonly placement: ArrayLike<number>;
  readonly microbatches: number;
  readonly split: boolean;
  /** Most microbatches in flight, by stage. */
  readonly limits: Float64Array;
  /** Stages with an operation R. */
  readonly again: Uint8Array;
  readonly dependencies: Dependencies;
  readonly ticks: WholeTicks;
  readonly memory: RuleMemory;
  readonly copies?: ProgramCopies;
  readonly rule: Pick<GreedyRule, 'prefer' | 'ties' | 'limit'>;
  /** Only if the rule sends activations away: what copies take, and the device that keeps them, as `Program.partner`. */
  readonly evictions?: EvictionCosts;
  readonly keeper?: Int32Array;
  /** Only if the rule runs operations that the schedule declares: their names, their numbers by result row, and all waits. */
  readonly declared?: {
    readonly names: readonly string[];
    readonly numbers: ReadonlyMap<number, Int32Array>;
    readonly waits: readonly RuleWait[];
  };
  /** Conditions of each result row (F, backward, W, R, U, E, L of each stage); `read` gives what they read. */
  readonly conditions: (read: ReadRule) => readonly (readonly Condition[])[];
  /** Result rows of operations that take bytes and may start only where there is room; only with `evictions`. */
  readonly needsRoom?: Uint8Array;
  /** Whether a condition reads `next`. */
  readonly watches: boolean;
}

/** What a condition reads, as a function; `row`: the result row of the operations that the condition is for. */
export type ReadRule = (what: RuleRead, row: number) => Reading;

/** A ready operation that its device may not start, with the conditions that do not hold. */
export interface BlockedOperation {
  readonly device: number;
  readonly word: number;
  readonly conditions: readonly Condition[];
  /** The limit in bytes that it would go over, the device that it is for, and what that device holds. */
  readonly limit?: { readonly bytes: number; readonly held: number; readonly owner: number };
  /** The limit of microbatches in flight. */
  readonly inFlight?: number;
  /** Operations that it waits for because operations of the schedule say so. */
  readonly waits?: readonly number[];
}

export type RuleOrder =
  | { readonly program: Program }
  | {
      readonly blocked: readonly BlockedOperation[];
      readonly program: Program;
      readonly seconds: number;
      readonly left: number;
    };

/** Results of E and L, in a program and in its rule. */
export const sends = resultOf[E];
export const brings = resultOf[L];
