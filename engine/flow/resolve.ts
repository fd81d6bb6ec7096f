/** Planning one file: syntax tree → plan, findings and names. Never throws. */
import type { SourceFile, SourceGraph } from '../language/sourceFiles.ts';
import { createReporter } from '../findings/reporter.ts';
import { readGraph } from '../language/sourceFiles.ts';
import type { Notes } from '../planning/notes.ts';
import type { ReadContext } from '../read/context.ts';
import { createReadContext } from '../read/context.ts';
import { detail } from '../language/context.ts';
import { lazy } from '../basics/lazy.ts';
import { iterationSearch } from './iterationSearch.ts';
import { orderSearch } from './orderSearch.ts';
import { planApart, type Planned, takeOver } from '../planning/planned.ts';
import { reportIdleDevices } from '../planning/place/idleDevices.ts';
import { scheduleArguments } from '../planning/scheduleArguments.ts';
import { readFrom } from '../read/modelFrom.ts';
import { symbolId } from '../language/context.ts';
import { takeDefinitions } from '../read/context.ts';
import { toEnd } from '../basics/steps.ts';
import type { BlockDeclaration, Declaration, SyntaxFile } from '../../grammar/syntax.ts';
import type { EngineHost, EngineOptions } from '../basics/host.ts';
import { readCluster } from '../read/cluster.ts';
import { readDevice } from '../read/device.ts';
import { readExpect } from '../read/expect.ts';
import { readJob } from '../read/job.ts';
import { readByBase } from '../read/base.ts';
import { readModel } from '../read/model.ts';
import { adoptLayers } from '../read/modelFromModel.ts';
import { readPipeline } from '../read/pipeline.ts';
import { adoptMembers } from '../read/scheduleBase.ts';
import { readSearches } from '../read/search.ts';
import { readSchedule } from '../read/schedule.ts';
import { unitSchedule } from '../grid/unitSchedule.ts';
import type { UnitRequest } from '../definitions/unitRequest.ts';
import { scheduleEvaluator } from '../read/scheduleEvaluator.ts';
import { scheduleTestOf } from '../read/scheduleTest.ts';
import type { SearchDefinition } from '../definitions/search.ts';
import type { PipelineDefinition } from '../definitions/pipeline.ts';
import { pipelineSize } from './pipelineSize.ts';
import type { DeclaredSchedule } from '../definitions/schedule.ts';
import { evaluateConstants } from '../language/constants.ts';
import { declareAll, reportUnused, reportUnusedInSchedules } from '../language/declare.ts';
import { type ForeignFiles, foreignFiles } from '../language/foreign.ts';
import { applyImports, reportUnusedImports } from '../language/imports.ts';
import { evaluate as evaluateExpression } from '../language/expressions.ts';
import { hasNames } from '../language/importSettings.ts';
import { linkFile } from '../language/linking.ts';
import { slipsOf } from '../language/otherSyntax.ts';
import { settingsName } from '../language/settingsName.ts';
import type { Readings } from '../language/kept.ts';
import type { Reading } from '../language/reading.ts';
import { derivedOf, originsOf, placesOf, symbolTable, unreadNames, useSkipped } from '../language/tables.ts';
import { type Around, leave, type Plans, plannedBefore, readingAfter } from './earlier.ts';
import type { JobPlan, PipelinePlan } from '../values/plan.ts';
import type { PipelineSize, Resolution } from '../language/resolution.ts';
import { directSearches, noSearches, type Searches } from '../basics/searches.ts';

export interface ResolveRequest {
  readonly uri: string;
  readonly syntax: SyntaxFile;
  readonly host: EngineHost;
  readonly options: EngineOptions;
  /** Values of params, by name, instead of their defaults; in base units. */
  readonly overrides?: Readonly<Record<string, number>>;
  /** This schedule is planned instead of the pipelines of the file. */
  readonly unit?: UnitRequest | undefined;
  /** Default: all plans are made at once. */
  readonly searches?: Searches;
  /** How far the file is read. Default: `plans`. */
  readonly depth?: Depth;
  /** Of an earlier text of the file: what the edit did not touch is not read again. */
  readonly earlier?: Resolution | undefined;
}

