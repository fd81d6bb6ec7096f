/** What a `schedule` declaration says, and what the `schedule` key of a pipeline names. It knows no expressions: they are behind functions. */
import type { Reporter } from '../findings/reporter.ts';
import type { Span } from '../../grammar/syntax.ts';
import type {
  Dimension,
  GreedyRule,
  OperationCost,
  OperationTimes,
  Place,
  PlacementRule,
  PolicyArgument,
  RowPlan,
  RuleOperation,
} from '../values/plan.ts';
import type { Policy } from '../policies/policy.ts';
import type { RowTracer } from './rowTracer.ts';
import type { TextPart } from './scheduleTest.ts';

/** The numbers of a pipeline that its schedule may use. */
export interface ScheduleNumbers {
  readonly stages: number;
  readonly devices: number;
  readonly microbatches: number;
  /** Consecutive iterations of an asynchronous schedule. Default: 1. */
  readonly iterations?: number;
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
  /** The schedule with these arguments; `undefined` where they make it wrong (reported in its file). */
  bind(args: Readonly<Record<string, number>>, report: Reporter): ScheduleDefinition | undefined;
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

/** Which values a parameter may take for one shape; NaN for what the text leaves open. */
export interface ParameterRange {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** A condition that does not hold. */
export interface UnmetCondition {
  readonly place: Place;
  readonly problem: string;
  /** The values nearest to a pipeline's with which all conditions hold. They are looked for at each call, among a thousand. */
  nearest(): { readonly input: string; readonly values: readonly number[] };
}

/** A schedule with its arguments. */
export interface ScheduleDefinition {
  readonly name: string;
  /** Uri of the file that declares it. */
  readonly uri: string;
  readonly split: boolean;
  readonly weights: string;
  readonly placement: { readonly rule: PlacementRule; readonly chunks: number } | undefined;
  /** `on(s, j)`, in place of `placement`. */
  readonly on?: OnRule;
  /** Which stages run forwards only; `undefined` where the expression is wrong for these numbers (reported). Absent: none. */
  readonly forwardOnly?: (numbers: ScheduleNumbers, report: Reporter) => readonly boolean[] | undefined;
  readonly body: GreedyBody | RowsBody;
  /** Parts that every microbatch is cut into along its sequence. */
  readonly parts: number;
  readonly args: Readonly<Record<string, number>>;
  /** Numbers of its parameters for a shape. */
  values(numbers: ScheduleNumbers): Readonly<Record<string, number>>;
  /** Ranges of its parameters for a shape. */
  ranges(numbers: ScheduleNumbers): Readonly<Record<string, ParameterRange>>;
  /** Durations of single operations; `undefined` where one is wrong for these numbers (reported). */
  times(numbers: ScheduleNumbers, layers: LayerTimes, report: Reporter): readonly OperationTimes[] | undefined;
  /** The first condition that does not hold for these numbers. */
  unmet(numbers: ScheduleNumbers, report: Reporter): UnmetCondition | undefined;
}

/** The device of each stage and microbatch, as a function. */
export interface OnRule {
  /** Stages on this many devices, or the condition that refuses them; `undefined` where the expression is wrong (reported). */
  stages(devices: number, report: Reporter): number | UnmetCondition | undefined;
  /**
   * Devices of each stage for `count` microbatches, one list for each place in the list that the function gives. The first is for the
   * stage itself, where −1 is no device, the others are for spare copies. Numbers behind `microbatches` may be missing. `undefined` where the function is
   * wrong for these numbers (reported).
   */
  devices(numbers: ScheduleNumbers, count: number, report: Reporter): readonly (readonly Int32Array[])[] | undefined;
  /** Devices may be without a stage. */
  readonly idle: boolean;
  /** Device where the weights of each stage are at home; absent where each copy keeps its weights. `undefined` as for `devices`. */
  readonly home?: (numbers: ScheduleNumbers, report: Reporter) => readonly number[] | undefined;
  /** Reports that a stage is at home on a device that does not run it. */
  refuseHome(stage: number, device: number, runs: readonly number[], report: Reporter): void;
  /** Reports a problem at the function. */
  refuse(expected: string, found: string, report: Reporter): void;
}

/** What operations take by their layers. */
export interface LayerTimes {
  /** Number in the cut of each stage of the program. */
  readonly stages: readonly number[];
  /** Part of the sequence that each stage of the program runs; 0 where sequences are whole. */
  readonly parts: readonly number[];
  /** Seconds of an operation of a kind (number of `program.ts`) and stage of the program. */
  seconds(kind: number, stage: number): number;
}

export interface GreedyBody {
  readonly kind: 'greedy';
  readonly prefer: readonly RuleOperation[];
  /** Most microbatches in flight of each stage, `null` for no limit; `undefined` where the expression is wrong for these numbers (reported). */
  inFlight(numbers: ScheduleNumbers, report: Reporter): readonly (number | null)[] | undefined;
  /** Places of its conditions, by their number. */
  readonly written: readonly Place[];
  /** `null` where nothing but the two above decides; `undefined` where an expression is wrong for these numbers (reported). */
  rule(numbers: ScheduleNumbers, report: Reporter): GreedyRule | null | undefined;
  /**
   * Absent where the rule runs no operations that the schedule declares. The rows list nothing but these operations, by device.
   * `undefined` where one is wrong for these numbers (reported).
   */
  readonly operations?: (
    numbers: ScheduleNumbers & { readonly stagesOf: StagesOf },
    report: Reporter,
  ) => { readonly rows: readonly RowPlan[]; readonly used: UsedOperations | 'none' } | undefined;
}

export interface RowsBody {
  readonly kind: 'rows';
  /** The devices that rows are written for, if each is written as a number and there is no row for all devices. */
  readonly devices?: readonly number[];
  /** The row of each device; undefined for those without one, and if the numbers are not known (NaN) but rows depend on them. */
  rows(numbers: ScheduleNumbers): (device: number) => WrittenRow | undefined;
  /** Operations move to where a device would idle; only for a clock table. */
  readonly fill?: true;
  /** Only what has an R is recomputed, also for a shape whose rows have none. */
  readonly apart?: true;
  /** The end of `period = …`, for what its slots come to; only for a building block. */
  readonly periodEnds?: number;
  /** The building block for a shape, right or wrong; only of a building block. `undefined` where a number is wrong (reported). */
  block?(numbers: ScheduleNumbers, report: Reporter): SlotBlock | undefined;
  /**
   * Operations of each device; `stagesOf` gives the stages of each. `undefined` where a row is wrong or they are over the limit
   * (reported in the schedule's file).
   */
  expand(
    numbers: ScheduleNumbers & {
      readonly stagesOf: StagesOf;
      /** Stages that each stage needs; absent for a chain. */
      readonly before?: readonly (readonly number[])[];
    },
    report: Reporter,
  ): readonly RowPlan[] | undefined;
  /** Finds the source of each operation, for numbers that `expand` takes. */
  trace(numbers: Parameters<RowsBody['expand']>[0]): RowTracer;
  /** Absent where the schedule declares no operations. `undefined` where one is wrong for these numbers (reported). */
  readonly operations?: (
    numbers: ScheduleNumbers & { readonly stagesOf: StagesOf },
    rows: readonly RowPlan[],
    report: Reporter,
  ) => UsedOperations | 'none' | undefined;
}

/** Operations that a schedule declares, as the rows of one pipeline use them. Stages are as in the rows. */
export interface UsedOperations {
  readonly names: readonly string[];
  /** `operation` is its kind in the rows. */
  readonly costs: readonly (OperationCost & { readonly device: number })[];
  /**
   * Eight numbers for each wait. Four are the declared operation: kind, stage, microbatch, device. Three are the other one: kind,
   * stage, microbatch. The last is 1 if the first waits for the second, and 0 if the second waits for the first.
   */
  readonly waits: readonly number[];
}

/** Slots of the operations of one microbatch; the next one follows a period later. */
export interface SlotBlock {
  readonly period: number;
  /** Kinds of `program.ts` whose slots are written, each with the slot of every stage. */
  readonly kinds: readonly { readonly kind: number; readonly slots: readonly number[] }[];
}

/** Stages of a device that run a microbatch, in ascending order; without spare copies. */
export interface StagesOf {
  readonly all: readonly (readonly number[])[];
  /** Only where stages have copies. */
  readonly running?: (device: number, microbatch: number) => readonly number[];
}

/** The place of a row in its file. */
export interface WrittenRow {
  readonly place: Place;
  /** The written expressions of the row, in order. */
  readonly items: readonly Place[];
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
