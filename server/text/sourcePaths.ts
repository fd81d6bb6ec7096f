import { table } from '../../engine/basics/table.ts';
import type { Expression, StringLiteral, SyntaxFile } from '../../grammar/index.ts';

/** A path in `profile("…")`, `huggingface("…")`, `system("…")` or `trace("…")`, and which of them it is in. */
export interface SourcePath {
  readonly path: StringLiteral;
  readonly source: string;
}

/** The key of each block whose value names a file. */
const keys = table({ model: 'from', device: 'from', pipeline: 'measured' });

/** Paths of the files that models, devices and pipelines name. */
export const sourcePaths = (syntax: SyntaxFile): readonly SourcePath[] =>
  syntax.declarations.flatMap((declaration) => {
    const key = declaration.kind === 'block' ? keys[declaration.keyword.text] : undefined;
    return declaration.kind !== 'block' || key === undefined
      ? []
      : (declaration.body?.entries ?? []).flatMap((entry) =>
          entry.kind === 'entry' && entry.key.text === key ? (entry.values ?? []).flatMap(pathsOf) : [],
        );
  });

function pathsOf(value: Expression): readonly SourcePath[] {
  if (value.kind === 'group') return pathsOf(value.inner);
  if (value.kind !== 'call') return [];
  const file = value.arguments.find((argument) => argument.name === undefined || argument.name.text === 'file')?.value;
  return file?.kind === 'string' ? [{ path: file, source: value.callee.text }] : [];
}
