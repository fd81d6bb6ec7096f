/** What an `expect` block asks of a schedule, as plain data: it can be tested in another thread, without the files it comes from. */
import type { EngineOptions } from '../basics/host.ts';
import type { Dimension } from '../values/plan.ts';

export interface ScheduleTest {
  /** Name of the schedule. */
  readonly name: string;
  readonly schedule: TextPart;
  /** Schedules of files that it takes over, the nearest first. */
  readonly bases: readonly TextPart[];
  readonly expect: TextPart;
  /** Names and the numbers that each takes; `devices` and `microbatches` come first. */
  readonly axes: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** Shapes, and about how many operations they have together. */
  readonly shapes: number;
  readonly operations: number;
  readonly options: EngineOptions;
}

/** A declaration of a file, and the numbers of the file that it uses. */
export interface TextPart {
  readonly uri: string;
  readonly start: number;
  readonly text: string;
  readonly constants: Readonly<Record<string, { readonly value: number; readonly dimension: Dimension }>>;
}

/** Numbers of one shape. */
export interface TestedShape {
  readonly devices: number;
  readonly microbatches: number;
  /** Of the schedule's parameters, those that the test varies. */
  readonly args: Readonly<Record<string, number>>;
}
