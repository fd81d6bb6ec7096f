/** What a plan says of the order in which devices work: a policy, rows or a rule. Part of `plan.ts`, which exports it. */

export type Dimension = 'number' | 'share' | 'time' | 'bytes' | 'bandwidth' | 'compute' | 'flops' | 'rate' | 'tokens';

/** What the file says of the order. `args` are numbers, names, lists of numbers or quantities, checked against the policy's parameters. */
export type SchedulePlan =
  | { readonly kind: 'policy'; readonly name: string; readonly args: Readonly<Record<string, PolicyArgument>> }
  | {
      readonly kind: 'rows';
      readonly name: string;
      /** What the pipeline gives for parameters of the schedule; absent where it gives nothing. */
      readonly args?: Readonly<Record<string, number>>;
      /** By device, all iterations. Path `NAME/row:DEVICE/item:I`. */
      readonly rows: readonly RowPlan[];
      /** Operations move to where a device would idle, within what the rows hold; only for a clock table. */
      readonly fill?: true;
      /** Only what has an R is recomputed, also if no row has one here. True of rows with an R, too. */
      readonly apart?: true;
      /** Update rule of the weights. Default: `flush`. */
      readonly weights?: string;
      /** Operations that the schedule declares. */
      readonly operations?: OperationsPlan;
      readonly times?: readonly OperationTimes[];
    }
  | {
      readonly kind: 'greedy';
      readonly name: string;
      readonly args?: Readonly<Record<string, number>>;
      readonly placement: PlacementRule;
      readonly split: boolean;
      /** Kinds in order of preference: a ready operation of an earlier kind runs first. */
      readonly prefer: readonly RuleOperation[];
      /** Most microbatches in flight of each stage; `Infinity` cannot be in JSON, so `null` is no limit. */
      readonly inFlight: readonly (number | null)[];
      /** Update rule of the weights; only `flush` is synchronous. */
      readonly weights: string;
      /** Absent where nothing but `prefer` and `inFlight` decides. */
      readonly rule?: GreedyRule;
      /** Operations that the schedule declares. */
      readonly operations?: OperationsPlan;
      /** Of each device, the declared operations that it runs; the rule decides when. */
      readonly runs?: readonly RowPlan[];
      readonly times?: readonly OperationTimes[];
    };

/** Whether a schedule declares operations or sets durations. Others leave them out, so their times are no alternative. */
export const setsWork = (schedule: SchedulePlan): boolean =>
  schedule.kind !== 'policy' && (schedule.operations !== undefined || schedule.times !== undefined);

/** What to say of a schedule that sets operations or durations, where it is compared with others. */
export const setsWorkText = (schedule: string): string =>
  `${schedule} sets operations or durations, which other schedules leave out.`;

/** Operations that a schedule declares. In rows the i-th has the kind `kinds + i` of `program.ts`. */
export interface OperationsPlan {
  readonly names: readonly string[];
  /** One for each operation and stage of the program that it runs on. */
  readonly costs: readonly OperationCost[];
  /** Six numbers for each wait: kind, stage and microbatch of who waits, then of what it waits for. */
  readonly waits: readonly number[];
}

/** Seconds and bytes of an operation at a stage of the program; they may read the costs of stages (`RuleRead`). */
export interface OperationCost {
  readonly operation: number;
  readonly stage: number;
  readonly time: RuleExpression;
  /** Only if it differs by the number of the operation: of each that runs there. */
  readonly times?: readonly { readonly number: number; readonly time: RuleExpression }[];
  readonly holds: RuleExpression;
  readonly sends: RuleExpression;
  /** Device that receives what it sends; absent where only those that wait do. */
  readonly to?: number;
}

/** Durations of the operations of one kind and stage that differ by microbatch. */
export interface OperationTimes {
  /** Number of `program.ts`. */
  readonly kind: number;
  /** Stage of the program. */
  readonly stage: number;
  /** Share of what the layers say, by microbatch of all iterations. */
  readonly factors: readonly number[];
}

