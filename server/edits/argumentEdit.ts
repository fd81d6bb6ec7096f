import { pipelineBody, valueOf } from '../../engine/fixes/source.ts';
import { literalOf } from '../../engine/language/literal.ts';
import { findUnit } from '../../engine/language/units.ts';
import { findPolicy } from '../../engine/policies/registry.ts';
import { parametersOf } from '../../engine/policies/parameters.ts';
import type { Argument, Entry, Expression, Span } from '../../grammar/index.ts';
import type { ParamEditAnswer } from '../../webview/protocol/requests.ts';
import { membersOf } from '../ownFunctions.ts';
import { rangeIn, type View } from '../view.ts';
import { shortest } from './shortest.ts';

/** The edit that writes an argument of a pipeline's schedule, `PIPELINE.PARAMETER`: in place of the one that is there, or a new one. */
export function argumentEdit(view: View, name: string, value: number): ParamEditAnswer {
  const { plan } = view.analysis.resolution;
  const param = plan.params.find((candidate) => candidate.name === name);
  const [owner, member] = name.split('.');
  if (param === undefined) return defaultEdit(view, owner, member, value);
  if (param.argument === undefined || !Number.isFinite(value)) return null;
  const { pipeline, parameter, schedule } = param.argument;
  const body = pipelineBody(view.syntax, pipeline);
  const use = body === undefined ? undefined : inner(valueOf(body, 'schedule'));
  if (use === undefined) return null;
  const word = param.words?.[value];
  if (param.words !== undefined && word === undefined) return null;
  const numberIn = (unit: { readonly text: string; readonly scale: number }): string =>
    word ?? `${shortest(value, unit.scale)}${unit.text}`;
  const usual = numberIn({ text: param.unit, scale: param.scale });
  const edit = (span: Span, newText: string): ParamEditAnswer => ({
    range: rangeIn(view, span),
    newText,
    version: view.version,
  });
  if (use.kind === 'name') return edit({ start: use.end, end: use.end }, `(${parameter} = ${usual})`);
  if (use.kind !== 'call') return null;
  const names = namesOf(view, schedule);
  const written = use.arguments.find((argument, index) => (argument.name?.text ?? names[index]) === parameter);
  if (written === undefined) {
    const last = use.arguments.at(-1);
    return last === undefined
      ? edit({ start: use.callee.end, end: use.end }, `(${parameter} = ${usual})`)
      : edit({ start: last.end, end: last.end }, `, ${parameter} = ${usual}`);
  }
  return edit(written.value, numberIn(unitOf(written) ?? { text: param.unit, scale: param.scale }));
}

/** The edit that writes the default of a schedule's `param`. */
function defaultEdit(view: View, schedule: string, parameter: string, value: number): ParamEditAnswer {
  for (const declaration of view.syntax.declarations) {
    if (declaration.kind !== 'block' || declaration.keyword.text !== 'schedule' || declaration.name?.text !== schedule)
      continue;
    const entry = declaration.body?.entries.find(
      (each): each is Entry => each.kind === 'entry' && each.key.text === 'param' && each.name?.text === parameter,
    );
    const literal = literalOf(entry?.values?.[0]);
    const unit = literal === undefined ? undefined : findUnit(literal.quantity.unit);
    if (literal === undefined || unit === undefined || !Number.isFinite(value)) return null;
    const newText = `${shortest(value, unit.scale)}${literal.quantity.unit}`;
    return { range: rangeIn(view, literal.whole), newText, version: view.version };
  }
  return null;
}

const inner = (expression: Expression | undefined): Expression | undefined =>
  expression?.kind === 'group' ? inner(expression.inner) : expression;

/** Parameters of a schedule in order. */
function namesOf(view: View, schedule: string): readonly string[] {
  const policy = findPolicy(schedule);
  return policy === undefined
    ? membersOf(view, `schedule:${schedule}`, ['param']).map((member) => member.name)
    : parametersOf(policy).map((parameter) => parameter.name);
}

/** The unit that an argument is written in. */
function unitOf({ value }: Argument): { readonly text: string; readonly scale: number } | undefined {
  const literal = literalOf(value);
  const unit = literal === undefined ? undefined : findUnit(literal.quantity.unit);
  return literal === undefined || unit === undefined ? undefined : { text: literal.quantity.unit, scale: unit.scale };
}
