/** Gives names in `search` blocks their meaning: values as the keys of a pipeline take them, params, and figures. */
import { conjuncts } from '../../grammar/conjuncts.ts';
import type { BlockDeclaration, Entry, Expression } from '../../grammar/syntax.ts';
import { type FileContext, refer, symbolId } from './context.ts';
import { linkCondition } from './linkExpect.ts';
import { linkDeclaration, linkExpression, linkValue } from './linkExpressions.ts';
import { findKey, type ValueSchema } from './schema.ts';
import { noScope } from './scopes.ts';

export function linkSearch(context: FileContext, { name, body }: BlockDeclaration): void {
  if (name !== undefined) linkDeclaration(context, name, 'pipeline');
  const stages = name === undefined ? undefined : context.members.get(symbolId('pipeline', name.text));
  for (const item of body?.entries ?? []) {
    if (item.kind !== 'entry') continue;
    const { key, values = [] } = item;
    if (key.text === 'subject_to')
      for (const value of values)
        for (const condition of conjuncts(value, ['and', 'or'])) linkCondition(context, condition, stages);
    else if (key.text === 'minimise')
      for (const value of values) linkAxisValue(context, value, findKey('search', key.text)?.value);
    else linkAxis(context, item);
  }
}

function linkAxis(context: FileContext, { key, range, step, values = [] }: Entry): void {
  const schema = findKey('search', key.text)?.value;
  const named = schema === undefined ? context.names.get(key.text) : undefined;
  if (schema === undefined && named?.kind !== 'param') return;
  if (named !== undefined) refer(context, key, named.id);
  for (const value of [range, step, ...values]) if (value !== undefined) linkAxisValue(context, value, schema);
}

/** Items of a list by the key; ends of a range as numbers. */
function linkAxisValue(context: FileContext, value: Expression, schema: ValueSchema | undefined): void {
  if (value.kind === 'group') return linkAxisValue(context, value.inner, schema);
  if (value.kind === 'list') {
    for (const item of value.items) linkAxisValue(context, item, schema);
    return;
  }
  if (value.kind === 'range' || schema === undefined) return linkValue(context, value, noScope);
  linkExpression(context, value, schema, noScope, 0);
}
