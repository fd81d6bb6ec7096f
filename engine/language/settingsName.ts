import type { ImportDeclaration } from '../../grammar/syntax.ts';

/** What `--set` calls an import that sets params: the first imported name, otherwise the name of the file without its ending. */
export function settingsName({ names, path }: Pick<ImportDeclaration, 'names' | 'path'>): string {
  const [first] = names ?? [];
  if (first !== undefined) return first.text;
  const file = path?.value.split(/[/:]/).at(-1) ?? '';
  return file.replace(/\.pipe$/, '').replaceAll(/\W/g, '_');
}
