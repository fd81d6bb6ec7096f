/** What files declare for others to import. */
import { parse } from '../../grammar/index.ts';
import { standardFiles } from '../std/index.ts';
import { named } from './declare.ts';
import type { SymbolKind } from './resolution.ts';

/** A name that an import of `path` gives. */
export interface Exported {
  readonly name: string;
  readonly kind: SymbolKind;
  readonly path: string;
  readonly doc?: string;
}

const limits = { size: 2_000_000, faults: 1 };
let standard: readonly Exported[] | undefined;

/** Names of the files that come with the language, if they have to be imported: built-in schedules are known without. */
export function standardNames(): readonly Exported[] {
  standard ??= [...standardFiles].flatMap(([path, text]) =>
    exportsOf({ path, text }).filter(({ kind }) => kind !== 'schedule'),
  );
  return standard;
}

/** Names that a file declares. */
export const exportsOf = ({ path, text }: { readonly path: string; readonly text: string }): readonly Exported[] =>
  parse(text, limits).declarations.flatMap((declaration) => {
    const found = named(declaration);
    if (found === undefined) return [];
    const doc = declaration.kind === 'skipped' || declaration.kind === 'import' ? undefined : declaration.doc;
    return [{ name: found.name.text, kind: found.kind, path, ...(doc === undefined ? {} : { doc }) }];
  });
