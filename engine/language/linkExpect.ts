/** Gives names in `expect` blocks their meaning: figures of a pipeline, or what a schedule is tested for. */
import type { BlockDeclaration, Expression, Name, Span } from '../../grammar/syntax.ts';
import { conjuncts } from '../../grammar/conjuncts.ts';
import { type FileContext, refer, symbolId, withdrawHead } from './context.ts';
import { findFigure, figures, scheduleFigures, testWords } from './figures.ts';
import { findFunction } from './functions.ts';
import { linkDeclaration, linkExpression, linkValue } from './linkExpressions.ts';
import { pipelineOrSchedule, unknown } from './unknownNames.ts';
import type { SymbolInfo } from './resolution.ts';
import { noScope, scheduleLocals, type Scope } from './scopes.ts';

export function linkExpect(context: FileContext, block: BlockDeclaration): void {
  if (block.name !== undefined && context.names.get(block.name.text)?.kind === 'schedule')
    return linkTest(context, block, block.name);
  if (block.name !== undefined && testsNothing(context, block)) {
    const known = [...context.names.values()].filter(({ kind }) => kind === 'pipeline' || kind === 'schedule');
    return unknown(
      context,
      block.name,
      pipelineOrSchedule,
      known.map(({ name }) => name),
    );
  }
  if (block.name !== undefined) linkDeclaration(context, block.name, 'pipeline');
  const stages = block.name === undefined ? undefined : context.members.get(symbolId('pipeline', block.name.text));
  for (const item of block.body?.entries ?? []) {
    if (item.kind !== 'check') continue;
    const conditions = conjuncts(item.condition, ['and', 'or']);
    for (const condition of conditions) linkCondition(context, condition, stages);
    withdrawUnknown(context, item, conditions);
  }
}

/** A word that is no figure, with nothing behind it, is one mistake. */
function withdrawUnknown(context: FileContext, item: Span, conditions: readonly Expression[]): void {
  if (conditions.some((condition) => condition.kind === 'name' && !context.links.has(condition)))
    withdrawHead(context, item);
}

/** One comparison of a figure of a pipeline. */
export function linkCondition(
  context: FileContext,
  condition: Expression,
  stages: ReadonlyMap<string, SymbolInfo> | undefined,
): void {
  if (condition.kind === 'name') linkFigure(context, condition);
  if (condition.kind !== 'binary') return;
  for (const side of [condition.left, condition.right]) linkSide(context, side, stages);
}

/** Whether the block is a test of a schedule, by its words, and nothing has its name. What it says then means nothing. */
export const testsNothing = ({ names }: FileContext, { name, body }: BlockDeclaration): boolean =>
  name !== undefined &&
  !names.has(name.text) &&
  (body?.entries ?? []).some(
    (item) =>
      item.kind === 'check' &&
      conjuncts(item.condition).some(
        (condition) =>
          (condition.kind === 'name' && condition.text === 'valid') ||
          (condition.kind === 'call' && condition.callee.text === 'over'),
      ),
  );

/** `expect` of a schedule: figures, numbers of a shape and parameters of the schedule. */
function linkTest(context: FileContext, block: BlockDeclaration, name: Name): void {
  linkDeclaration(context, name, 'schedule');
  const schedule = symbolId('schedule', name.text);
  const params = [...(context.members.get(schedule)?.values() ?? [])].filter(({ kind }) => kind === 'param');
  const scope = { locals: testLocals(context, params) };
  for (const item of block.body?.entries ?? []) {
    if (item.kind !== 'check') continue;
    const conditions = conjuncts(item.condition, ['and', 'or']);
    for (const condition of conditions) linkTestCheck(context, condition, scope);
    withdrawUnknown(context, item, conditions);
  }
}

/** A condition of a test. */
function linkTestCheck(
  context: FileContext,
  condition: Expression,
  scope: Scope & { readonly locals: ReadonlyMap<string, string> },
): void {
  if (condition.kind === 'binary') {
    const isOrder = condition.left.kind === 'name' && condition.left.text === 'order';
    linkTested(context, condition.left, scope);
    if (isOrder) linkExpression(context, condition.right, { kind: 'schedule' }, scope, 0);
    else linkTested(context, condition.right, scope);
  } else if (condition.kind === 'call') {
    linkTestWord(context, condition.callee);
    for (const { name: parameter, value } of condition.arguments) {
      const symbol = parameter === undefined ? undefined : scope.locals.get(parameter.text);
      if (parameter !== undefined && symbol !== undefined) refer(context, parameter, symbol);
      // Ranges say the shapes, so they know no numbers of a shape.
      linkValue(context, value, noScope);
    }
  } else linkTested(context, condition, scope);
}

function testLocals(context: FileContext, params: readonly SymbolInfo[]): ReadonlyMap<string, string> {
  const locals = new Map(scheduleLocals(context, undefined));
  for (const { name, id } of params) locals.set(name, id);
  return locals;
}

/** One side of a comparison in a test. */
function linkTested(
  context: FileContext,
  side: Expression,
  scope: Scope & { readonly locals: ReadonlyMap<string, string> },
): void {
  if (side.kind === 'group') return linkTested(context, side.inner, scope);
  const known = (name: string): boolean => scope.locals.has(name) || context.names.has(name);
  if (side.kind === 'name' && !known(side.text)) return linkTestWord(context, side);
  if (side.kind !== 'call' || findFunction('value', side.callee.text) !== undefined)
    return linkValue(context, side, scope);
  linkTestWord(context, side.callee);
  for (const { value } of side.arguments) linkValue(context, value, scope);
}

function linkTestWord(context: FileContext, name: Name): void {
  const known = [...scheduleFigures, ...testWords];
  const found = known.find((each) => each.name === name.text);
  if (found === undefined)
    return unknown(
      context,
      name,
      'figure',
      known.map((each) => each.name),
      'a test of a schedule',
    );
  const id = symbolId('variable', name.text);
  if (!context.symbols.has(id)) context.symbols.set(id, { id, name: name.text, kind: 'variable', doc: found.doc });
  refer(context, name, id);
}

/** One side of a comparison: a figure, or a value. */
function linkSide(context: FileContext, side: Expression, stages: ReadonlyMap<string, SymbolInfo> | undefined): void {
  if (side.kind === 'group') return linkSide(context, side.inner, stages);
  if (side.kind === 'name' && !context.names.has(side.text)) return linkFigure(context, side);
  if (side.kind !== 'call' || findFunction('value', side.callee.text) !== undefined)
    return linkValue(context, side, noScope);
  linkFigure(context, side.callee);
  for (const { name, value } of side.arguments) {
    if (name?.text === 'stage' && value.kind === 'name') {
      const stage = stages?.get(value.text);
      if (stage !== undefined) refer(context, value, stage.id);
      else if (stages !== undefined && !context.names.has(value.text)) unknown(context, value, 'stage', stages.keys());
      else if (context.names.has(value.text)) linkValue(context, value, noScope);
    } else if (value.kind === 'name' && findFigure(side.callee.text)?.of !== undefined) {
      // Another name is reported where the figure is read.
      if (value.text === findFigure(side.callee.text)?.of) linkFigure(context, value);
    } else linkValue(context, value, noScope);
  }
}

function linkFigure(context: FileContext, name: Name): void {
  const found = findFigure(name.text);
  if (found === undefined)
    return unknown(
      context,
      name,
      'figure',
      figures.map((figure) => figure.name),
    );
  const id = symbolId('variable', name.text);
  if (!context.symbols.has(id)) context.symbols.set(id, { id, name: name.text, kind: 'variable', doc: found.doc });
  refer(context, name, id);
}
