/** What follows from the text of a schedule for the numbers of a pipeline: questions, and answers as data. */
import type { Finding } from '../findings/finding.ts';
import type { GreedyRule, OperationCost, OperationTimes, Place, RowPlan } from '../values/plan.ts';
import type { RowTracer } from './rowTracer.ts';
import type {
  DeclaredSchedule,
  RowsDefinition,
  RuleDefinition,
  ScheduleDefinition,
  ScheduleNumbers,
} from './schedule.ts';

/** What follows from a text. Without a value, the text is wrong for these numbers; findings may come with a value, too. */
export interface Answer<Value> {
  readonly value: Value | undefined;
  readonly findings: readonly Finding[];
}

/** Answers what follows from the texts of schedules. Whoever asks needs to know neither names nor expressions. */
export interface ScheduleEvaluator {
  /** The schedule with these arguments. */
  bind(declared: DeclaredSchedule, args: Readonly<Record<string, number>>): Answer<ScheduleDefinition>;
  /** Numbers of its parameters; NaN for what is wrong or not known. */
  values(definition: ScheduleDefinition, numbers: ScheduleNumbers): Readonly<Record<string, number>>;
  /** Ranges of its parameters. */
  ranges(definition: ScheduleDefinition, numbers: ScheduleNumbers): Readonly<Record<string, ParameterRange>>;
  /** The first condition that does not hold. Without findings, no value means that all of them hold. */
  unmet(definition: ScheduleDefinition, numbers: ScheduleNumbers): Answer<UnmetCondition>;
  /** The values nearest to these numbers with which all conditions hold. They are looked for among a thousand. */
  nearest(definition: ScheduleDefinition, numbers: ScheduleNumbers): NearestValues;
  /** Stages on this many devices, or the condition that refuses them. */
  stages(definition: ScheduleDefinition, devices: number): Answer<number | UnmetCondition>;
  /** Only for a schedule with `on`. `count`: microbatches that are asked for. */
  stageDevices(definition: ScheduleDefinition, numbers: ScheduleNumbers, count: number): Answer<StageDevices>;
  /** Which stages run forwards only. */
  forwardOnly(definition: ScheduleDefinition, numbers: ScheduleNumbers): Answer<readonly boolean[]>;
  /** Durations that differ from what the layers take. */
  times(
    definition: ScheduleDefinition,
    numbers: ScheduleNumbers,
    layers: LayerTimes,
  ): Answer<readonly OperationTimes[]>;
  /** What a rule decides. */
  ruleOrder(definition: RuleDefinition, numbers: PlacedNumbers): Answer<RuleOrder>;
  /** Operations of each device. */
  rows(definition: RowsDefinition, numbers: PlacedNumbers): Answer<readonly RowPlan[]>;
  /** Operations that the schedule declares, as these rows use them. */
  operations(
    definition: RowsDefinition,
    numbers: PlacedNumbers,
    rows: readonly RowPlan[],
  ): Answer<UsedOperations | 'none'>;
  /**
   * The row of each device, by default of all; undefined for those without one, and if the numbers are not known (NaN) but rows
   * depend on them.
   */
  writtenRows(
    definition: RowsDefinition,
    numbers: ScheduleNumbers,
    devices?: number,
  ): readonly (WrittenRow | undefined)[];
  /** The building block, right or wrong. Without findings, no value means that there is none. */
  block(definition: RowsDefinition, numbers: ScheduleNumbers): Answer<SlotBlock>;
  /** Finds the source of each operation, for numbers that have rows. */
  trace(definition: RowsDefinition, numbers: PlacedNumbers): RowTracer;
}

/** Which values a parameter may take for one shape; NaN for what the text leaves open. */
export interface ParameterRange {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** A condition that does not hold for these numbers. */
export interface UnmetCondition {
  readonly place: Place;
  readonly problem: string;
  readonly numbers: ScheduleNumbers;
}

/** Values of an input with which all conditions hold, the nearest first. */
export interface NearestValues {
  readonly input: string;
  readonly values: readonly number[];
}

/** What `on` says of the stages of a pipeline. */
export interface StageDevices {
  /**
   * Devices of each stage by microbatch, one list for each place in the list that the function gives. The first is for the stage
   * itself, where −1 is no device, the others are for spare copies. Numbers behind the microbatches of the pipeline may be missing.
   */
  readonly devices: readonly (readonly Int32Array[])[];
  /** Device where the weights of each stage are at home, if the schedule says so. */
  readonly homes?: readonly number[];
}

/** Numbers of a pipeline whose stages are on devices. */
export interface PlacedNumbers extends ScheduleNumbers {
  readonly stagesOf: StagesOf;
  /** Stages that each stage needs; absent for a chain. */
  readonly before?: readonly (readonly number[])[];
}

/** Stages of a device that run a microbatch, in ascending order; without spare copies. */
export interface StagesOf {
  readonly all: readonly (readonly number[])[];
  /** Only where stages have copies. No table: it would be as long as it takes until the turns of all copies repeat. */
  readonly running?: (device: number, microbatch: number) => readonly number[];
}

/** What operations take by their layers. */
export interface LayerTimes {
  /** Number in the cut of each stage of the program. */
  readonly stages: readonly number[];
  /** Part of the sequence that each stage of the program runs; 0 where sequences are whole. */
  readonly parts: readonly number[];
  /** Seconds of an operation by kind (number of `program.ts`), then by stage of the program. */
  readonly seconds: readonly (readonly number[])[];
}

/** What a rule decides, in the numbers of one pipeline. */
export interface RuleOrder {
  /** Most microbatches in flight of each stage, `null` for no limit. */
  readonly inFlight: readonly (number | null)[];
  /** Absent where nothing but `prefer` and the above decides. */
  readonly rule?: GreedyRule;
  /** Absent where the rule runs no operations that the schedule declares. The rows list nothing but these operations, by device. */
  readonly operations?: { readonly rows: readonly RowPlan[]; readonly used: UsedOperations | 'none' };
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

/** The place of a row in its file. */
export interface WrittenRow {
  readonly place: Place;
  /** The written expressions of the row, in order. */
  readonly items: readonly Place[];
}
