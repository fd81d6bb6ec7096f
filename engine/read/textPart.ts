import type { TextPart } from '../definitions/scheduleTest.ts';
import type { BlockDeclaration } from '../../grammar/syntax.ts';
import { walk } from '../../grammar/walk.ts';
import type { FileContext } from '../language/context.ts';

/** A declaration by itself: its text, and the numbers of the file that its names stand for. */
export function textPart(context: FileContext, block: BlockDeclaration): TextPart {
  const constants: Record<string, TextPart['constants'][string]> = {};
  walk(block, (node) => {
    const symbol = node.kind === 'name' ? context.links.get(node) : undefined;
    const value = symbol === undefined ? undefined : context.values.get(symbol);
    if (node.kind === 'name' && value?.kind === 'measure')
      constants[node.text] = { value: value.value, dimension: value.dimension };
  });
  const { start, end } = block;
  return { uri: context.uri, start, text: context.syntax.text.slice(start, end), constants };
}