/** What names mean, what devices, models and schedules say, what the other blocks of the file say too, or also the plans of its pipelines. */
export type Depth = 'names' | 'schedules' | 'definitions' | 'plans';

const direct = directSearches();

/** Plans a file. Pipelines with an error are left out of the plan; `findings` say why. */
export const resolve = (request: ResolveRequest): Resolution => toEnd(resolveSteps(request));

/** The same in steps, so that a server may answer requests between them. */
export function* resolveSteps(request: ResolveRequest): Generator<void, Resolution> {
  const { uri, syntax, host, options, overrides = {}, unit, searches = direct, depth = 'plans', earlier } = request;
  const graph = yield* readGraph(uri, syntax, host, options);
  const foreign = foreignFiles(host, options);
  const resolved = new Map<number, ReadContext>();
  const asked = overridesByFile(graph, overrides);
  const standing = new Set<number>();
  let pipelines: readonly PipelinePlan[] = [];
  let jobs: readonly JobPlan[] = [];
  let pending: readonly string[] = [];
  let tests: Resolution['tests'] = [];
  let sizes: Resolution['sizes'] = new Map();
  let settings: Resolution['searches'] = [];
  let problem: string | undefined;
  let readings: Readings | undefined;
  let plans: Plans = new Map();
  let around: Around = [];
  let reading = readingAfter(undefined, syntax, around);
  for (const file of graph.order) {
    const numbers = { ...settingsOf(graph, file, options, foreign), ...asked.get(file) };
    const source = graph.files[file];
    const isStandard = standsAlone(source, standing);
    const set = JSON.stringify(numbers);
    if (isStandard && set === '{}') standing.add(file);
    const known = isStandard ? standardFiles.get(source.syntax)?.get(set) : undefined;
    const isKnown = known?.context.options === options && known.context.uri === source.uri;
    // What is kept is of use to every request.
    const deep = isStandard ? 'plans' : depth;
    if (file === 0) {
      around = [uri, options, JSON.stringify(overrides), ...importedBy(graph, resolved)];
      reading = readingAfter(unit === undefined ? earlier : undefined, syntax, around);
    }
    const { declarations, skipped } = file === 0 ? reading : readingAfter(undefined, source.syntax, []);
    const resolution = isKnown
      ? known
      : yield* resolveFile(graph, file, resolved, options, foreign, numbers, {
          ...{ searches, unit, depth: deep },
          ...{ declarations, skipped },
          before: (block) => (file === 0 ? plannedBefore(earlier, reading, uri, block) : undefined),
        });
    if (isStandard && !isKnown) keepStandard(source.syntax, set, resolution);
    resolved.set(file, resolution.context);
    if (file === 0)
      ({ pipelines, jobs, pending, tests, sizes, searches: settings, problem, readings, plans } = resolution);
  }
  const context =
    resolved.get(0) ?? createReadContext(uri, syntax, options, createReporter(uri, options.limits.findings), foreign);
  const { skipped } = reading;
  const schedules = lazy(() => schedulesOf(context, skipped, request));
  const symbols = lazy(() => symbolTable(context, skipped));
  const origins = lazy(() => originsOf(context, skipped));
  const derived = lazy(() => derivedOf(context, skipped));
  const resolution: Resolution = {
    plan: { file: uri, params: [...context.params.values()], pipelines, jobs },
    ...(problem === undefined ? {} : { problem }),
    pending,
    tests,
    sizes,
    searches: settings,
    get schedules() {
      return schedules();
    },
    get origins() {
      return origins();
    },
    places: placesOf(context, origins),
    tracers: context.tracers,
    settled: context.settled,
    findings: [...context.report.findings].sort((a, b) => a.place.start - b.place.start || a.place.end - b.place.end),
    get symbols() {
      return symbols();
    },
    imports: [...new Set([...graph.uris, ...foreign.uris])],
    get derived() {
      return derived();
    },
  };
  // What a file of another program says may be new although this text is not.
  if (readings !== undefined) leave(resolution, readings, reading, around, foreign.uris.size > 0 ? new Map() : plans);
  return resolution;
}

