/** Tests a schedule over shapes, without a pipeline: builds each order, proves it, and compares figures. */
import { expectationOf, figureOf } from '../analyze/expectations.ts';
import { pipelineReport } from '../analyze/pipelineReport.ts';
import { criticalPath } from '../analyze/criticalPath.ts';
import type { ScheduleDefinition, ScheduleNumbers } from '../definitions/schedule.ts';
import type { ScheduleTest, TestedShape } from '../definitions/scheduleTest.ts';
import type { Finding } from '../findings/finding.ts';
import { createReporter, type Reporter } from '../findings/reporter.ts';
import type { Code, Severity } from '../findings/catalogue.ts';
import { type Place, type PipelinePlan, paths } from '../values/plan.ts';
import { operationName, type Program } from '../values/program.ts';
import { count } from '../basics/quantities.ts';
import { generate, programOf } from '../schedule/generate.ts';
import { misplaced, validate } from '../schedule/validate.ts';
import { memoryPeak } from '../simulate/memory.ts';
import { simulate } from '../simulate/simulate.ts';
import { timingOf } from '../simulate/timing.ts';
import type { EngineOptions } from '../basics/host.ts';
import type { Search } from '../basics/searches.ts';
import type { Timeline } from '../values/timeline.ts';
import type { PipelineReport } from '../values/report.ts';
import { scheduleEvaluator } from '../read/scheduleEvaluator.ts';
import { shapesOf, type TestCheck, variablesOf } from '../read/scheduleTest.ts';
import type { Variables } from '../language/expressions.ts';
import { builtinShape } from './builtinPlan.ts';
import { type Declared, declaredFrom } from './declared.ts';
import { separating } from './separate.ts';
import { separates } from './separates.ts';
import { type Excess, excessOf, leastOperations } from './shapeLimit.ts';
import { askingFor, stagesOn, takenShape, unitPlan } from './unitPlan.ts';

/** What became of one shape. `refused`: the schedule says itself that it takes no such shape. */
export type Verdict = 'passed' | 'failed' | 'refused';

export interface ShapeVerdict extends TestedShape {
  readonly verdict: Verdict;
}

/** The first thing that is wrong with a shape. */
export interface TestFailure {
  readonly shape: TestedShape;
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  /** The check that it misses. */
  readonly at: Place;
  /** The place in the schedule, if there is one. */
  readonly related: readonly { readonly place: Place; readonly message: string }[];
  readonly parameters?: object;
}

/** The least and the most of a figure, and how the check compares it. */
export interface Extremes {
  readonly operator: string;
  readonly least: number;
  readonly most: number;
}

interface ShapeWarning {
  readonly shape: TestedShape;
  readonly finding: Finding;
}

export interface TestAnswer {
  readonly verdicts: readonly ShapeVerdict[];
  readonly first?: TestFailure;
  /** The first shape that the schedule refuses, and why. */
  readonly refusal?: { readonly shape: TestedShape; readonly problem: string };
  /** What the engine warns of with the first shape that fails, otherwise with the last shape that passes. */
  readonly warned?: ShapeWarning;
  /** The figure of the check that fails first, over all shapes that have an order: what its bound has to allow. */
  readonly figures?: Extremes;
  /** Conditions that hold for every shape that passes and, together, for none that fails. */
  readonly conditions?: readonly string[];
  /** Shapes whose order was compared with a built-in's; absent where the test compares none. */
  readonly compared?: number;
  /** What was too large to go on. */
  readonly stopped?: Excess;
}

/** Steps for each operation and each shape. */
const stepsOf = { operation: 15, shape: 1_500 };
/** Operations between two pauses. */
const pause = 20_000;

