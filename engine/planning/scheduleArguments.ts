/** Arguments of a pipeline's schedule as numbers that can be turned. */
import type { PipelineDefinition } from '../definitions/pipeline.ts';
import {
  type ScheduleNumbers,
  type ScheduleParameter,
  type ScheduleUse,
  unknownNumbers,
} from '../definitions/schedule.ts';
import type { ScheduleEvaluator } from '../definitions/scheduleEvaluator.ts';
import type { ParamPlan, PipelinePlan, PolicyArgument } from '../values/plan.ts';
import { parametersOf } from '../policies/parameters.ts';
import type { PolicyParameter } from '../policies/policy.ts';
import { shapeOf } from '../policies/shape.ts';
import { wholeStages } from '../costs/stages.ts';

type OwnUse = Extract<ScheduleUse, { kind: 'own' }>;
type PolicyUse = Extract<ScheduleUse, { kind: 'policy' }>;

/** Values of a whole number that are tried for a slider. */
const mostValues = 64;

/** The same for a schedule by itself, on a plan of equal stages. Its stages follow the arguments. */
export function ownArguments(
  schedules: ScheduleEvaluator,
  declared: ScheduleUse & { kind: 'own' },
  plan: PipelinePlan | undefined,
): readonly ParamPlan[] {
  return argumentsOf(schedules, declared, declared.declared.name, plan, false, 'none');
}

/**
 * One for each argument that has another value to try, in the order of the parameters. Without a plan: those whose range needs no
 * plan. Arguments that follow from other numbers of the file are left out.
 */
export const scheduleArguments = (
  schedules: ScheduleEvaluator,
  { name, use, recompute }: Pick<PipelineDefinition, 'name' | 'use' | 'recompute'>,
  plan: PipelinePlan | undefined,
): readonly ParamPlan[] => argumentsOf(schedules, use, name, plan, true, recompute);

function argumentsOf(
  schedules: ScheduleEvaluator,
  use: ScheduleUse,
  name: string,
  plan: PipelinePlan | undefined,
  keepsStages: boolean,
  recompute: PipelineDefinition['recompute'],
): readonly ParamPlan[] {
  const found =
    use.kind === 'own'
      ? use.declared.parameters.map((parameter) => ownArgument(schedules, use, parameter, plan, keepsStages))
      : parametersOf(use.policy).map((parameter) =>
          isIdle(use, parameter, recompute) ? undefined : policyArgument(use, parameter, plan),
        );
  const schedule = use.kind === 'own' ? use.definition.name : use.policy.name;
  return found.flatMap((param) =>
    param === undefined || use.written.computed.includes(param.name)
      ? []
      : {
          ...param,
          name: `${name}.${param.name}`,
          local: true,
          argument: { pipeline: name, schedule, parameter: param.name },
        },
  );
}

type Turned = Omit<ParamPlan, 'local' | 'argument'>;

function ownArgument(
  schedules: ScheduleEvaluator,
  { declared, definition, written }: OwnUse,
  { name, doc, dimension, unit, min, max }: ScheduleParameter,
  plan: PipelinePlan | undefined,
  keepsStages: boolean,
): Turned | undefined {
  const numbers = plan === undefined ? unknownNumbers : numbersOf(plan);
  const value = schedules.values(definition, numbers)[name];
  const others = Object.fromEntries(Object.entries(definition.args).filter(([each]) => each !== name));
  const usual = schedules.bind(declared, others).value;
  const inFile = written.values[name] ?? (usual && schedules.values(usual, numbers)[name]);
  if (typeof inFile !== 'number' || Number.isNaN(inFile)) return undefined;
  const range = schedules.ranges(definition, numbers)[name];
  const ends = { min: known(range.min) ?? min, max: known(range.max) ?? max, step: known(range.step) };
  const fits = (tried: number): boolean => {
    const other = schedules.bind(declared, { ...definition.args, [name]: tried }).value;
    // Arguments that the schedule refuses may give no placement.
    if (other === undefined || (other.placement === undefined) !== (definition.placement === undefined)) return false;
    const stages = (of: typeof definition): number | undefined => {
      const { value } = schedules.stages(of, numbers.devices);
      return typeof value === 'number' ? value : undefined;
    };
    return !keepsStages || plan === undefined || stages(other) === stages(definition);
  };
  const whole = dimension === 'number' && Number.isInteger(inFile) && (ends.step === undefined || ends.step >= 1);
  const narrowed = whole ? narrowedTo(inFile, ends, fits) : ends;
  return narrowed === undefined
    ? undefined
    : {
        name,
        value: known(value) ?? inFile,
        default: inFile,
        dimension,
        unit: unit.name,
        scale: unit.scale,
        doc,
        ...narrowed,
      };
}

