/** Reads the `sync` key of a pipeline. */
import type { SyncUse } from '../definitions/exchange.ts';
import type { Argument, Expression } from '../../grammar/syntax.ts';
import { type RuleParameter, type WrittenValue, ruleArguments, ruleParameters } from '../exchange/arguments.ts';
import { findPreset, inOrder } from '../exchange/presets.ts';
import { readCallee } from '../language/callee.ts';
import { checked, evaluate, quantity, wholeNumber } from '../language/expressions.ts';
import { bindArguments } from './arguments.ts';
import type { ReadContext } from './context.ts';
import { asWritten } from '../language/canonical.ts';
import { localRule } from '../exchange/local.ts';
import { type LocalRead, readLocal } from './local.ts';

/**
 * `end`, `overlap`, `overlap(bucket = 25MB)`, `bytescheduler(credit = 8MB)`: the rule, or 'end' where gradients are exchanged after
 * the last operation; `undefined` where it is wrong, which has been reported.
 */
export function readSync(context: ReadContext, expression: Expression): SyncUse | LocalRead | 'end' | undefined {
  if (expression.kind === 'group') return readSync(context, expression.inner);
  const name = readCallee(context, expression, '`end`, `overlap` or the name of a rule such as `ddp`');
  if (name === undefined || !context.links.has(name)) return undefined;
  if (name.text === localRule.name) return readLocal(context, expression);
  const preset = findPreset(name.text);
  const bound =
    expression.kind === 'call'
      ? bindArguments(
          context,
          expression,
          name.text,
          preset === undefined ? [] : inOrder(preset).map((parameter) => parameter.name),
          preset === undefined ? (_, argument) => adviceForEnd(context, argument) : undefined,
        )
      : new Map<string, Argument>();
  if (bound === undefined) return undefined;
  if (preset === undefined) return 'end';
  const values = new Map<string, WrittenValue>();
  const at = new Map<string, Argument>();
  for (const parameter of ruleParameters) {
    const argument = bound.get(parameter.name);
    if (argument === undefined) continue;
    const value = argumentValue(context, argument, parameter);
    if (value === undefined) return undefined;
    // A slice is a partition in other words.
    const key = parameter.name === 'slice' ? 'partition' : parameter.name;
    if (values.has(key)) {
      context.report.report('key/duplicate', argument.name ?? argument, {
        key,
        block: `call to ${name.text}`,
        as: parameter.name,
      });
      return undefined;
    }
    values.set(key, value);
    at.set(key, argument);
  }
  return { preset, written: ruleArguments(values), at };
}

/** `end` has no arguments: what they need is `overlap`. */
function adviceForEnd({ syntax }: ReadContext, argument: Argument): string | undefined {
  const written = syntax.text.slice(argument.start, argument.end);
  return ruleParameters.some(({ name }) => name === argument.name?.text) && written.length <= 40
    ? `Write \`overlap(${written})\`: gradients are then sent during the backward.`
    : undefined;
}

function argumentValue(
  context: ReadContext,
  { value }: Argument,
  { name, kind, words = [], zero }: RuleParameter,
): WrittenValue | undefined {
  if (value.kind === 'name' && words.includes(value.text)) return kind === 'truth' ? value.text === 'true' : value.text;
  if (kind === 'words' || kind === 'truth') {
    // A name that is not known has been reported.
    if (value.kind !== 'name' || context.links.has(value))
      context.report.report('type/mismatch', value, { expected: listed(words), found: asWritten(context, value) });
    return undefined;
  }
  const bounds = zero === true ? { min: 0 } : { above: 0 };
  const what = `"${name}"`;
  if (kind === 'time') return quantity(context, value, { kind: 'quantity', dimension: 'time', ...bounds }, what);
  if (kind === 'parameters') {
    const parameters = wholeNumber(context, value, what, { min: 1 });
    return parameters === undefined ? undefined : { parameters };
  }
  const found = evaluate(context, value);
  if (found === undefined) return undefined;
  if (kind === 'credit' && found.kind === 'measure' && found.dimension === 'number') {
    const pieces = checked(
      context,
      value,
      found,
      { kind: 'quantity', dimension: 'number', integer: true, min: 1 },
      what,
    );
    return pieces === undefined ? undefined : { pieces };
  }
  const bytes = checked(context, value, found, { kind: 'quantity', dimension: 'bytes', ...bounds }, what);
  return bytes === undefined ? undefined : { bytes };
}

/** `a`, `b` or `c` */
const listed = (words: readonly string[]): string => {
  const quoted = words.map((word) => `\`${word}\``);
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`;
};
