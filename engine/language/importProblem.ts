import type { FileImport } from './sourceFiles.ts';
import { spellingHint } from '../findings/reporter.ts';
import type { Span } from '../../grammar/syntax.ts';
import type { FileContext } from './context.ts';
import { standardFiles } from '../std/index.ts';

/** Whether a text in quotes has only the first of them. */
const isOpen = (text: string): boolean => text.startsWith('"') && (text.length === 1 || !text.endsWith('"'));

/** Says why the file at `path`, written `at`, could not be read. */
export function reportProblem(
  context: FileContext,
  at: Span,
  path: string,
  found: NonNullable<FileImport['problem']>,
  /** What a file that does not exist must be. */
  advice?: string,
): void {
  // Half a path in front of its closing quote, whose absence is reported.
  if (isOpen(context.syntax.text.slice(at.start, at.end))) return;
  if (found.code === 'outside')
    return context.report.report('import/outside-workspace', at, { path, outside: found.detail });
  if (found.code === 'unreadable')
    return context.report.report('import/unreadable', at, { path, detail: found.detail });
  const near = path.startsWith('std:') ? context.report.nearest(path, standardFiles.keys()) : undefined;
  const help = advice ?? (near === undefined ? undefined : `Did you mean "${near}"?`);
  context.report.report(
    'import/not-found',
    at,
    { path, ...(help === undefined ? {} : { advice: help }) },
    { hint: spellingHint(near === undefined ? undefined : `"${near}"`) },
  );
}