export const scheduleTest: Search<ScheduleTest, TestAnswer> = {
  name: 'scheduleTest',
  size: ({ shapes, operations }) => shapes * stepsOf.shape + operations * stepsOf.operation,
  *steps(request) {
    const declared = declaredFrom(request);
    if (declared === undefined) return { verdicts: [] };
    const { test } = declared;
    const { limits } = request.options;
    const least = request.operations > limits.operations ? yield* leastCost(declared) : 0;
    if (least > limits.operations) return { verdicts: [], stopped: operationsOfAll(least, limits.operations) };
    const verdicts: ShapeVerdict[] = [];
    const comparesOrders = test.checks.some(({ kind }) => kind === 'order');
    let first: TestFailure | undefined;
    let refusal: TestAnswer['refusal'];
    let warned: TestAnswer['warned'];
    let failedWarning: TestAnswer['warned'];
    const extremes = new Map<number, Extremes>();
    let compared = 0;
    let operations = 0;
    let since = 0;
    for (const shape of shapesOf(test.axes)) {
      const found = tested(declared, shape, first === undefined, request.options);
      if (found.excess !== undefined)
        return { verdicts, ...(first === undefined ? {} : { first }), stopped: found.excess };
      verdicts.push({ ...shape, verdict: found.verdict });
      first ??= found.failure;
      for (const { at, operator, value } of found.figures ?? []) {
        const { least, most } = extremes.get(at) ?? { least: value, most: value };
        extremes.set(at, { operator, least: Math.min(least, value), most: Math.max(most, value) });
      }
      if (found.refused !== undefined) refusal ??= { shape, problem: found.refused };
      const warning = found.warning === undefined ? undefined : { shape, finding: found.warning };
      if (found.verdict === 'failed') failedWarning ??= warning;
      if (found.verdict === 'passed') warned = warning;
      if (found.compared) compared += 1;
      operations += found.operations;
      since += found.operations + stepsOf.shape / stepsOf.operation;
      if (operations > limits.operations)
        return {
          verdicts,
          ...(first === undefined ? {} : { first }),
          stopped: operationsOfAll(operations, limits.operations),
        };
      // What exceeds a limit for one shape would take as long for every other one.
      if (first?.code === 'limit/too-large') return { verdicts, first };
      if (since < pause) continue;
      since = 0;
      yield;
    }
    const ofTaken = verdicts.flatMap(({ verdict, ...shape }) =>
      verdict === 'refused' ? [] : [{ ...shape, passes: verdict === 'passed' }],
    );
    const runsBackwards = failedWarning?.finding.code === 'value/backwards';
    const told = first === undefined ? undefined : separating(ofTaken, !runsBackwards);
    const figures = first === undefined ? undefined : extremes.get(first.at.start);
    const conditions = told !== undefined && (yield* separates(request, told, ofTaken)) ? told : undefined;
    return {
      verdicts,
      ...(first === undefined ? {} : { first }),
      ...(refusal === undefined ? {} : { refusal }),
      ...(figures === undefined ? {} : { figures }),
      ...(conditions === undefined ? {} : { conditions }),
      ...(comparesOrders ? { compared } : {}),
      ...((failedWarning ?? warned) === undefined ? {} : { warned: failedWarning ?? warned }),
    };
  },
};

/** Operations that the shapes have together at least, before any of them is built. */
function* leastCost({ schedule, test }: Declared): Generator<undefined, number, void> {
  let sum = 0;
  let since = 0;
  for (const { args, ...shape } of shapesOf(test.axes)) {
    const { value: definition } = scheduleEvaluator.bind(schedule, args);
    const taken = definition === undefined ? {} : takenShape(definition, shape);
    if ('numbers' in taken) sum += leastOperations(taken.numbers);
    since += stepsOf.shape / stepsOf.operation;
    if (since < pause) continue;
    since = 0;
    yield;
  }
  return sum;
}

const operationsOfAll = (figure: number, limit: number): Excess => {
  const excess = excessOf('Operations of all shapes of this test', figure, limit, 'operations');
  return { ...excess, figure: `at least ${excess.figure}` };
};

interface Tested {
  readonly verdict: Verdict;
  readonly operations: number;
  readonly failure?: TestFailure;
  readonly compared?: boolean;
  /** Figures that its checks compare; `at`: start of the check. */
  readonly figures?: readonly { readonly at: number; readonly operator: string; readonly value: number }[];
  readonly warning?: Finding;
  /** Why the schedule refuses the shape. */
  readonly refused?: string;
  /** Why it is not built. */
  readonly excess?: Excess;
}

function tested(declared: Declared, shape: TestedShape, explains: boolean, options: EngineOptions): Tested {
  const report = createReporter(declared.schedule.uri, 5);
  const found = judged(declared, shape, explains, report, options);
  // A test that passes shows that a range may be empty. If an expression is wrong, a warning would be about what follows from it.
  const telling = (code: Code): boolean =>
    found.verdict === 'passed' ? code === 'key/not-applicable' : found.verdict === 'failed' && report.errors() === 0;
  const warning = report.findings.find(({ severity, code }) => severity === 'warning' && telling(code));
  return warning === undefined ? found : { ...found, warning };
}

