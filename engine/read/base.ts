/** `from = NAME`: the declaration of the same kind that a block takes its figures from. */
import type { BlockDeclaration, Entry, Expression, Name } from '../../grammar/syntax.ts';
import { circleNames, orderByNeed, type Ordering } from '../basics/ordering.ts';
import { valueOf } from '../language/keys.ts';
import type { SymbolKind } from '../language/resolution.ts';
import type { ReadContext } from './context.ts';

/** The entry `from` of a block. */
export const fromOf = (block: BlockDeclaration): Entry | undefined =>
  block.body?.entries.find((entry): entry is Entry => entry.kind === 'entry' && entry.key.text === 'from');

/** The name that `from` gives, if it is a name. Only a schedule may give arguments to it. */
export function baseName(block: BlockDeclaration): Name | undefined {
  const value = ungrouped(valueOf(fromOf(block)));
  return block.keyword.text === 'schedule' && value?.kind === 'call' ? value.callee : nameIn(value);
}

/** An expression without parentheses around it. */
export const ungrouped = (value: Expression | undefined): Expression | undefined =>
  value?.kind === 'group' ? ungrouped(value.inner) : value;

/** The name that an expression is, with or without parentheses. */
export function nameIn(value: Expression | undefined): Name | undefined {
  const inner = ungrouped(value);
  return inner?.kind === 'name' ? inner : undefined;
}

/** The blocks of one kind in an order that reads each after its base. */
export function orderByBase(context: ReadContext, blocks: readonly BlockDeclaration[], kind: SymbolKind): Ordering {
  const positions = new Map<number, number>();
  for (const [index, { name }] of blocks.entries())
    if (name !== undefined) positions.set(context.report.place(name).start, index);
  const bases = blocks.map((block) => {
    const info = context.names.get(baseName(block)?.text ?? '');
    if (info?.kind !== kind || info.declaration?.uri !== context.uri) return [];
    return [positions.get(info.declaration.start) ?? []].flat();
  });
  return orderByNeed(blocks.length, (block) => bases[block]);
}

/** Reads all blocks of one kind in steps, each after its base. Reports each circle once, at the `from` of its first block. */
export function* readByBase(
  context: ReadContext,
  blocks: readonly BlockDeclaration[],
  kind: SymbolKind,
  read: (context: ReadContext, block: BlockDeclaration) => void,
): Generator<void, void> {
  const { order, circles } = orderByBase(context, blocks, kind);
  for (const circle of circles) {
    const at = baseName(blocks[circle[0]]);
    const names = circle.map((member) => blocks[member].name?.text ?? '');
    if (at !== undefined) context.report.report('name/cycle', at, { circle: circleNames(names) });
  }
  for (const index of order) {
    read(context, blocks[index]);
    yield;
  }
}
