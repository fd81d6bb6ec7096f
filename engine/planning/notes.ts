/** Planning writes its findings here, apart from the plan. It knows neither the file's names nor its expressions: it asks. */
import type { Reporter } from '../findings/reporter.ts';
import { createReporter } from '../findings/reporter.ts';
import type { ClusterDefinition } from '../definitions/cluster.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import type { RowTracer } from '../definitions/rowTracer.ts';
import type { ScheduleEvaluator } from '../definitions/scheduleEvaluator.ts';
import type { EngineOptions } from '../basics/host.ts';
import type { DerivedValue } from '../language/resolution.ts';
import type { Place } from '../values/plan.ts';
import type { Searches } from '../basics/searches.ts';

/** Devices of a cluster that a pipeline uses, by their numbers there. */
export interface Occupied {
  readonly cluster: ClusterDefinition;
  readonly devices: readonly number[];
}

export interface Notes {
  /** Of the file that is planned. */
  readonly uri: string;
  readonly options: EngineOptions;
  /** Where planners ask for their plans. */
  readonly searches: Searches;
  /** What schedules of files say is asked here. */
  readonly schedules: ScheduleEvaluator;
  readonly report: Reporter;
  /** Places of the plan's paths. */
  readonly origins: Map<string, Place>;
  /** Values that the file does not say, for inlay hints. */
  readonly derived: DerivedValue[];
  /** They find the source of operations of rows; by name of the pipeline. */
  readonly tracers: Map<string, RowTracer>;
  /** What each planned pipeline says, by its name: exports to engines read it. */
  readonly settled: Map<string, SettledPipeline>;
  /** By name of the pipeline. */
  readonly occupied: Map<string, Occupied>;
  /** One line each about a pipeline and its stages as written, in order, for outlines and hovers. */
  describe(pipeline: string, text: string, stages: readonly string[]): void;
}

/** Notes that nobody reads: a plan on trial leaves no traces. */
export const quietNotes = ({ uri, options, searches, schedules }: Notes): Notes => ({
  uri,
  options,
  searches,
  schedules,
  report: createReporter(uri, 0),
  origins: new Map(),
  derived: [],
  tracers: new Map(),
  settled: new Map(),
  occupied: new Map(),
  describe: () => undefined,
});
