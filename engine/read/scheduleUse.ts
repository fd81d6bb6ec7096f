/** Reads the `schedule` key of a pipeline: a built-in policy with arguments, or a schedule of a file. */
import type { DeclaredSchedule, ScheduleDefinition, ScheduleUse } from '../definitions/schedule.ts';
import { createReporter } from '../findings/reporter.ts';
import type { Argument, Call, Expression } from '../../grammar/syntax.ts';
import { largestInteger } from '../policies/arguments.ts';
import { parametersOf } from '../policies/parameters.ts';
import { findPolicy } from '../policies/registry.ts';
import type { Policy, PolicyParameter } from '../policies/policy.ts';
import type { ReadContext } from './context.ts';
import { checked, evaluate, quantity, type Variables } from '../language/expressions.ts';
import type { Dimension, PolicyArgument } from '../plan.ts';
import { describe, wholeRange, type Value } from '../language/values.ts';
import { bindArguments } from './arguments.ts';
import { readCallee } from '../language/callee.ts';

/** The schedule; `undefined` where it is wrong, which has been reported. */
export function readScheduleUse(context: ReadContext, expression: Expression): ScheduleUse | undefined {
  if (expression.kind === 'group') return readScheduleUse(context, expression.inner);
  const name = readCallee(context, expression, 'a schedule such as `1f1b`');
  if (name === undefined) return undefined;
  const symbol = context.links.get(name);
  if (symbol === undefined) return undefined;
  const written = context.schedules.get(symbol);
  if (written !== undefined) {
    const args = expression.kind === 'call' ? ownArguments(context, expression, written) : {};
    const definition = args === undefined ? undefined : bound(context, expression, written, args);
    return definition === undefined ? undefined : { kind: 'own', definition };
  }
  const policy = symbol.startsWith('policy:') ? findPolicy(name.text) : undefined;
  if (policy === undefined) return undefined;
  if (expression.kind !== 'call') return { kind: 'policy', policy, args: {} };
  const args = readArguments(context, expression, policy);
  const recomputeAt = expression.arguments.find((argument) => argument.name?.text === 'recompute');
  return args === undefined ? undefined : { kind: 'policy', policy, args, recomputeAt };
}

/** Numbers for parameters of a schedule that a file declares. */
function ownArguments(
  context: ReadContext,
  call: Call,
  { name, parameters }: DeclaredSchedule,
): Readonly<Record<string, number>> | undefined {
  const written = bindArguments(
    context,
    call,
    name,
    parameters.map((parameter) => parameter.name),
  );
  if (written === undefined) return undefined;
  const args: Record<string, number> = {};
  let wrong = false;
  for (const { name: parameter, dimension, min, max } of parameters) {
    const argument = written.get(parameter);
    if (argument === undefined) continue;
    const schema = { kind: 'quantity', dimension, ...(min === undefined ? {} : { min, max }) } as const;
    const value = quantity(context, argument.value, schema, `"${parameter}"`);
    if (value === undefined) wrong = true;
    else args[parameter] = value;
  }
  return wrong ? undefined : args;
}

/** The schedule with its arguments. What they make wrong in another file is reported at their place. */
function bound(
  context: ReadContext,
  at: Expression,
  declared: DeclaredSchedule,
  args: Readonly<Record<string, number>>,
): ScheduleDefinition | undefined {
  if (declared.uri === context.uri) return declared.bind(args, context.report);
  const report = createReporter(declared.uri, 10);
  const found = declared.bind(args, report);
  const first = report.findings.find(({ severity }) => severity === 'error');
  if (first !== undefined)
    context.report.add({
      ...first,
      place: context.report.place(at),
      related: [{ place: first.place, message: 'This expression, with these arguments.' }],
      hint: undefined,
    });
  return found;
}

/** Arguments of a built-in policy. `variables`: numbers of names that only a test knows. */
export function readArguments(
  context: ReadContext,
  call: Call,
  policy: Policy,
  variables?: Variables,
): Readonly<Record<string, PolicyArgument>> | undefined {
  const bound = bindArguments(
    context,
    call,
    policy.name,
    parametersOf(policy).map((parameter) => parameter.name),
  );
  if (bound === undefined) return undefined;
  const args: Record<string, PolicyArgument> = {};
  let wrong = false;
  for (const parameter of parametersOf(policy)) {
    const argument = bound.get(parameter.name);
    if (argument === undefined) continue;
    const value = readArgument(context, argument, parameter, variables);
    if (value === undefined) wrong = true;
    else args[parameter.name] = value;
  }
  return wrong ? undefined : args;
}

function readArgument(
  context: ReadContext,
  { value }: Argument,
  parameter: PolicyParameter,
  variables: Variables | undefined,
): PolicyArgument | undefined {
  if (value.kind === 'name' && parameter.words?.includes(value.text)) return value.text;
  const found = evaluate(context, value, variables);
  if (found === undefined) return undefined;
  const whole = (item: Value) =>
    checked(
      context,
      value,
      item,
      {
        kind: 'quantity',
        dimension: 'number',
        integer: true,
        min: parameter.min ?? 0,
        max: parameter.max ?? largestInteger,
      },
      `"${parameter.name}"`,
    );
  const { dimension, min, max } = parameter;
  const measured = (of: Dimension) =>
    checked(context, value, found, { kind: 'quantity', dimension: of, min, max }, `"${parameter.name}"`);
  if (parameter.kind === 'quantity') return measured(dimension ?? 'number');
  if (parameter.kind === 'integer' && dimension !== undefined && found.kind === 'measure') {
    // A plain number counts; what is too small of the other dimension is for the policy to say.
    if (found.dimension === 'number') return whole(found);
    const quantity = checked(context, value, found, { kind: 'quantity', dimension, min: 0 }, `"${parameter.name}"`);
    return quantity === undefined ? undefined : { value: quantity, dimension };
  }
  if (parameter.kind === 'integer') return whole(found);
  if (parameter.kind === 'integers') {
    const range = found.kind === 'range' ? wholeRange(found) : undefined;
    if (found.kind === 'measure') return whole(found);
    if (found.kind === 'list') {
      const all = found.items.map(whole);
      return all.every((candidate) => candidate !== undefined) ? all : undefined;
    }
    if (range !== undefined && range.last - range.first < context.options.limits.elements) {
      return Array.from({ length: Math.max(0, range.last - range.first + 1) }, (_, index) => range.first + index);
    }
  }
  const words = (parameter.words ?? []).map((word) => `\`${word}\``);
  const expected = [...(parameter.kind === 'integers' ? ['a list of whole numbers'] : []), ...words].join(' or ');
  context.report.report('type/mismatch', value, { expected, found: describe(found) });
  return undefined;
}
