/** Reads `expect` blocks: comparisons of one figure with a value. */
import { spellingHint } from '../findings/reporter.ts';
import type { Binary, BlockDeclaration, Expression } from '../../grammar/syntax.ts';
import { canonicalText } from '../language/canonical.ts';
import type { ReadContext } from './context.ts';
import { conjuncts } from '../../grammar/conjuncts.ts';
import { fits } from '../language/dimensions.ts';
import { evaluate, wholeNumber } from '../language/expressions.ts';
import { mismatch, wrongDimension } from '../language/valueFaults.ts';
import { findFigure, type FigureSchema } from '../language/figures.ts';
import { paths, type ExpectPlan, type PipelinePlan } from '../values/plan.ts';
import { checkShareBound } from './shareBound.ts';
import { cutStages, stageName } from '../costs/stages.ts';
import { testsNothing } from '../language/linkExpect.ts';
import { calleeOf } from '../language/callee.ts';
import { phraseOf } from '../language/units.ts';

/** The pipeline with the expectations of one block added to those that it has. `plan` is undefined where the pipeline was left out. */
export function readExpect(
  context: ReadContext,
  block: BlockDeclaration,
  plan: PipelinePlan | undefined,
): PipelinePlan | undefined {
  if (testsNothing(context, block)) return plan;
  const expects: ExpectPlan[] = [...(plan?.expects ?? [])];
  for (const item of block.body?.entries ?? []) {
    if (item.kind !== 'check') continue;
    const conditions = conjuncts(item.condition);
    for (const condition of conditions) {
      const read = readCheck(context, condition, plan);
      if (read === undefined || plan === undefined) continue;
      const path = paths.expect(plan.name, expects.length);
      expects.push({ ...read, path });
      context.origins.set(path, context.report.place(conditions.length === 1 ? item : condition));
    }
  }
  return plan === undefined ? undefined : { ...plan, expects };
}

const flipped = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '==': '==', '!=': '!=' } as const;

/** A condition of an `expect` or of a search; `undefined` if it is wrong, which has been reported. */
export function readCheck(
  context: ReadContext,
  condition: Expression,
  plan: PipelinePlan | undefined,
): Omit<ExpectPlan, 'path'> | undefined {
  if (condition.kind === 'group') return readCheck(context, condition.inner, plan);
  if (condition.kind === 'missing') return undefined;
  const operator = condition.kind === 'binary' ? condition.operator : undefined;
  if (
    condition.kind !== 'binary' ||
    operator === undefined ||
    operator === '+' ||
    operator === '-' ||
    operator === '*' ||
    operator === '/' ||
    operator === 'and' ||
    operator === 'or'
  ) {
    // Half a comparison is the parser's finding, and an unknown name has one.
    const isUnknown = condition.kind === 'name' && !context.links.has(condition);
    if (
      !isUnknown &&
      !context.syntax.errors.some((fault) => fault.start >= condition.start && fault.start <= condition.end + 1)
    ) {
      context.report.report('type/mismatch', condition, {
        expected: 'a comparison such as `bubble < 30%`, or several with `and` between them',
        found: operator === 'or' ? '`or`' : condition.kind === 'name' ? `\`${condition.text}\` alone` : 'a value',
      });
    }
    return undefined;
  }
  const left = figureOf(context, condition.left);
  const right = figureOf(context, condition.right);
  if (left !== undefined && right !== undefined) {
    context.report.report('type/mismatch', condition.right, {
      expected: 'a value to compare with',
      found: 'another figure',
    });
    return undefined;
  }
  const found = left ?? right;
  if (found === undefined) return noFigure(context, condition);
  const [figureSide, valueSide] =
    left === undefined ? [condition.right, condition.left] : [condition.left, condition.right];
  const by = restriction(context, figureSide, found, plan);
  const bound = evaluate(context, valueSide);
  if (bound === undefined || by === undefined) return undefined;
  if (bound.kind !== 'measure') return mismatch(context, valueSide, phraseOf[found.dimension], bound);
  if (!fits(bound.dimension, found.dimension))
    return wrongDimension(context, valueSide, found.dimension, phraseOf[bound.dimension]);
  const text = (expression: Expression) => canonicalText(context.syntax, expression);
  const kept = left === undefined ? flipped[operator] : operator;
  if (!checkShareBound(context, condition, found, kept, valueSide)) return undefined;
  return {
    figure: found.name,
    ...by,
    operator: kept,
    bound: bound.value,
    dimension: found.dimension,
    text: `${text(figureSide)} ${kept} ${text(valueSide)}`,
  };
}

