/** Reads the `schedule` key of a pipeline: a built-in policy with arguments, or a schedule of a file. */
import type { DeclaredSchedule, ScheduleDefinition, ScheduleUse } from '../definitions/schedule.ts';
import { takeFindings } from '../findings/takeFindings.ts';
import type { Argument, Call, Expression } from '../../grammar/syntax.ts';
import { literalOf } from '../language/literal.ts';
import { largestInteger } from '../policies/arguments.ts';
import { parametersOf } from '../policies/parameters.ts';
import { findPolicy } from '../policies/registry.ts';
import type { Policy, PolicyParameter } from '../policies/policy.ts';
import type { ReadContext } from './context.ts';
import { checked, evaluate, quantity, type Variables } from '../language/expressions.ts';
import type { Dimension, PolicyArgument } from '../values/plan.ts';
import { describe, wholeRange, type Value } from '../language/values.ts';
import { bindArguments } from './arguments.ts';
import { readCallee } from '../language/callee.ts';
import { scheduleEvaluator } from './scheduleEvaluator.ts';

/** The schedule; `undefined` where it is wrong, which has been reported. `tried`: values in place of written arguments. */
export function readScheduleUse(
  context: ReadContext,
  expression: Expression,
  tried: Readonly<Record<string, number>> = {},
): ScheduleUse | undefined {
  if (expression.kind === 'group') return readScheduleUse(context, expression.inner, tried);
  const name = readCallee(context, expression, 'a schedule such as `1f1b`');
  if (name === undefined) return undefined;
  const symbol = context.links.get(name);
  if (symbol === undefined) return undefined;
  const declared = context.schedules.get(symbol);
  if (declared !== undefined) {
    const values = expression.kind === 'call' ? ownArguments(context, expression, declared) : {};
    const definition =
      values === undefined ? undefined : bound(context, expression, declared, { ...values, ...among(declared, tried) });
    if (values === undefined || definition === undefined) return undefined;
    return { kind: 'own', declared, definition, written: { values, computed: computed(expression, declared) } };
  }
  const policy = symbol.startsWith('policy:') ? findPolicy(name.text) : undefined;
  if (policy === undefined) return undefined;
  const parameters = parametersOf(policy);
  const instead = triedArguments(parameters, tried);
  if (expression.kind !== 'call')
    return { kind: 'policy', policy, args: instead, written: { values: {}, computed: [] } };
  const values = readArguments(context, expression, policy);
  if (values === undefined) return undefined;
  const recomputeAt = expression.arguments.find((argument) => argument.name?.text === 'recompute');
  const written = { values, computed: computed(expression, { parameters }) };
  return { kind: 'policy', policy, args: { ...values, ...instead }, recomputeAt, written };
}

/** Numbers of a pipeline among numbers that are named `PIPELINE.PARAMETER`, by the name of the parameter. */
export function argumentsTried(
  pipeline: string,
  overrides: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const head = `${pipeline}.`;
  const tried = Object.entries(overrides).filter(([name]) => name.startsWith(head));
  return Object.fromEntries(tried.map(([name, value]) => [name.slice(head.length), value]));
}

const among = (
  { parameters }: Pick<DeclaredSchedule, 'parameters'>,
  tried: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(tried).filter(([name]) => parameters.some((each) => each.name === name)));

/** Numbers that are tried; of a word its place in the list of words. */
function triedArguments(
  parameters: readonly PolicyParameter[],
  tried: Readonly<Record<string, number>>,
): Readonly<Record<string, PolicyArgument>> {
  const found: Record<string, PolicyArgument> = {};
  for (const { name, kind, words = [] } of parameters) {
    const value = Object.hasOwn(tried, name) ? tried[name] : undefined;
    const argument = kind === 'word' && value !== undefined ? words[value] : value;
    if (argument !== undefined) found[name] = argument;
  }
  return found;
}

/** Parameters whose argument is neither a number nor a word. */
function computed(
  expression: Expression,
  { parameters }: { readonly parameters: readonly (Pick<PolicyParameter, 'name'> & Partial<PolicyParameter>)[] },
): readonly string[] {
  if (expression.kind !== 'call') return [];
  return expression.arguments.flatMap(({ name, value }, index) => {
    const parameter = name === undefined ? parameters[index] : parameters.find((each) => each.name === name.text);
    const plain =
      literalOf(value) !== undefined || (value.kind === 'name' && parameter?.words?.includes(value.text) === true);
    return plain || parameter === undefined ? [] : [parameter.name];
  });
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
  { report }: ReadContext,
  at: Expression,
  declared: DeclaredSchedule,
  args: Readonly<Record<string, number>>,
): ScheduleDefinition | undefined {
  const { value, findings } = scheduleEvaluator.bind(declared, args);
  takeFindings(report, at, findings, 'these arguments');
  return value;
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
        // What is as large means nothing to a reader whose number is too small.
        max: parameter.max ?? (item.kind === 'measure' && item.value > largestInteger ? largestInteger : undefined),
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
