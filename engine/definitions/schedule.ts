/** What a `schedule` declaration says, and what the `schedule` key of a pipeline names. Its expressions are answered by an evaluator. */
import type { Finding } from '../findings/finding.ts';
import type { Span } from '../../grammar/syntax.ts';
import type { Dimension, Place, PlacementRule, PolicyArgument, RuleOperation } from '../values/plan.ts';
import type { Policy } from '../policies/policy.ts';
import type { TextPart } from './scheduleTest.ts';

/** The numbers of a pipeline that its schedule may use. */
export interface ScheduleNumbers {
  readonly stages: number;
  readonly devices: number;
  readonly microbatches: number;
  /** Consecutive iterations of an asynchronous schedule. Default: 1. */
  readonly iterations?: number;
}

/** Before a pipeline is known. */
export const unknownNumbers: ScheduleNumbers = { stages: NaN, devices: NaN, microbatches: NaN };

declare const sealed: unique symbol;

/** The compiled text of a schedule. Only `engine/read`, which makes it, opens it. */
export interface ScheduleCode {
  readonly [sealed]?: never;
}

/** A schedule as it is declared: a pipeline may give numbers for its parameters. */
export interface DeclaredSchedule {
  readonly name: string;
  /** Uri of the file that declares it. */
  readonly uri: string;
  readonly parameters: readonly ScheduleParameter[];
  /** The declaration with the numbers that it uses. */
  readonly source: TextPart;
  /** The same of the schedules of files that it takes over, the nearest first. */
  readonly bases: readonly TextPart[];
  readonly code: ScheduleCode;
}

/** A `param` of a schedule. */
export interface ScheduleParameter {
  readonly name: string;
  readonly doc?: string;
  readonly dimension: Dimension;
  /** As written. */
  readonly default: string;
  /** Least and greatest value, where they depend on no number of the pipeline. */
  readonly min?: number;
  readonly max?: number;
  /** The unit of its default, for showing: one is `scale` base units. */
  readonly unit: { readonly name: string; readonly scale: number };
}

/** The place of findings about a key. `related`: the key itself, where another schedule takes it over. */
export type KeyPlace = Pick<Finding, 'place' | 'related'>;

/** A schedule with its arguments, as plain data. What follows from the numbers of a pipeline is asked of an evaluator. */
export type ScheduleDefinition = RuleDefinition | RowsDefinition;

interface EitherDefinition {
  readonly name: string;
  /** Uri of the file that declares it. */
  readonly uri: string;
  readonly split: boolean;
  readonly weights: string;
  readonly placement: { readonly rule: PlacementRule; readonly chunks: number } | undefined;
  /** `on(s, j)`, in place of `placement`. */
  readonly on?: OnRule;
  /** Some stages may run forwards only. */
  readonly forwardOnly: boolean;
  /** Single operations may take longer or shorter than their layers say. */
  readonly timed: boolean;
  /** Parts that every microbatch is cut into along its sequence. */
  readonly parts: number;
  readonly args: Readonly<Record<string, number>>;
  readonly code: ScheduleCode;
}

/** `on(s, j)`: the device of each stage and microbatch. */
export interface OnRule {
  /** Devices may be without a stage. */
  readonly idle: boolean;
  readonly at: KeyPlace;
  /** Of `home(s)`; absent where each copy keeps its weights. */
  readonly home?: KeyPlace;
}

/** A schedule by rule. */
export interface RuleDefinition extends EitherDefinition {
  readonly kind: 'greedy';
  readonly prefer: readonly RuleOperation[];
  /** Places of its conditions, by their number. */
  readonly written: readonly Place[];
}

/** A schedule by rows, or by a clock table. */
export interface RowsDefinition extends EitherDefinition {
  readonly kind: 'rows';
  /** The devices that rows are written for, if each is written as a number and there is no row for all devices. */
  readonly devices?: readonly number[];
  /** Operations move to where a device would idle; only for a clock table. */
  readonly fill?: true;
  /** Only what has an R is recomputed, also for a shape whose rows have none. */
  readonly apart?: true;
  /** The end of `period = …`, for what its slots come to; only for a building block. */
  readonly periodEnds?: number;
}

/** How the text of a pipeline gives the arguments of its schedule. */
export interface WrittenArguments {
  /** As the text gives them, whatever else is tried. */
  readonly values: Readonly<Record<string, PolicyArgument>>;
  /** Parameters whose argument is computed from other numbers of the file. */
  readonly computed: readonly string[];
}

export type ScheduleUse =
  | {
      readonly kind: 'policy';
      readonly written: WrittenArguments;
      readonly policy: Policy;
      readonly args: Readonly<Record<string, PolicyArgument>>;
      /** The place of `recompute = …` among the arguments. */
      readonly recomputeAt?: Span;
    }
  | {
      readonly kind: 'own';
      readonly written: WrittenArguments;
      readonly declared: DeclaredSchedule;
      readonly definition: ScheduleDefinition;
    };
