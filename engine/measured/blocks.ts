/** Blocks of a file, and what is written in them. */
import type { BlockDeclaration, Entry, SyntaxFile } from '../../grammar/index.ts';

export const blockOf = (file: SyntaxFile, keyword: string, name: string | undefined): BlockDeclaration | undefined =>
  file.declarations.find(
    (one): one is BlockDeclaration => one.kind === 'block' && one.keyword.text === keyword && one.name?.text === name,
  );

export const entriesOf = (block: BlockDeclaration, key: string): readonly Entry[] =>
  (block.body?.entries ?? []).filter((item): item is Entry => item.kind === 'entry' && item.key.text === key);

/** The name that an entry has as its value. */
export function named(block: BlockDeclaration, key: string): string | undefined {
  const value = entriesOf(block, key)[0]?.values?.[0];
  return value?.kind === 'name' ? value.text : undefined;
}
