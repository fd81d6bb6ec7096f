/** Values of `let` and `param` declarations, each after those that it uses. */
import { show } from '../basics/quantities.ts';
import type { Expression, LetDeclaration, Name, ParamDeclaration } from '../../grammar/syntax.ts';
import { walk } from '../../grammar/walk.ts';
import { type FileContext, detail, symbolId } from './context.ts';
import { alike, fits } from './dimensions.ts';
import { evaluate } from './expressions.ts';
import { literalOf } from './literal.ts';
import { finite, mismatch, wrongDimension } from './valueFaults.ts';
import { circleNames, orderByNeed } from '../basics/ordering.ts';
import { type ParamPlan, paths } from '../values/plan.ts';
import { findUnit, phraseOf, units } from './units.ts';
import { type Value } from './values.ts';

type Constant = (LetDeclaration | ParamDeclaration) & { readonly name: Name };

/** Evaluates all of them; `overrides` by name take the place of a param's default. */
export function evaluateConstants(context: FileContext, overrides: Readonly<Record<string, number>>): void {
  const constants: Constant[] = [];
  const index = new Map<string, number>();
  for (const declaration of context.declarations) {
    if ((declaration.kind !== 'let' && declaration.kind !== 'param') || declaration.name === undefined) continue;
    const info = context.names.get(declaration.name.text);
    if (info?.declaration?.start !== declaration.name.start || info.declaration.uri !== context.uri) continue;
    index.set(info.id, constants.length);
    constants.push(declaration as Constant);
  }
  const { order, circles } = orderByNeed(constants.length, (node) => uses(context, constants[node], index));
  for (const circle of circles) {
    const [first] = circle;
    context.report.report(
      'name/cycle',
      constants[first].name,
      { circle: circleNames(circle.map((member) => constants[member].name.text)) },
      {
        related: circle
          .slice(1, 12)
          .map((member) => ({ place: context.report.place(constants[member].name), message: 'Part of the cycle.' })),
      },
    );
    for (const member of circle) context.values.set(idOf(constants[member]), undefined);
  }
  for (const at of order) {
    const constant = constants[at];
    const id = idOf(constant);
    if (context.values.has(id)) continue;
    context.values.set(
      id,
      constant.kind === 'let' ? letValue(context, constant) : paramValue(context, constant, overrides),
    );
  }
  // Those that need others are evaluated later, and are shown in the order of the file.
  for (const constant of constants) {
    const param = constant.kind === 'param' ? context.params.get(idOf(constant)) : undefined;
    if (param === undefined) continue;
    context.params.delete(idOf(constant));
    context.params.set(idOf(constant), param);
  }
}

const idOf = (constant: Constant): string => symbolId(constant.kind, constant.name.text);

function uses(context: FileContext, constant: Constant, index: ReadonlyMap<string, number>): readonly number[] {
  const found: number[] = [];
  const parts = constant.kind === 'let' ? [constant.value] : [constant.value, constant.range, constant.step];
  for (const part of parts) {
    if (part === undefined) continue;
    walk(part, (node) => {
      const symbol = node.kind === 'name' ? context.links.get(node) : undefined;
      const at = symbol === undefined ? undefined : index.get(symbol);
      if (at !== undefined) found.push(at);
    });
  }
  return found;
}

function letValue(context: FileContext, declaration: Constant & { kind: 'let' }): Value | undefined {
  if (declaration.value === undefined) return undefined;
  const value = evaluate(context, declaration.value);
  if (value?.kind === 'measure') {
    const text = show(value.value, value.dimension);
    detail(context, idOf(declaration), text, value.dimension);
    if (literalOf(declaration.value) === undefined)
      context.derived.push({ offset: declaration.value.end, text: ` = ${text}` });
  }
  return value;
}

function paramValue(
  context: FileContext,
  declaration: Constant & { kind: 'param' },
  overrides: Readonly<Record<string, number>>,
): Value | undefined {
  const { name, value: written, range, step } = declaration;
  const value = written === undefined ? undefined : evaluate(context, written);
  const bounds = range === undefined ? undefined : paramRange(context, range, value);
  const stepValue = step === undefined ? undefined : paramStep(context, step, value);
  if (written === undefined || value === undefined) return undefined;
  if (value.kind !== 'measure') return mismatch(context, written, 'a number', value);
  const { dimension } = value;
  if (bounds !== undefined && (value.value < bounds.min || value.value > bounds.max)) {
    context.report.report('value/range', written, {
      what: `The default of "${name.text}"`,
      value: show(value.value, dimension),
      allowed: `from ${show(bounds.min, dimension)} to ${show(bounds.max, dimension)}`,
    });
    return undefined;
  }
  const override = Object.hasOwn(overrides, name.text) ? overrides[name.text] : undefined;
  const now = override === undefined ? value : finite(context, written, override, dimension);
  if (now?.kind !== 'measure') return undefined;
  const shown = bounds === undefined ? '' : ` (${show(bounds.min, dimension)} to ${show(bounds.max, dimension)})`;
  detail(context, idOf(declaration), `${show(now.value, dimension)}${shown}`, dimension);
  if (literalOf(written) === undefined)
    context.derived.push({ offset: written.end, text: ` = ${show(value.value, dimension)}` });
  const unit = unitOf(written, dimension);
  const plan: ParamPlan = {
    name: name.text,
    value: now.value,
    default: value.value,
    dimension,
    unit: unit.name,
    scale: unit.scale,
    min: bounds?.min,
    max: bounds?.max,
    step: stepValue,
    doc: declaration.doc,
    local: true,
  };
  context.params.set(idOf(declaration), plan);
  context.origins.set(paths.param(name.text), context.report.place(name));
  return now;
}

function paramRange(
  context: FileContext,
  at: Expression,
  value: Value | undefined,
): { readonly min: number; readonly max: number } | undefined {
  const range = evaluate(context, at);
  if (range === undefined) return undefined;
  if (range.kind !== 'range' || range.step !== undefined)
    return mismatch(context, at, 'a range such as `1..64`', range);
  if (value?.kind === 'measure' && !alike(range.dimension, value.dimension)) {
    return wrongDimension(context, at, value.dimension, `a range of ${phraseOf[range.dimension]}`);
  }
  if (range.from <= range.to) return { min: range.from, max: range.exclusive ? range.to - 1 : range.to };
  context.report.report('value/range', at, {
    what: 'The end of the range',
    value: show(range.to, range.dimension),
    allowed: `at least its start, ${show(range.from, range.dimension)}`,
  });
  return undefined;
}

function paramStep(context: FileContext, at: Expression, value: Value | undefined): number | undefined {
  const step = evaluate(context, at);
  if (step === undefined) return undefined;
  if (step.kind !== 'measure') return mismatch(context, at, 'a number', step);
  if (value?.kind === 'measure' && !fits(step.dimension, value.dimension)) {
    return wrongDimension(context, at, value.dimension, phraseOf[step.dimension]);
  }
  if (step.value > 0) return step.value;
  context.report.report('value/range', at, {
    what: 'The step',
    value: show(step.value, step.dimension),
    allowed: 'over 0',
  });
  return undefined;
}

/** The unit that the value is written in, or the usual one of its dimension. */
export function unitOf(
  written: Expression | undefined,
  dimension: ParamPlan['dimension'],
): { readonly name: string; readonly scale: number } {
  if (dimension === 'number') return { name: '', scale: 1 };
  const unit = written?.kind === 'quantity' ? findUnit(written.unit) : undefined;
  return unit ?? units.find((unit) => unit.dimension === dimension) ?? { name: '', scale: 1 };
}
