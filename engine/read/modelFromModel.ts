/** `from = llama3_8b`: the layers of another model, with another sequence, microbatch or precision if the model sets them. */
import type { BlockDeclaration, Entry, Name } from '../../grammar/syntax.ts';
import { symbolId } from '../language/context.ts';
import type { ReadContext } from './context.ts';
import { memberId } from '../language/declare.ts';
import { circleNames, orderByNeed } from '../ordering.ts';
import { valueOf } from '../language/keys.ts';
import type { SymbolInfo } from '../language/resolution.ts';
import { readModel } from './model.ts';

/** The name that `from` of a model gives, where it is one. */
function baseName(block: BlockDeclaration): Name | undefined {
  const from = block.body?.entries.find((entry): entry is Entry => entry.kind === 'entry' && entry.key.text === 'from');
  const value = valueOf(from);
  return value?.kind === 'name' ? value : undefined;
}

/** For each model of the file the one of the file that it takes its layers from, as an index. */
function bases(context: ReadContext, blocks: readonly BlockDeclaration[]): readonly (readonly number[])[] {
  const positions = new Map<number, number>();
  for (const [index, { name }] of blocks.entries()) if (name !== undefined) positions.set(name.start, index);
  return blocks.map((block) => {
    const info = context.names.get(baseName(block)?.text ?? '');
    if (info?.kind !== 'model' || info.declaration?.uri !== context.uri) return [];
    return [positions.get(info.declaration.start) ?? []].flat();
  });
}

const ordered = (context: ReadContext, blocks: readonly BlockDeclaration[]) => {
  const needs = bases(context, blocks);
  return orderByNeed(blocks.length, (block) => needs[block]);
};

/** Declares the layers of models that take them from another one. Names of the file and its imports must be there. */
export function adoptLayers(context: ReadContext, blocks: readonly BlockDeclaration[]): void {
  if (!blocks.some((block) => baseName(block) !== undefined)) return;
  for (const index of ordered(context, blocks).order) {
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

/** Reads all models of the file, each after the one that it takes its layers from. */
export function readModels(context: ReadContext, blocks: readonly BlockDeclaration[]): void {
  const { order, circles } = ordered(context, blocks);
  for (const circle of circles) {
    const names = circle.map((member) => blocks[member].name?.text ?? '');
    const at = baseName(blocks[circle[0]]);
    if (at !== undefined) context.report.report('name/cycle', at, { circle: circleNames(names) });
  }
  for (const index of order) readModel(context, blocks[index]);
}