/** What each import gives: a file as it was read, or why there is none. */
const importedBy = ({ files }: SourceGraph, resolved: ReadonlyMap<number, ReadContext>): readonly unknown[] =>
  files[0].imports.map(({ file, problem, tooMany }) =>
    file === undefined ? JSON.stringify([problem, tooMany]) : resolved.get(file),
  );

/** Schedules that were not read are read with all of the file: only previews of a schedule without a pipeline ask for them. */
function schedulesOf(
  { schedules, uri }: ReadContext,
  skipped: Reading['skipped'],
  request: ResolveRequest,
): Resolution['schedules'] {
  const isSchedule = (each: Declaration) => each.kind === 'block' && each.keyword.text === 'schedule';
  if ([...skipped.keys()].some(isSchedule))
    return resolve({ ...request, earlier: undefined, depth: 'schedules' }).schedules;
  return [...schedules.values()].filter((schedule) => schedule.uri === uri);
}

/** Overrides go to the file's own params and to those that it imports. */
function overridesByFile(
  graph: SourceGraph,
  overrides: Readonly<Record<string, number>>,
): ReadonlyMap<number, Readonly<Record<string, number>>> {
  const found = new Map<number, Readonly<Record<string, number>>>();
  for (const { declaration, file } of graph.files[0].imports) {
    if (file === undefined) continue;
    const { names } = declaration;
    const numbers =
      names === undefined
        ? overrides
        : Object.fromEntries(
            Object.entries(overrides).filter(([name]) => names.some((candidate) => candidate.text === name)),
          );
    const prefix = `${settingsName(declaration)}.`;
    const settings = (declaration.settings?.entries ?? []).flatMap((item) => {
      const name = item.kind === 'entry' ? item.key.text : '';
      return Object.hasOwn(overrides, prefix + name) ? [[name, overrides[prefix + name]] as const] : [];
    });
    found.set(file, { ...found.get(file), ...numbers, ...Object.fromEntries(settings) });
  }
  return found.set(0, overrides);
}

/** Values that the import of a file gives its params. What is wrong with them is reported at the import. */
function settingsOf(
  graph: SourceGraph,
  file: number,
  options: EngineOptions,
  foreign: ForeignFiles,
): Readonly<Record<string, number>> {
  const { settings } = graph.files[file];
  if (settings === undefined) return {};
  const { uri, syntax } = graph.files[settings.by];
  const quiet = createReadContext(uri, syntax, options, createReporter(uri, 0), foreign);
  return Object.fromEntries(
    settings.block.entries.flatMap((item) => {
      const value = item.kind === 'entry' ? item.values?.[0] : undefined;
      if (item.kind !== 'entry' || value === undefined || hasNames(value)) return [];
      const found = evaluateExpression(quiet, value);
      return found?.kind === 'measure' ? [[item.key.text, found.value]] : [];
    }),
  );
}

/**
 * Files of the standard library as they were resolved before, by their trees and the values of their params: resolving them again takes
 * longer than most edits.
 */
const standardFiles = new WeakMap<SyntaxFile, Map<string, ResolvedFile>>();
/** A slider gives a param one value after the other. */
const mostKept = 4;

function keepStandard(syntax: SyntaxFile, set: string, resolution: ResolvedFile): void {
  const kept = standardFiles.get(syntax) ?? new Map<string, ResolvedFile>();
  const [oldest] = kept.keys();
  if (kept.size >= mostKept) kept.delete(oldest);
  standardFiles.set(syntax, kept.set(set, resolution));
}

/** Whether a file of the standard library means the same wherever its params have equal values: nobody sets params of its imports. */
const standsAlone = ({ uri, imports }: SourceFile, standing: ReadonlySet<number>): boolean =>
  uri.startsWith('std:') && imports.every(({ file }) => file !== undefined && standing.has(file));

interface ResolvedFile {
  readonly context: ReadContext;
  readonly pipelines: readonly PipelinePlan[];
  readonly jobs: readonly JobPlan[];
  readonly pending: readonly string[];
  readonly tests: Resolution['tests'];
  readonly sizes: Resolution['sizes'];
  readonly searches: Resolution['searches'];
  readonly problem?: string | undefined;
  /** What the next text may take, if all of the file was read. */
  readonly readings?: Readings;
  readonly plans: Plans;
}