/** What decides in addition to the preference and the limit of microbatches in flight. */
export interface GreedyRule {
  /** Preference of each device. */
  readonly prefer: readonly (readonly RuleOperation[])[];
  /** Which of several ready operations of a kind runs first. */
  readonly ties: Ties;
  /** Most bytes of each device; `null` for no limit. */
  readonly limit: readonly (number | null)[];
  /** Conditions of single stages; an operation starts only while all of its conditions hold. */
  readonly guards: readonly GuardPlan[];
  /** Stages of the cut that recompute in a separate operation; the others keep everything. Absent where no operation is R. */
  readonly recomputes?: readonly boolean[];
  /** Who keeps the activations that E sends, by device. Absent where no operation is E. */
  readonly keeper?: readonly (number | 'host')[];
}

/** `oldest`: the lowest microbatch, then the deepest stage. `deepest`, `shallowest`: that stage, then the lowest microbatch. */
export type Ties = 'oldest' | 'deepest' | 'shallowest';

/** Path `NAME/guard:WRITTEN`. */
export interface GuardPlan {
  readonly operation: RuleOperation;
  /** Number of the stage in the cut. */
  readonly stage: number;
  /** As written, for messages. */
  readonly text: string;
  readonly condition: RuleExpression;
  /** Which written condition of the schedule this came from. */
  readonly written: number;
}

/** What only a rule reads. */
export type RuleReading = 'held' | 'away' | 'loaded' | 'pending' | 'done' | 'next' | 'time' | 'bytes' | 'activation';

/** What a device knows of itself while it runs. Stages are numbers of the cut, on this device. Seconds and bytes. */
export interface RuleRead {
  readonly read: RuleReading | 'weights' | 'gradients';
  readonly kind?: RuleOperation;
  readonly stage?: number;
}

/** A number that is known before the run, a reading, or an operator or function with its operands. */
export type RuleExpression = number | RuleRead | { readonly apply: string; readonly to: readonly RuleExpression[] };

export type PolicyArgument = number | string | readonly number[] | Measured;
/** A quantity in base units, where a parameter takes a plain number or a quantity and they mean different things. */
export interface Measured {
  readonly value: number;
  readonly dimension: Dimension;
}
/** An operation of a rule or of a row: a letter, or the name of one that the schedule declares. */
export type RuleOperation = string;
export type OperationLetter = 'F' | 'B' | 'I' | 'W' | 'R' | 'U' | 'E' | 'L';

declare const packed: unique symbol;

/** Whole numbers from 0 on as a text, which only `packed.ts` reads and writes. A plan crosses processes, where arrays are slow. */
export interface Packed {
  readonly [packed]: true;
}

/** The operations of a device in order, each an element of every list: a long row is no object for each operation. */
export interface RowPlan {
  /** Numbers of `program.ts`: 0 is F, 1 is B, … */
  readonly kinds: Packed;
  readonly stages: Packed;
  readonly microbatches: Packed;
  /** Which written expression of the row each came from. */
  readonly items: Packed;
  /** Positions of operations that share a slot with the next one, in order; absent for none. */
  readonly fused?: Packed;
  /** Slot of each operation; only of a clock table. */
  readonly slots?: Packed;
  /** Share of the shorter operation of each pair that runs in parallel with the longer one; the same in all rows. Default: 0. */
  readonly overlap?: number;
  /** Who keeps what an E of this row sends: a device, or the host of this one. Absent for a row without E. */
  readonly keeper?: number | 'host';
}

/** One operation of a row. `fused` operations run in one slot: the first of the pair has `fusedWithNext`. */
export interface RowItem {
  readonly op: RuleOperation;
  readonly stage: number;
  readonly microbatch: number;
  readonly fusedWithNext?: boolean;
  /** Which written expression of the row this came from; path `NAME/row:DEVICE/item:ITEM`. */
  readonly item: number;
}

/** `linear` is one stage a device; the others as in `docs/language.md`. A list names the stages of each device. */
export type PlacementRule = 'linear' | 'loop' | 'v_shape' | 'wave' | 'bidirectional' | readonly (readonly number[])[];
