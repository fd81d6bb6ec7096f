/** What planning a pipeline gives, apart from the rest of its file: the next text of the file may have the pipeline too. */
import type { PipelineDefinition, SettledPipeline } from '../definitions/pipeline.ts';
import type { RowTracer } from '../definitions/rowTracer.ts';
import type { Finding } from '../findings/finding.ts';
import { createReporter } from '../findings/reporter.ts';
import type { Span } from '../../grammar/syntax.ts';
import type { DerivedValue } from '../language/resolution.ts';
import type { PipelinePlan, Place } from '../values/plan.ts';
import type { Notes } from './notes.ts';
import { type Orderer, planPipeline } from './planPipeline.ts';
import type { Pacer } from './place/placeTrials.ts';

export interface Planned {
  /** As `planPipeline` gives it. */
  readonly plan: PipelinePlan | undefined;
  readonly findings: readonly Finding[];
  readonly origins: ReadonlyMap<string, Place>;
  readonly derived: readonly DerivedValue[];
  readonly tracer: RowTracer | undefined;
  /** Undefined of one that has no plan. */
  readonly settled: SettledPipeline | undefined;
  /** Devices of its cluster that it uses; undefined before they are known. */
  readonly devices: readonly number[] | undefined;
  readonly described: { readonly text: string; readonly stages: readonly string[] } | undefined;
}

/** Plans a pipeline in steps, and writes nothing into `notes`. */
export function* planApart(
  notes: Notes,
  definition: PipelineDefinition,
  order: Orderer,
  pace: Pacer,
): Generator<void, Planned, void> {
  const { uri, options } = notes;
  const { name } = definition;
  let described: Planned['described'];
  const own: Notes = {
    ...notes,
    report: createReporter(uri, options.limits.findings),
    origins: new Map(),
    derived: [],
    tracers: new Map(),
    settled: new Map(),
    occupied: new Map(),
    describe(_, text, stages) {
      described = { text, stages };
    },
  };
  const plan = yield* planPipeline(own, definition, order, pace);
  const { origins, derived, tracers, settled, occupied } = own;
  const devices = occupied.get(name)?.devices;
  return {
    ...{ plan, findings: own.report.findings, origins, derived },
    ...{ tracer: tracers.get(name), settled: settled.get(name), devices, described },
  };
}

/** Writes into `notes` what planning gave. `written`: the block of the pipeline. */
export function takeOver(
  notes: Notes,
  { name, cluster }: PipelineDefinition,
  written: Span,
  { findings, origins, derived, tracer, settled, devices, described }: Planned,
): void {
  for (const found of findings) notes.report.add(found);
  for (const [path, place] of origins) if (!notes.origins.has(path)) notes.origins.set(path, place);
  const hinted = new Set(notes.derived.map(({ offset }) => offset));
  for (const value of derived) {
    const isOwn = value.offset >= written.start && value.offset <= written.end;
    // A model or a schedule has the hints of the first pipeline that uses it.
    if (isOwn || !hinted.has(value.offset)) notes.derived.push(value);
  }
  if (tracer !== undefined) notes.tracers.set(name, tracer);
  if (settled !== undefined) notes.settled.set(name, settled);
  if (devices !== undefined) notes.occupied.set(name, { cluster, devices });
  if (described !== undefined) notes.describe(name, described.text, described.stages);
}

/**
 * The same for a text in which the pipeline is elsewhere. `movedBy`: how far what begins at an offset has moved; undefined if it is not
 * as it was, and then there is no answer.
 */
export function movedPlanned(
  planned: Planned,
  uri: string,
  movedBy: (offset: number) => number | undefined,
): Planned | undefined {
  let isWhole = true;
  const by = (offset: number): number => {
    const far = movedBy(offset);
    if (far === undefined) isWhole = false;
    return far ?? 0;
  };
  const moved = (place: Place): Place => {
    const far = place.uri === uri ? by(place.start) : 0;
    return far === 0 ? place : { uri, start: place.start + far, end: place.end + far };
  };
  const findings = planned.findings.map((found) => ({
    ...found,
    place: moved(found.place),
    related: found.related.map(({ place, message }) => ({ place: moved(place), message })),
  }));
  const origins = new Map<string, Place>();
  for (const [path, place] of planned.origins) origins.set(path, moved(place));
  const derived = planned.derived.map((value) => movedValue(value, by(value.offset)));
  return isWhole ? { ...planned, findings, origins, derived } : undefined;
}

/** Its text is made when it is looked at. */
function movedValue(value: DerivedValue, by: number): DerivedValue {
  if (by === 0) return value;
  const { offset, ...others } = Object.getOwnPropertyDescriptors(value);
  return Object.defineProperties({}, { offset: { ...offset, value: value.offset + by }, ...others }) as DerivedValue;
}
