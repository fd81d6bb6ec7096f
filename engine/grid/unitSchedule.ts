/** A schedule that a call names, on equal stages: no pipeline of the file has it. */
import type { ScheduleDefinition, ScheduleUse } from '../definitions/schedule.ts';
import type { NearestValues } from '../definitions/scheduleEvaluator.ts';
import type { UnitRequest } from '../definitions/unitRequest.ts';
import { finding } from '../findings/finding.ts';
import { createReporter } from '../findings/reporter.ts';
import { parse } from '../../grammar/parse.ts';
import { linkFile } from '../language/linking.ts';
import { rowOrigins } from '../planning/origins.ts';
import type { ReadContext } from '../read/context.ts';
import { scheduleEvaluator } from '../read/scheduleEvaluator.ts';
import { readScheduleUse } from '../read/scheduleUse.ts';
import { steadyIterations } from '../planning/steadyIterations.ts';
import { toEnd } from '../basics/steps.ts';
import { type PipelinePlan, paths } from '../values/plan.ts';
import { builtinPlan } from './builtinPlan.ts';
import { shownPlan } from './shownPlan.ts';
import { type Excess, excessText, shapeExcess } from './shapeLimit.ts';
import { unitPlan } from './unitPlan.ts';

/** `problem` says in a sentence why there is no plan. Without either, the text of the file is wrong, which has been reported. */
export interface UnitAnswer {
  readonly plan?: PipelinePlan;
  readonly problem?: string;
}

export function unitSchedule(file: ReadContext, asked: UnitRequest): UnitAnswer {
  const use = useOf(file, asked.schedule);
  if (!('kind' in use)) return use;
  if (use.kind === 'own') return ownSchedule(file, use.definition, asked);
  const excess = policyExcess(file, use, asked);
  if (excess !== undefined) return { problem: excessText(excess) };
  const made = builtinPlan(use.policy, use.args, asked);
  return 'plan' in made ? { plan: shownPlan(made.plan) } : refusal(use.policy.name, made.fault.message, made.fault.fix);
}

/** Of a built-in schedule, before anything is made. */
function policyExcess(
  { options }: ReadContext,
  { policy, args }: Extract<ScheduleUse, { kind: 'policy' }>,
  { devices, microbatches }: UnitRequest,
): Excess | undefined {
  const stages = policy.chunks(args) * devices;
  const isFlushed = (policy.weights?.(args) ?? 'flush') === 'flush';
  const iterations = isFlushed ? 1 : steadyIterations(Math.max(stages, devices), microbatches);
  const numbers = { stages, devices, microbatches, iterations };
  return shapeExcess(policy.name, numbers, options.limits, policy.operations);
}

function ownSchedule(file: ReadContext, definition: ScheduleDefinition, asked: UnitRequest): UnitAnswer {
  const isHere = definition.uri === file.uri;
  const report = isHere ? file.report : createReporter(definition.uri, 5);
  const made = unitPlan(definition, asked, report, file.options.limits);
  if ('plan' in made) {
    if (isHere) placeOrigins(file, definition, made.plan);
    if (isHere && made.trace !== undefined) file.tracers.set(made.plan.name, made.trace());
    return { plan: shownPlan(made.plan) };
  }
  if ('excess' in made && made.excess !== undefined) return { problem: excessText(made.excess) };
  if (made.refused !== undefined) {
    const nearest = made.unmet && scheduleEvaluator.nearest(definition, made.unmet.numbers);
    return refusal(definition.name, made.refused, nearest);
  }
  if (isHere) return {};
  const error = report.findings.find(({ severity }) => severity === 'error');
  return error === undefined ? {} : { problem: `${definition.name}: ${error.message}` };
}

const nowhere = { uri: '', start: 0, end: 0 };

/** The sentence that a pipeline would get. */
function refusal(policy: string, problem: string, nearest: NearestValues = { input: '', values: [] }): UnitAnswer {
  const { input, values } = nearest;
  const { message } = finding('schedule/shape', nowhere, { policy, problem, input, values });
  return { problem: message };
}

/** The text as the `schedule` key of a pipeline, with the names of the file. */
function useOf(file: ReadContext, text: string): ScheduleUse | UnitAnswer {
  const syntax = parse(`pipeline p { schedule = ${text} }`);
  const report = createReporter(file.uri, 5);
  const { declarations } = syntax;
  const context: ReadContext = { ...file, syntax, declarations, report, references: new Map(), links: new Map() };
  toEnd(linkFile(context));
  const [block] = syntax.declarations;
  const [entry] = block?.kind === 'block' ? (block.body?.entries ?? []) : [];
  const value = entry?.kind === 'entry' ? entry.values?.[0] : undefined;
  const use = value === undefined ? undefined : readScheduleUse(context, value);
  if (use !== undefined && syntax.errors.length === 0) return use;
  const error = report.findings.find(({ severity }) => severity === 'error');
  // A schedule with a mistake is no schedule: the file says what is wrong.
  if (error === undefined && file.report.errors() > 0) return {};
  return { problem: error?.message ?? `"${text}" is no schedule.` };
}

/** Findings of the plan are at the text of the schedule. */
function placeOrigins({ origins, uri }: ReadContext, definition: ScheduleDefinition, plan: PipelinePlan): void {
  const { name } = definition;
  const { stages, devices, microbatches } = plan;
  const numbers = { stages: stages.length, devices: devices.length, microbatches };
  origins.set(paths.pipeline(name), { uri, start: 0, end: 0 });
  if (definition.kind === 'rows') rowOrigins(origins, name, scheduleEvaluator.writtenRows(definition, numbers));
  else for (const [index, place] of definition.written.entries()) origins.set(paths.guard(name, index), place);
}
