/** `from = llama3_8b`: the layers of another model, with another sequence, microbatch or precision if the model sets them. */
import type { BlockDeclaration } from '../../grammar/syntax.ts';
import { symbolId } from '../language/context.ts';
import { memberId } from '../language/declare.ts';
import type { SymbolInfo } from '../language/resolution.ts';
import { baseName, orderByBase } from './base.ts';
import type { ReadContext } from './context.ts';

/** Declares the layers of models that take them from another one. Names of the file and its imports must be there. */
export function adoptLayers(context: ReadContext, blocks: readonly BlockDeclaration[]): void {
  if (!blocks.some((block) => baseName(block) !== undefined)) return;
  for (const index of orderByBase(context, blocks, 'model').order) {
    const { name } = blocks[index];
    const base = baseName(blocks[index]);
    if (name === undefined || base === undefined) continue;
    const inherited = context.members.get(symbolId('model', base.text));
    const owner = symbolId('model', name.text);
    if (inherited === undefined || context.names.get(base.text)?.kind !== 'model' || context.members.has(owner))
      continue;
    const members = new Map<string, SymbolInfo>();
    for (const [layer, info] of inherited) {
      const id = memberId('layer', owner, layer);
      const made: SymbolInfo = { ...info, id, container: owner, foreign: true };
      members.set(layer, made);
      context.symbols.set(id, made);
    }
    context.members.set(owner, members);
  }
}
