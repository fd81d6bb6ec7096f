import type { ModelSource } from './modelSource.ts';
import type { ScheduleText } from './scheduleText.ts';
import type { Reporter } from '../findings/reporter.ts';
import { takeOne } from '../language/imports.ts';
import type { Declaration, Entry, SyntaxFile } from '../../grammar/syntax.ts';
import type { ClusterDefinition } from '../definitions/cluster.ts';
import type { DeviceDefinition } from '../definitions/device.ts';
import type { ModelDefinition } from '../definitions/model.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import type { RowTracer } from '../definitions/rowTracer.ts';
import type { DeclaredSchedule } from '../definitions/schedule.ts';
import type { EngineOptions } from '../basics/host.ts';
import { createContext, type FileContext } from '../language/context.ts';
import type { ForeignFiles } from '../language/foreign.ts';

/** A file, its names, and what has been read of it: definitions by symbol. An erroneous one is absent and has been reported. */
export interface ReadContext extends FileContext {
  /** What `from` entries of models give; absent where they are wrong. */
  readonly sources: Map<Entry, ModelSource>;
  readonly devices: Map<string, DeviceDefinition>;
  /** Spread out when they are asked for: a library has many of thousands of devices. */
  readonly clusters: Map<string, () => ClusterDefinition | undefined>;
  readonly models: Map<string, ModelDefinition>;
  readonly schedules: Map<string, DeclaredSchedule>;
  /** What schedules say with what they take over; absent where they are wrong. */
  readonly scheduleTexts: Map<string, ScheduleText>;
  /** They find the source of operations of rows; by name of the pipeline. */
  readonly tracers: Map<string, RowTracer>;
  /** What each planned pipeline says, by its name. */
  readonly settled: Map<string, SettledPipeline>;
  /** Devices that each planned pipeline of the file uses, by its name; numbers of its cluster. */
  readonly occupied: Map<string, { readonly cluster: ClusterDefinition; readonly devices: readonly number[] }>;
}

/** A file of which nothing has been read yet. */
export const createReadContext = (
  uri: string,
  syntax: SyntaxFile,
  options: EngineOptions,
  report: Reporter,
  foreign: ForeignFiles,
  declarations?: readonly Declaration[],
): ReadContext => ({
  ...createContext(uri, syntax, options, report, foreign, declarations),
  sources: new Map(),
  devices: new Map(),
  clusters: new Map(),
  models: new Map(),
  schedules: new Map(),
  scheduleTexts: new Map(),
  tracers: new Map(),
  settled: new Map(),
  occupied: new Map(),
});

/** Definitions of an imported symbol. */
export function takeDefinitions(to: ReadContext, from: ReadContext, symbol: string): void {
  takeOne(to.devices, from.devices, symbol);
  takeOne(to.clusters, from.clusters, symbol);
  takeOne(to.models, from.models, symbol);
  takeOne(to.schedules, from.schedules, symbol);
  takeOne(to.scheduleTexts, from.scheduleTexts, symbol);
}
