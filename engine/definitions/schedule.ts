/** What a `schedule` declaration says, and what the `schedule` key of a pipeline names. It knows no expressions: they are behind functions. */
import type { Reporter } from '../findings/reporter.ts';
import type { Span } from '../../grammar/syntax.ts';
import type { OperationLetter, Place, PlacementRule, PolicyArgument, RowItem } from '../plan.ts';
import type { Policy } from '../policies/policy.ts';

/** The numbers of a pipeline that its schedule may use. */
export interface ScheduleNumbers {
  readonly stages: number;
  readonly devices: number;
  readonly microbatches: number;
}

export interface ScheduleDefinition {
  readonly name: string;
  /** Uri of the file that declares it. */
  readonly uri: string;
  readonly split: boolean;
  readonly weights: string;
  readonly placement: { readonly rule: PlacementRule; readonly chunks: number } | undefined;
  readonly body: GreedyBody | RowsBody;
}

export interface GreedyBody {
  readonly kind: 'greedy';
  readonly prefer: readonly OperationLetter[];
  /** Most microbatches in flight of each stage, `null` for no limit; `undefined` where the expression is wrong for these numbers (reported). */
  inFlight(numbers: ScheduleNumbers, report: Reporter): readonly (number | null)[] | undefined;
}

export interface RowsBody {
  readonly kind: 'rows';
  /** The row that all devices without their own row run. */
  readonly general?: WrittenRow;
  /** Rows of single devices, by number. */
  readonly byDevice: ReadonlyMap<number, WrittenRow>;
  /**
   * Operations of each device; `stagesOf` gives the stages of each. `undefined` where a row is wrong or they are over the limit
   * (reported in the schedule's file).
   */
  expand(
    numbers: ScheduleNumbers & { readonly stagesOf: readonly (readonly number[])[] },
    report: Reporter,
  ): readonly (readonly RowItem[])[] | undefined;
}

/** The place of a row in its file. */
export interface WrittenRow {
  readonly place: Place;
  /** The written expressions of the row, in order. */
  readonly items: readonly Place[];
  /** The number of its device, or the key where it has none. */
  readonly device: Span;
}

/** The row of a device: its own, otherwise the general one. */
export const rowOf = (body: RowsBody, device: number): WrittenRow | undefined =>
  body.byDevice.get(device) ?? body.general;

export type ScheduleUse =
  | {
      readonly kind: 'policy';
      readonly policy: Policy;
      readonly args: Readonly<Record<string, PolicyArgument>>;
      /** The place of `recompute = …` among the arguments. */
      readonly recomputeAt?: Span;
    }
  | { readonly kind: 'own'; readonly definition: ScheduleDefinition };
