/** A schedule of a text against the built-in one, operation by operation, over every shape. */
import type { DeclaredSchedule } from '../../../engine/definitions/schedule.ts';
import { createReporter } from '../../../engine/findings/reporter.ts';
import { declaredFrom } from '../../../engine/grid/declared.ts';
import { planOf, stagesOn, unitPlan } from '../../../engine/grid/unitPlan.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { scheduleEvaluator } from '../../../engine/read/scheduleEvaluator.ts';
import type { PolicyArgument } from '../../../engine/values/plan.ts';
import type { Policy } from '../../../engine/policies/policy.ts';
import { findPolicy } from '../../../engine/policies/registry.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import type { Program } from '../../../engine/values/program.ts';
import { generate, programOf } from '../../../engine/schedule/generate.ts';

type Arguments = Readonly<Record<string, number>>;

interface Comparison {
  /** For the schedule of the text. */
  readonly args?: Arguments;
  /** For the built-in. Default: the same. */
  readonly policyArgs?: Readonly<Record<string, PolicyArgument>>;
  /** Devices and microbatches to try. Default: 1 to 16 and 1 to 64. */
  readonly devices?: readonly number[];
  readonly microbatches?: readonly number[];
  /** Members of a program that the text cannot say. */
  readonly without?: readonly (keyof Program)[];
}

const upTo = (most: number): readonly number[] => Array.from({ length: most }, (_, index) => index + 1);

/** The only schedule of a text. */
export function declaredIn(text: string, name: string): DeclaredSchedule {
  const expect = `expect ${name} { valid }`;
  const part = { uri: 'file:///schedule.pipe', start: 0, constants: {} };
  const request = {
    name,
    schedule: { ...part, text },
    expect: { ...part, text: expect },
    bases: [],
    axes: [],
    shapes: 1,
    operations: 1,
  };
  const declared = declaredFrom({ ...request, options: defaultOptions });
  if (declared === undefined) throw new Error(`the text of ${name} has errors`);
  return declared.schedule;
}

/** Where the two differ: orders, places, pairs, weights, and the shapes that they refuse. */
export function differences(
  schedule: DeclaredSchedule,
  name: string,
  { args = {}, policyArgs = args, devices = upTo(16), microbatches = upTo(64), without = [] }: Comparison = {},
): readonly string[] {
  const policy = findPolicy(name);
  if (policy === undefined) throw new Error(`there is no ${name}`);
  const found: string[] = [];
  for (const p of devices) {
    for (const m of microbatches) {
      const problem = difference(schedule, policy, { args, policyArgs, without }, p, m);
      if (problem !== undefined) found.push(`p = ${p}, m = ${m}: ${problem}`);
    }
  }
  return found;
}

function difference(
  schedule: DeclaredSchedule,
  policy: Policy,
  { args, policyArgs, without }: Required<Pick<Comparison, 'args' | 'policyArgs' | 'without'>>,
  devices: number,
  microbatches: number,
): string | undefined {
  const report = createReporter('', 10);
  const { value: definition } = scheduleEvaluator.bind(schedule, args);
  if (definition === undefined) return 'the schedule has errors';
  const stages = stagesOn(definition, devices) ?? 0;
  const iterations = definition.weights === 'flush' ? 1 : 3;
  const made = unitPlan(definition, { devices, microbatches, iterations }, report, defaultOptions.limits);
  const placement = Array.from({ length: stages }, (_, stage) => stage % devices);
  const use = { kind: 'policy', name: policy.name, args: policyArgs } as const;
  const shape = shapeOf(planOf(use, { stages, devices, microbatches, iterations }, { placement }));
  const refused = stages % shape.chunks !== 0 || policy.check(shape).length > 0;
  if (refused || !('plan' in made)) return refused === 'refused' in made ? undefined : 'only one of them takes it';
  const generated = generate(made.plan);
  if (report.findings.length > 0) return report.findings[0].message;
  if ('faults' in generated) return generated.faults[0].message;
  return unequal(generated.program, programOf(policy, shape), without);
}

/** Words of an array, or of the arrays of `copies`. */
const plain = (value: Program[keyof Program]): unknown =>
  ArrayBuffer.isView(value)
    ? Array.from(value as Int32Array)
    : typeof value === 'object'
      ? Object.entries(value).map(([key, list]) => [key, Array.from(list as Int32Array)])
      : value;

const equalWords = (one: ArrayLike<number>, other: ArrayLike<number>): boolean => {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
};

/** Without any partner, none is the same as −1 for each device. */
const partnersOf = ({ devices, partner }: Program): ArrayLike<number> => partner ?? new Int32Array(devices).fill(-1);

/** Members that are compared in whole; `items` is the place in the text. */
const members = [
  'devices',
  'stages',
  'microbatches',
  'split',
  'placement',
  'shift',
  'extended',
  'copies',
  'apart',
  'overlap',
  'weights',
  'minibatch',
  'weightCopies',
  'forwardOnly',
] as const satisfies readonly (keyof Program)[];

function unequal(text: Program, code: Program, without: readonly (keyof Program)[]): string | undefined {
  if (!equalWords(text.offsets, code.offsets) || !equalWords(text.order, code.order)) return 'another order';
  if (!equalWords(text.fused ?? [], code.fused ?? [])) return 'other pairs share a slot';
  if (!equalWords(partnersOf(text), partnersOf(code))) return 'another partner';
  const member = members.find(
    (name) => !without.includes(name) && JSON.stringify(plain(text[name])) !== JSON.stringify(plain(code[name])),
  );
  return member === undefined ? undefined : `another ${member}`;
}