/** `explains`: says what is wrong. The circle of a deadlock takes longer to find than the order itself. */
function judged(
  declared: Declared,
  shape: TestedShape,
  explains: boolean,
  report: Reporter,
  { limits }: EngineOptions,
): Tested {
  const definition = askingFor(report).heard(scheduleEvaluator.bind(declared.schedule, shape.args));
  const made = definition === undefined ? {} : unitPlan(definition, shape, report, limits);
  if ('excess' in made && made.excess !== undefined) return { verdict: 'failed', operations: 0, excess: made.excess };
  if ('refused' in made) return { verdict: 'refused', operations: 0, refused: made.refused };
  const valid = declared.test.checks.find(({ kind }) => kind === 'valid') ?? declared.test.checks.at(0);
  const at = declared.context.report.place(valid?.at ?? { start: 0, end: 0 });
  if (definition === undefined || !('plan' in made))
    return { verdict: 'failed', operations: 0, failure: { shape, at, ...reported(report) } };
  const { plan } = made;
  const generated = generate(plan);
  const program = 'program' in generated ? generated.program : undefined;
  const operations = program?.order.length ?? 0;
  const faults = 'faults' in generated ? generated.faults : misplaced(generated.program, plan);
  const timeline = program === undefined || faults.length > 0 ? undefined : simulate(program, timingOf(plan, program));
  if (timeline !== undefined) return checked(declared, definition, shape, { plan, timeline });
  const [fault] = program === undefined || faults.length > 0 || !explains ? faults : validate(program, plan);
  if (fault === undefined) return { verdict: 'failed', operations };
  const { code, severity, message, parameters } = fault;
  const related = relatedTo(definition, fault.at, plan);
  const failure = { shape, at, code, severity, message, related, ...(parameters === undefined ? {} : { parameters }) };
  return { verdict: 'failed', operations, failure };
}

/** What the engine found while it built the order, at its place in the schedule. */
function reported({ findings }: Reporter): Omit<TestFailure, 'shape' | 'at'> {
  const found = findings.find(({ severity }) => severity === 'error');
  if (found === undefined) return { code: 'schedule/incomplete', severity: 'error', message: '', related: [] };
  const { code, severity, message, parameters } = found;
  const related = [{ place: found.place, message: 'This expression, with these numbers.' }];
  return { code, severity, message, related, ...(parameters === undefined ? {} : { parameters }) };
}

/** The row or the condition that a finding is about. */
function relatedTo(
  definition: ScheduleDefinition,
  at: string,
  { name, devices, stages, microbatches }: PipelinePlan,
): TestFailure['related'] {
  if (definition.kind !== 'rows') {
    const written = definition.written.find((_, index) => at === paths.guard(name, index));
    return written === undefined ? [] : [{ place: written, message: 'This condition.' }];
  }
  const numbers = { stages: stages.length, devices: devices.length, microbatches };
  for (const [device, row] of scheduleEvaluator.writtenRows(definition, numbers).entries()) {
    const path = paths.row(name, device);
    if (at !== path && !at.startsWith(`${path}/`)) continue;
    const item = row?.items.find((_, index) => at === paths.rowItem(name, device, index));
    if (row !== undefined) return [{ place: item ?? row.place, message: `The row of device ${device}.` }];
  }
  return [];
}

interface Ordered {
  readonly plan: PipelinePlan;
  readonly timeline: Timeline;
}

