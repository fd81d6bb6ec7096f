import type { Expression, StringLiteral, SyntaxFile } from '../../grammar/index.ts';

/** A path in `profile("…")`, `huggingface("…")` or `system("…")`, and which of the three it is in. */
export interface SourcePath {
  readonly path: StringLiteral;
  readonly source: string;
}

/** Paths of the files that `from` entries of models and devices name. */
export const sourcePaths = (syntax: SyntaxFile): readonly SourcePath[] =>
  syntax.declarations.flatMap((declaration) =>
    declaration.kind === 'block' && (declaration.keyword.text === 'model' || declaration.keyword.text === 'device')
      ? (declaration.body?.entries ?? []).flatMap((entry) =>
          entry.kind === 'entry' && entry.key.text === 'from' ? (entry.values ?? []).flatMap(pathsOf) : [],
        )
      : [],
  );

function pathsOf(value: Expression): readonly SourcePath[] {
  if (value.kind === 'group') return pathsOf(value.inner);
  if (value.kind !== 'call') return [];
  const file = value.arguments.find((argument) => argument.name === undefined || argument.name.text === 'file')?.value;
  return file?.kind === 'string' ? [{ path: file, source: value.callee.text }] : [];
}
