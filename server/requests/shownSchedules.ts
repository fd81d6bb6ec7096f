/** Schedules of a file on equal stages, for a preview that shows them without a pipeline. */
import type {
  DeclaredSchedule,
  ScheduleDefinition,
  ScheduleNumbers,
  ScheduleUse,
} from '../../engine/definitions/schedule.ts';
import type { RowTracer } from '../../engine/definitions/rowTracer.ts';
import { defaultOptions } from '../../engine/basics/host.ts';
import { createReporter } from '../../engine/findings/reporter.ts';
import { shapeText } from '../../engine/grid/testFindings.ts';
import { shownPlan } from '../../engine/grid/shownPlan.ts';
import { verdictLetters } from '../../engine/grid/testedTable.ts';
import { excessText } from '../../engine/grid/shapeLimit.ts';
import { askingFor, stagesOn, type UnitPlan, unitPlan } from '../../engine/grid/unitPlan.ts';
import type { Resolution } from '../../engine/language/resolution.ts';
import type { ParamPlan, PipelinePlan } from '../../engine/values/plan.ts';
import { askingWith } from '../../engine/planning/ownSchedule.ts';
import { ownPlacement } from '../../engine/planning/place/ownPlacement.ts';
import { letters } from '../../engine/values/program.ts';
import { ownArguments } from '../../engine/planning/scheduleArguments.ts';
import { scheduleEvaluator } from '../../engine/read/scheduleEvaluator.ts';
import type { BlockDeclaration } from '../../grammar/index.ts';
import type { Overrides, ShownBlock, ShownSchedule } from '../../webview/protocol/requests.ts';
import { rangeIn, type View } from '../view.ts';

export interface ShownSchedules {
  /** Plans of those that can be planned. */
  readonly plans: readonly PipelinePlan[];
  /** What wrote the operations of these plans, by their names. */
  readonly tracers: ReadonlyMap<string, RowTracer>;
  /** What can be turned: the numbers of the shape, and the schedules' parameters. */
  readonly params: readonly ParamPlan[];
  readonly shown: readonly ShownSchedule[];
}

/** If a test names no shapes, or there is no test. */
/** A larger shape is shown only to whoever asks for it: it takes long to build. */
const usual = {
  devices: { at: 4, most: 8, largest: 256 },
  microbatches: { at: 8, most: 16, largest: 1024 },
};
type Axis = keyof typeof usual;

/** All schedules of a file without a pipeline; otherwise those that the file tests. `resolution`: of the text, or of a text on trial. */
export function shownSchedules(view: View, resolution: Resolution, overrides: Overrides): ShownSchedules {
  const blocks = view.syntax.declarations.filter(
    (declaration): declaration is BlockDeclaration => declaration.kind === 'block',
  );
  const hasPipeline = blocks.some(({ keyword }) => keyword.text === 'pipeline');
  const tested = new Set(blocks.flatMap(({ keyword, name }) => (keyword.text === 'expect' ? (name?.text ?? []) : [])));
  const found = blocks.flatMap((block) =>
    block.keyword.text === 'schedule' && block.name !== undefined && (!hasPipeline || tested.has(block.name.text))
      ? [{ block, name: block.name.text }]
      : [],
  );
  const all = found.map(({ block, name }) => {
    const declared = resolution.schedules.find((schedule) => schedule.name === name);
    return declared === undefined
      ? { params: [], shown: { name, params: [], axes: [], verdicts: '', problem: errorIn(view, resolution, block) } }
      : scheduleShown(view, resolution, declared, overrides);
  });
  return {
    plans: all.flatMap(({ plan }) => plan ?? []),
    // Asked for only while the pointer or the cursor is at an operation.
    get tracers() {
      return new Map(
        all.flatMap(({ shown, trace }): readonly (readonly [string, RowTracer])[] =>
          trace === undefined ? [] : [[shown.name, trace()]],
        ),
      );
    },
    params: all.flatMap(({ params }) => params),
    shown: all.map(({ shown }) => shown),
  };
}