/** Figures and orders of a valid shape. */
function checked(declared: Declared, definition: ScheduleDefinition, shape: TestedShape, made: Ordered): Tested {
  const { plan, timeline } = made;
  const { program } = timeline;
  let operations = program.order.length;
  const stages = stagesOn(definition, shape.devices) ?? shape.devices;
  const values = scheduleEvaluator.values(definition, { ...shape, stages });
  const variables = variablesOf(declared.schedule, shape, stages, values);
  let report: PipelineReport | undefined;
  let compared = false;
  const figures: { readonly at: number; readonly operator: string; readonly value: number }[] = [];
  // Figures are taken of shapes that fail, too: another bound has to hold for all of them.
  let failure: TestFailure | undefined;
  for (const check of declared.test.checks) {
    const at = declared.context.report.place(check.at);
    const fails = (message: string): void => {
      failure ??= { shape, at, code: 'expect/failed', severity: 'error', message, related: [] };
    };
    if (check.kind === 'order') {
      const other =
        failure === undefined
          ? orderOf(check, variables, { ...shape, stages, iterations: plan.iterations })
          : undefined;
      if (other === undefined) continue;
      compared = true;
      operations += other.order.length;
      const difference = firstDifference(program, other);
      if (difference !== undefined) fails(differenceText(difference, check.text));
    } else if (check.kind === 'figure') {
      const expected = check.expected(variables);
      if (expected === undefined) {
        fails(`"${check.text}" has no value`);
        continue;
      }
      report ??= reportOf(made);
      figures.push({ at: at.start, operator: expected.operator, value: figureOf(plan, report, expected) });
      const { holds, shown } = expectationOf(plan, report, { ...expected, text: check.text, path: '' });
      if (!holds) fails(`${check.text} does not hold: it is ${shown}`);
    }
  }
  return failure === undefined
    ? { verdict: 'passed', operations, compared, figures }
    : { verdict: 'failed', operations, failure, figures };
}

function reportOf({ plan, timeline }: Ordered): PipelineReport {
  const peaks = plan.devices.map((_, device) => memoryPeak(plan, timeline, device));
  return pipelineReport(plan, timeline, peaks, criticalPath(timeline));
}

/** The order of a built-in schedule for the same shape; `undefined` where it takes no such shape. */
function orderOf(
  { policy, args: argsOf }: Extract<TestCheck, { kind: 'order' }>,
  variables: Variables,
  numbers: ScheduleNumbers,
): Program | undefined {
  const args = argsOf(variables);
  if (args === undefined || policy.chunks(args) * numbers.devices !== numbers.stages) return undefined;
  const iterations = (policy.weights?.(args) ?? 'flush') === 'flush' ? 1 : numbers.iterations;
  const shape = builtinShape(policy, args, { ...numbers, iterations });
  return policy.check(shape).length > 0 ? undefined : programOf(policy, shape);
}

/** The place at which two orders first differ; a device may have more operations in one of them. */
interface Difference {
  readonly device: number;
  /** Operations of the device before it. */
  readonly after: number;
  readonly tested: string | undefined;
  readonly expected: string | undefined;
}

const differenceText = ({ device, after, tested, expected }: Difference, other: string): string => {
  const runs = (operation: string | undefined): string => (operation === undefined ? 'ends' : `runs ${operation}`);
  const where = after === 0 ? 'first' : `after ${count(after, 'operation', 'operations')}`;
  const differs = `the order of device ${device} differs from ${other}: ${where}`;
  if (tested === expected) return `${differs} only one order fuses ${tested ?? ''} with the operation behind it`;
  return `${differs} it ${runs(tested)}, and ${other} ${runs(expected)}`;
};

/** The first difference of two orders; `undefined` for none. Fused operations are compared too. */
function firstDifference(a: Program, b: Program): Difference | undefined {
  const devices = Math.max(a.devices, b.devices);
  for (let device = 0; device < devices; device += 1) {
    const length = Math.max(...[a, b].map(({ offsets }) => offsets[device + 1] - offsets[device] || 0));
    for (let index = 0; index < length; index += 1) {
      const [one, two] = [wordAt(a, device, index), wordAt(b, device, index)];
      const same = one === two && a.stages === b.stages && fusedAt(a, device, index) === fusedAt(b, device, index);
      if (!same) return { device, after: index, tested: nameAt(a, one), expected: nameAt(b, two) };
    }
  }
  return undefined;
}

const wordAt = ({ order, offsets }: Program, device: number, index: number): number | undefined =>
  offsets[device] + index < offsets[device + 1] ? order[offsets[device] + index] : undefined;
const fusedAt = ({ fused, offsets }: Program, device: number, index: number): number =>
  fused?.[offsets[device] + index] ?? 0;
const nameAt = (program: Program, word: number | undefined): string | undefined =>
  word === undefined ? undefined : operationName(program, word);
