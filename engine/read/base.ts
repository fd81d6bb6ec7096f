/** `from = NAME`: the declaration of the same kind that a block takes its figures from. */
import type { BlockDeclaration, Entry, Expression, Name } from '../../grammar/syntax.ts';
import { circleNames, orderByNeed, type Ordering } from '../ordering.ts';
import { valueOf } from '../language/keys.ts';
import type { SymbolKind } from '../language/resolution.ts';
import type { ReadContext } from './context.ts';

/** The name that `from` gives, if it is a name. */
export function baseName(block: BlockDeclaration): Name | undefined {
  const from = block.body?.entries.find((entry): entry is Entry => entry.kind === 'entry' && entry.key.text === 'from');
  return nameIn(valueOf(from));
}

/** The name that an expression is, with or without parentheses. */
export const nameIn = (value: Expression | undefined): Name | undefined =>
  value?.kind === 'group' ? nameIn(value.inner) : value?.kind === 'name' ? value : undefined;

/** The blocks of one kind in an order that reads each after its base. */
export function orderByBase(context: ReadContext, blocks: readonly BlockDeclaration[], kind: SymbolKind): Ordering {
  const positions = new Map<number, number>();
  for (const [index, { name }] of blocks.entries()) if (name !== undefined) positions.set(name.start, index);
  const bases = blocks.map((block) => {
    const info = context.names.get(baseName(block)?.text ?? '');
    if (info?.kind !== kind || info.declaration?.uri !== context.uri) return [];
    return [positions.get(info.declaration.start) ?? []].flat();
  });
  return orderByNeed(blocks.length, (block) => bases[block]);
}

/** Reads all blocks of one kind, each after its base. Reports each circle once, at the `from` of its first block. */
export function readByBase(
  context: ReadContext,
  blocks: readonly BlockDeclaration[],
  kind: SymbolKind,
  read: (context: ReadContext, block: BlockDeclaration) => void,
): void {
  const { order, circles } = orderByBase(context, blocks, kind);
  for (const circle of circles) {
    const at = baseName(blocks[circle[0]]);
    const names = circle.map((member) => blocks[member].name?.text ?? '');
    if (at !== undefined) context.report.report('name/cycle', at, { circle: circleNames(names) });
  }
  for (const index of order) read(context, blocks[index]);
}
