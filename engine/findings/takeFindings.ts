import type { Span } from '../../grammar/syntax.ts';
import type { Finding } from './finding.ts';
import type { Reporter } from './reporter.ts';

/**
 * Reports findings about a text that is used at `at`. A text of another file is right for others: its first error is reported at
 * the use, and `why` says what makes it wrong.
 */
export function takeFindings(report: Reporter, at: Span, findings: readonly Finding[], why: string): void {
  const isHere = ({ place }: Finding): boolean => place.uri === report.uri;
  for (const found of findings) if (isHere(found)) report.add(found);
  const foreign = findings.find((found) => found.severity === 'error' && !isHere(found));
  if (foreign === undefined) return;
  const related = [{ place: foreign.place, message: `This expression, with ${why}.` }];
  report.add({ ...foreign, place: report.place(at), related, hint: undefined });
}
