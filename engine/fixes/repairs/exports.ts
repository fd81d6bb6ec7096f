/** Imports of what other files declare. */
import type { SyntaxFile } from '../../../grammar/index.ts';
import type { Exported } from '../../language/exported.ts';
import { pipelineOrSchedule } from '../../language/unknownNames.ts';
import type { Edit } from '../proposal.ts';
import { lineBreak, lineEnd } from '../source.ts';
import { inserted } from './edits.ts';

/** Kinds of declarations that a name of this kind may mean; a number may be a `let` or a `param`. */
export const kindsFor = (kind: string): readonly string[] =>
  kind === 'name'
    ? ['let', 'param']
    : kind === pipelineOrSchedule
      ? ['pipeline', 'schedule']
      : [kind === 'policy' ? 'schedule' : kind];

/** Adds a name to the import of a path that is there, or an import behind the others, before all else. */
export function withImport({ text, declarations, comments }: SyntaxFile, { name, path }: Exported): Edit | undefined {
  const imports = declarations.filter((each) => each.kind === 'import');
  const same = imports.find((each) => each.path?.value === path);
  if (same !== undefined) {
    const last = same.names?.at(-1);
    return last === undefined ? undefined : inserted(last.end, `, ${name}`);
  }
  const written = `import { ${name} } from "${path}"`;
  const line = lineBreak(text);
  const after = imports.at(-1);
  if (after !== undefined) return inserted(lineEnd(text, after.end), `${line}${written}`);
  // Behind the comment that heads the file, if an empty line ends it.
  const first = declarations.at(0)?.start ?? text.length;
  const head = comments.filter((comment) => comment.end <= first && comment.kind !== 'doc').at(-1);
  const gap = head === undefined ? '' : text.slice(head.end, first);
  const at = head !== undefined && /\n[ \t]*\r?\n/.test(gap) ? lineEnd(text, head.end) : undefined;
  if (at !== undefined) return inserted(at, `${line}${line}${written}`);
  return inserted(text.startsWith('\uFEFF') ? 1 : 0, `${written}${line}${line}`);
}