function policyArgument(
  { policy, args, written }: PolicyUse,
  parameter: PolicyParameter,
  plan: PipelinePlan | undefined,
): Turned | undefined {
  const { name, kind, words, summary: doc } = parameter;
  const place = (argument: PolicyArgument | undefined): number | undefined =>
    kind === 'word' ? known(words?.findIndex((word) => word === argument) ?? -1, 0) : number(argument);
  const inFile = place(written.values[name] ?? parameter.default);
  if (inFile === undefined) return undefined;
  const turned = { name, value: place(args[name]) ?? inFile, default: inFile, unit: '', scale: 1, doc };
  if (kind === 'word' && words !== undefined && words.length > 1)
    return { ...turned, dimension: 'number', min: 0, max: words.length - 1, step: 1, words };
  if (kind === 'quantity' && parameter.dimension === 'share')
    return {
      ...turned,
      dimension: 'share',
      unit: '%',
      scale: 0.01,
      min: parameter.min,
      max: parameter.max,
      step: 0.01,
    };
  if (kind !== 'integer' && kind !== 'integers') return undefined;
  const { min = 0, max = mostValues } = parameter;
  const shape = plan === undefined ? undefined : shapeOf(plan);
  const fits = (tried: number): boolean => {
    if (shape === undefined) return true;
    const other = { ...shape.args, [name]: tried };
    const chunks = policy.chunks(other);
    if (chunks * shape.devices !== shape.chunks * shape.devices) return false;
    return policy.check({ ...shape, args: other }).length === 0;
  };
  const range = narrowedTo(inFile, { min, max }, fits);
  return range === undefined ? undefined : { ...turned, dimension: 'number', ...range };
}

/** Nothing is recomputed, so that its time makes no difference. */
const isIdle = (
  { policy, written }: PolicyUse,
  { name }: PolicyParameter,
  recompute: PipelineDefinition['recompute'],
): boolean =>
  name === 'recompute' &&
  recompute === 'none' &&
  written.values[name] === undefined &&
  !policy.parameters.some((own) => own.name === name);

interface Ends {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly step?: number | undefined;
}

/** The part of a range around a whole number in which every value fits; undefined if it has no other value. */
function narrowedTo(value: number, { min, max, step = 1 }: Ends, fits: (value: number) => boolean): Ends | undefined {
  const least = min ?? Math.floor(value / 4);
  const most = max ?? Math.max(4 * value, value + 8);
  let [from, to] = [value, value];
  for (let tried = 1; tried < mostValues && from - step >= least && fits(from - step); tried += 1) from -= step;
  for (let tried = 1; tried < mostValues && to + step <= most && fits(to + step); tried += 1) to += step;
  if (from === to) return undefined;
  // A range of the file is kept where only the number of tries ends before it does.
  const low = min !== undefined && value - from >= (mostValues - 1) * step ? min : from;
  const high = max !== undefined && to - value >= (mostValues - 1) * step ? max : to;
  return { min: low, max: high, step };
}

const numbersOf = (plan: PipelinePlan): ScheduleNumbers => ({
  stages: wholeStages(plan).length,
  devices: plan.devices.length,
  microbatches: plan.microbatches,
  iterations: plan.iterations,
});

const known = (value: number, least = -Infinity): number | undefined =>
  Number.isNaN(value) || value < least ? undefined : value;

const number = (argument: PolicyArgument | undefined): number | undefined =>
  typeof argument === 'number' ? argument : undefined;