/** The file's pipelines and its schedules without one. */
export function withShown(
  view: View,
  resolution: Resolution,
  overrides: Overrides = {},
): Pick<Resolution, 'plan' | 'tracers'> {
  const { plans, tracers } = shownSchedules(view, resolution, overrides);
  if (plans.length === 0) return resolution;
  const { plan } = resolution;
  return {
    plan: { ...plan, pipelines: [...plan.pipelines, ...plans] },
    tracers: new Map([...resolution.tracers, ...tracers]),
  };
}

interface One {
  readonly plan?: PipelinePlan;
  readonly trace?: UnitPlan['trace'];
  readonly params: readonly ParamPlan[];
  readonly shown: ShownSchedule;
}

function scheduleShown(view: View, resolution: Resolution, declared: DeclaredSchedule, overrides: Overrides): One {
  const { name } = declared;
  const test = resolution.tests.find((candidate) => candidate.test.name === name)?.test;
  const axes = test?.axes ?? [];
  const answer = view.analysis.tests.find((candidate) => candidate.test.name === name)?.answer;
  const usualShape = shapeAtFirst(declared, axes);
  const { shape, args } = shapeFor(declared, axes, overrides, usualShape);
  const report = createReporter(declared.uri, 5);
  const definition = askingFor(report).heard(scheduleEvaluator.bind(declared, args));
  const made = definition === undefined ? {} : unitPlan(definition, shape, report, view.options.limits);
  const plan = 'plan' in made ? shownPlan(made.plan) : undefined;
  const block = shownBlock(definition, shape);
  const written = { values: {}, computed: [] };
  const use: ScheduleUse | undefined =
    definition === undefined ? undefined : { kind: 'own', declared, definition, written };
  const shapeParams = (['devices', 'microbatches'] as const)
    .filter((axis) => !declared.parameters.some((parameter) => parameter.name === axis))
    .map((axis) => shapeParam(name, axis, shape[axis], usualShape[axis], axes));
  const message =
    plan !== undefined
      ? undefined
      : 'refused' in made && made.refused !== undefined
        ? `The schedule refuses this shape: ${made.refused}`
        : 'excess' in made && made.excess !== undefined
          ? excessText(made.excess)
          : (report.findings.find(({ severity }) => severity === 'error')?.message ?? 'The schedule has no order.');
  const at = report.findings.find(({ severity }) => severity === 'error')?.place;
  return {
    ...(plan === undefined ? {} : { plan }),
    ...('trace' in made && made.trace !== undefined ? { trace: made.trace } : {}),
    params: [...shapeParams, ...(use?.kind === 'own' ? ownArguments(scheduleEvaluator, use, plan) : [])],
    shown: {
      name,
      params: Object.keys(declared.source.constants),
      axes,
      ...(block === undefined ? {} : { block }),
      verdicts: (answer?.verdicts ?? []).map(({ verdict }) => verdictLetters[verdict]).join(''),
      ...(message === undefined
        ? {}
        : {
            problem: {
              message: `${shapeText({ ...shape, args })}: ${message}`,
              ofShape: true,
              ...(at === undefined ? {} : { range: rangeIn(view, at) }),
            },
          }),
    },
  };
}

interface AskedShape {
  readonly shape: Pick<ScheduleNumbers, 'devices' | 'microbatches'>;
  readonly args: Readonly<Record<string, number>>;
}

/** The shape on which a schedule of the file is shown. */
export const askedShape = (resolution: Resolution, declared: DeclaredSchedule, overrides: Overrides): AskedShape => {
  const axes = axesOf(resolution, declared);
  return shapeFor(declared, axes, overrides, shapeAtFirst(declared, axes));
};

const axesOf = ({ tests }: Resolution, { name }: DeclaredSchedule): ShownSchedule['axes'] =>
  tests.find((candidate) => candidate.test.name === name)?.test.axes ?? [];