const nothing = {
  ...{ pipelines: [], jobs: [], pending: [], tests: [], searches: [] },
  ...{ sizes: new Map<string, PipelineSize>(), plans: new Map<string, Planned>() },
} as const;

function* resolveFile(
  graph: SourceGraph,
  file: number,
  resolved: ReadonlyMap<number, ReadContext>,
  options: EngineOptions,
  foreign: ForeignFiles,
  overrides: Readonly<Record<string, number>>,
  {
    searches,
    unit,
    depth,
    declarations,
    skipped,
    before,
  }: Pick<ResolveRequest, 'unit'> &
    Pick<Reading, 'declarations' | 'skipped'> & {
      readonly searches: Searches;
      readonly depth: Depth;
      /** What planning a pipeline gave for the text before. */
      readonly before: (block: BlockDeclaration) => Planned | undefined;
    },
): Generator<void, ResolvedFile> {
  const { uri, syntax } = graph.files[file];
  const report = createReporter(uri, options.limits.findings);
  const context = createReadContext(uri, syntax, options, report, foreign, declarations);
  if (syntax.text.length > options.limits.fileSize) {
    report.report(
      'limit/too-large',
      { start: 0, end: 0 },
      {
        what: 'Characters of this file',
        figure: syntax.text.length.toLocaleString('en-US'),
        limit: options.limits.fileSize.toLocaleString('en-US'),
        setting: 'pipewright.limits.fileSize',
      },
    );
    return { context, ...nothing };
  }
  const slips = slipsOf(syntax);
  for (const { at, message } of slips) report.report('syntax/unexpected', at, { text: message });
  for (const { entry, schedule } of slips) {
    report.silence(entry);
    if (schedule !== undefined) context.unsound.add(symbolId('schedule', schedule));
  }
  for (const fault of syntax.errors) {
    const related = fault.opened === undefined ? [] : [{ place: report.place(fault.opened), message: 'Opened here.' }];
    report.report(fault.code, fault, { text: fault.message }, { related });
  }
  declareAll(context, (from) => readFrom(context, from));
  yield;
  applyImports(context, graph, file, resolved, takeDefinitions);
  const blocks = (keyword: string) => blocksOf(declarations, keyword);
  adoptLayers(context, blocks('model'));
  adoptMembers(context, blocks('schedule'));
  yield;
  yield* linkFile(context);
  evaluateConstants(context, overrides);
  if (depth === 'names') return { context, ...nothing };
  yield;
  yield* readByBase(context, blocks('device'), 'device', readDevice);
  for (const block of blocks('cluster')) {
    readCluster(context, block);
    yield;
  }
  yield* readByBase(context, blocks('model'), 'model', readModel);
  yield* readByBase(context, blocks('schedule'), 'schedule', readSchedule);
  if (unit !== undefined && file === 0) {
    const { plan, problem } = unitSchedule(context, unit);
    return { context, ...nothing, pipelines: plan === undefined ? [] : [plan], problem };
  }
  if (depth === 'schedules') return { context, ...nothing };
  const read = { context, origins: context.origins.size, derived: context.derived.length };
  const pipelines = new Map<string, PipelinePlan>();
  const plans = new Map<string, Planned>();
  const pending: string[] = [];
  let unanswered = 0;
  let readings: Readings | undefined;
  const counted: Searches = {
    ...(searches.figuresOnly === true ? { figuresOnly: true } : {}),
    answer(search, problem) {
      // Pipelines of imported files are not simulated: only what they declare is of use.
      const found = (file === 0 ? searches : noSearches).answer(search, problem);
      if (found === undefined) unanswered += 1;
      return found;
    },
  };
  const notes = notesOf(context, counted);
  // The order of a plan on trial; why there is none is reported where the plan is run.
  const orderOf = (plan: PipelinePlan) => counted.answer(orderSearch, plan);
  const paceOf = (plan: PipelinePlan) => counted.answer(iterationSearch, plan);
  const planned: PipelineDefinition[] = [];
  const sizes = new Map<string, PipelineSize>();
  for (const block of blocks('pipeline')) {
    yield;
    const definition = readPipeline(context, block, overrides);
    if (definition === undefined) continue;
    const { name } = definition;
    sizes.set(name, pipelineSize(definition, block));
    if (depth === 'definitions') continue;
    const open = unanswered;
    const found = before(block) ?? (yield* planApart(notes, definition, orderOf, paceOf));
    takeOver(notes, definition, block, found);
    const { plan, tracer } = found;
    for (const param of scheduleArguments(scheduleEvaluator, definition, plan)) context.params.set(param.name, param);
    // A plan may lack a finding that needs an answer: whether another cut is better.
    if (unanswered > open) pending.push(name);
    if (plan === undefined) continue;
    pipelines.set(name, plan);
    planned.push(definition);
    // A tracer has places in the text of its schedule.
    if (unanswered === open && tracer === undefined && searches.figuresOnly !== true) plans.set(name, found);
  }
  if (depth === 'definitions') return { context, ...nothing, sizes };
  // A pipeline with a mistake may be meant to use the others.
  const unplanned = blocks('pipeline').filter(({ name }) => !pipelines.has(name?.text ?? ''));
  reportIdleDevices(notes, planned, new Set(unplanned.map(clusterNamed)));
  yield;
  const settings: readonly SearchDefinition[] = readSearches(context, blocks('search'));
  const jobs = blocks('job').flatMap((block) => readJob(context, block, pipelines) ?? []);
  const tests: Resolution['tests'][number][] = [];
  for (const block of blocks('expect')) {
    yield;
    const schedule = testedSchedule(context, block);
    const test = schedule === undefined ? undefined : scheduleTestOf(context, block, schedule);
    if (test !== undefined) tests.push({ test, place: report.place(block.name ?? block.keyword) });
    if (isTest(context, block)) continue;
    const plan = readExpect(context, block, pipelines.get(block.name?.text ?? ''));
    if (plan !== undefined) pipelines.set(plan.name, plan);
  }
  if (file === 0) {
    useSkipped(context, skipped);
    reportUnusedInSchedules(context);
    // Findings over the limit are not known.
    if (report.findings.length < options.limits.findings) readings = { ...read, findings: [...report.findings] };
    reportUnused(context, () => unreadNames(syntax, context, skipped));
    reportUnusedImports(context);
  }
  return {
    ...(readings === undefined ? {} : { readings }),
    context,
    pipelines: [...pipelines.values()],
    jobs,
    pending,
    tests,
    sizes,
    plans,
    searches: settings,
  };
}