function figureOf(context: ReadContext, side: Expression): FigureSchema | undefined {
  if (side.kind === 'group') return figureOf(context, side.inner);
  const name = calleeOf(side);
  return name !== undefined && context.links.get(name)?.startsWith('variable:') ? findFigure(name.text) : undefined;
}

/** Neither side is a figure. An unknown name is not reported again. */
function noFigure(context: ReadContext, { left, right }: Binary): undefined {
  const unlinked = [left, right].some(
    (expression) =>
      (expression.kind === 'name' && !context.links.has(expression)) ||
      (expression.kind === 'call' && !context.links.has(expression.callee)) ||
      expression.kind === 'missing',
  );
  if (!unlinked)
    context.report.report('type/mismatch', left, {
      expected: 'a figure such as `bubble` or `peak_memory`',
      found: 'a value',
    });
  return undefined;
}

/** `(stage = first)` or `(device = 0)`. */
function restriction(
  context: ReadContext,
  side: Expression,
  figure: FigureSchema,
  plan: PipelinePlan | undefined,
): { readonly stage?: number; readonly device?: number } | undefined {
  if (side.kind === 'group') return restriction(context, side.inner, figure, plan);
  if (side.kind !== 'call') return {};
  let result: { readonly stage?: number; readonly device?: number } | undefined = {};
  for (const argument of side.arguments) {
    if (figure.of !== undefined) {
      if (argument.name === undefined && argument.value.kind === 'name' && argument.value.text === figure.of) continue;
      context.report.report('type/mismatch', argument, {
        expected: `\`${figure.name}(${figure.of})\``,
        found: `\`${canonicalText(context.syntax, side)}\``,
      });
      return undefined;
    }
    const name = argument.name?.text ?? figure.by[0] ?? '';
    if (name !== 'stage' && name !== 'device') {
      const nearest = context.report.nearest(name, figure.by);
      context.report.report(
        'key/unknown',
        argument.name ?? argument,
        { key: name, block: `figure ${figure.name}`, nearest },
        { hint: spellingHint(nearest) },
      );
      return undefined;
    }
    if (!figure.by.includes(name)) {
      const allowed = figure.by.length === 0 ? 'without a stage or device' : `by ${figure.by.join(' or ')}`;
      context.report.report('type/mismatch', argument, {
        expected: `"${figure.name}" ${allowed}`,
        found: `\`${name}\``,
      });
      return undefined;
    }
    const index = indexOf(context, argument.value, name, plan);
    result = index === undefined || result === undefined ? undefined : { ...result, [name]: index };
  }
  return result;
}

function indexOf(
  context: ReadContext,
  value: Expression,
  name: 'stage' | 'device',
  plan: PipelinePlan | undefined,
): number | undefined {
  if (name === 'stage' && value.kind === 'name') {
    const symbol = context.links.get(value);
    if (symbol === undefined) return undefined;
    if (symbol.startsWith('stage:')) {
      const index =
        plan === undefined ? -1 : cutStages(plan).findIndex((cutStage) => stageName(cutStage.plan) === value.text);
      return index < 0 ? undefined : index;
    }
  }
  const most = plan === undefined ? undefined : (name === 'stage' ? cutStages(plan) : plan.devices).length - 1;
  return wholeNumber(context, value, `The number of the ${name}`, { max: most });
}