function shapeFor(
  { name, parameters }: DeclaredSchedule,
  axes: ShownSchedule['axes'],
  overrides: Overrides,
  usualShape: AskedShape['shape'],
): AskedShape {
  const valueOf = (of: string): number | undefined => overrides[`${name}.${of}`];
  const numberOf = (axis: Axis): number => {
    const value = valueOf(axis);
    return value !== undefined && Number.isInteger(value) && value >= 1 && value <= mostOf(axis, axes)
      ? value
      : usualShape[axis];
  };
  const args = parameters.flatMap((parameter): readonly [string, number][] => {
    const value = valueOf(parameter.name);
    return value === undefined ? [] : [[parameter.name, value]];
  });
  return {
    shape: { devices: numberOf('devices'), microbatches: numberOf('microbatches') },
    args: Object.fromEntries(args),
  };
}

/** The building block; undefined for a schedule that is written otherwise, or whose stages have copies. */
function shownBlock(
  definition: ScheduleDefinition | undefined,
  { devices, microbatches }: AskedShape['shape'],
): ShownBlock | undefined {
  const stages = definition === undefined ? undefined : stagesOn(definition, devices);
  if (definition?.kind !== 'rows' || stages === undefined) return undefined;
  const numbers = { stages, devices, microbatches };
  const { value: block } = scheduleEvaluator.block(definition, numbers);
  const placed = block === undefined ? undefined : ownPlacement(askingWith(scheduleEvaluator), definition, numbers);
  if (block === undefined || placed === undefined || 'problem' in placed || placed.copies !== undefined)
    return undefined;
  const operations = block.kinds.flatMap(({ kind, slots }) =>
    slots.map((slot, stage) => ({ kind: letters[kind], stage, device: placed.placement[stage], slot })),
  );
  return { period: block.period, devices, operations };
}

/** The tested shape nearest to four devices and eight microbatches that the schedule takes; without a test, one that it takes. */
function shapeAtFirst(
  declared: DeclaredSchedule,
  axes: ShownSchedule['axes'],
): { readonly devices: number; readonly microbatches: number } {
  const silent = createReporter('', 0);
  const { value: definition } = scheduleEvaluator.bind(declared, {});
  const valuesOf = (axis: Axis): readonly number[] => {
    const { at, most, largest } = usual[axis];
    const tested = (axes.find((each) => each.name === axis)?.values ?? []).filter((value) => value <= largest);
    return (tested.length > 0 ? tested : range(1, most)).toSorted((a, b) => Math.abs(a - at) - Math.abs(b - at));
  };
  const [devices, microbatches] = [valuesOf('devices'), valuesOf('microbatches')];
  const first = { devices: devices[0], microbatches: microbatches[0] };
  if (definition === undefined) return first;
  for (const p of devices.slice(0, 8))
    for (const m of microbatches.slice(0, 8)) {
      const shape = { devices: p, microbatches: m };
      if (!('refused' in unitPlan(definition, shape, silent, defaultOptions.limits))) return shape;
    }
  return first;
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const mostOf = (axis: Axis, axes: ShownSchedule['axes']): number =>
  (axes.find((each) => each.name === axis)?.values ?? []).reduce(
    (most, value) => Math.max(most, value),
    usual[axis].most,
  );

function shapeParam(
  schedule: string,
  axis: Axis,
  value: number,
  atFirst: number,
  axes: ShownSchedule['axes'],
): ParamPlan {
  return {
    name: `${schedule}.${axis}`,
    value,
    default: atFirst,
    dimension: 'number',
    unit: '',
    scale: 1,
    min: 1,
    max: mostOf(axis, axes),
    step: 1,
    doc: `${axis === 'devices' ? 'Devices' : 'Microbatches'} of the shape on which the schedule is shown.`,
    local: false,
    argument: { pipeline: schedule, schedule, parameter: axis, shape: true },
  };
}

function errorIn(view: View, { findings }: Resolution, block: BlockDeclaration): ShownSchedule['problem'] {
  const error = findings.find(
    ({ severity, place }) =>
      severity === 'error' && place.uri === view.uri && place.start >= block.start && place.end <= block.end,
  );
  return error === undefined
    ? { message: 'This schedule has an error.', range: rangeIn(view, block.name ?? block.keyword), ofShape: false }
    : { message: error.message, range: rangeIn(view, error.place), ofShape: false };
}