/** The cluster that a pipeline names, whatever else is wrong with it; the empty text where it names none. */
function clusterNamed({ body }: BlockDeclaration): string {
  const entry = body?.entries.find((candidate) => candidate.kind === 'entry' && candidate.key.text === 'devices');
  const value = entry?.kind === 'entry' ? entry.values?.[0] : undefined;
  return value?.kind === 'name' ? value.text : '';
}

/** Whether an `expect` is about a schedule. */
const isTest = ({ names }: ReadContext, { name }: BlockDeclaration): boolean =>
  names.get(name?.text ?? '')?.kind === 'schedule';

/** The schedule of such an `expect`; absent where it is wrong, which has been reported. */
const testedSchedule = (context: ReadContext, block: BlockDeclaration): DeclaredSchedule | undefined =>
  isTest(context, block) ? context.schedules.get(symbolId('schedule', block.name?.text ?? '')) : undefined;

const blocksOf = (declarations: readonly Declaration[], keyword: string): readonly BlockDeclaration[] =>
  declarations.filter(
    (declaration): declaration is BlockDeclaration =>
      declaration.kind === 'block' && declaration.keyword.text === keyword,
  );

/** What planning may write into a file's context. */
function notesOf(context: ReadContext, searches: Searches): Notes {
  const { uri, options, report, origins, derived, tracers, settled, occupied, members } = context;
  return {
    uri,
    options,
    searches,
    schedules: scheduleEvaluator,
    report,
    origins,
    derived,
    tracers,
    settled,
    occupied,
    describe(pipeline, text, stages) {
      const id = symbolId('pipeline', pipeline);
      detail(context, id, text);
      // Stages written as blocks are members, in order.
      for (const [index, { id: stage }] of [...(members.get(id)?.values() ?? [])].entries())
        if (stages[index] !== undefined) detail(context, stage, stages[index]);
    },
  };
}
