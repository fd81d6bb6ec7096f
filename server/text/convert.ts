/** Between the engine's offsets and the protocol's positions: the only place that knows both. */
import { DiagnosticSeverity, type Location, type Position, type Range } from 'vscode-languageserver';
import type { Severity } from '../../engine/findings/catalogue.ts';
import type { Place } from '../../engine/values/plan.ts';
import type { LineIndex, Span } from '../../grammar/index.ts';

export const toRange = (lines: LineIndex, span: Span): Range => ({
  start: lines.positionAt(span.start),
  end: lines.positionAt(span.end),
});

export const toOffset = (lines: LineIndex, position: Position): number => lines.offsetAt(position);

export const toSpan = (lines: LineIndex, range: Range): Span => ({
  start: lines.offsetAt(range.start),
  end: lines.offsetAt(range.end),
});

/** `linesOf` gives the lines of any file of the workspace; undefined where the file is gone. */
export function toLocation(place: Place, linesOf: (uri: string) => LineIndex | undefined): Location | undefined {
  const lines = linesOf(place.uri);
  return lines === undefined ? undefined : { uri: toDocumentUri(place.uri), range: toRange(lines, place) };
}

const severities: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
};
export const toSeverity = (severity: Severity): DiagnosticSeverity => severities[severity];

/** Scheme of the read-only documents that `workspace/textDocumentContent` serves. */
export const virtualScheme = 'pipewright-policy:';

/** Files that come with the product (`std:hardware`) are shown as read-only documents; all others keep their uri. */
export const toDocumentUri = (uri: string): string =>
  uri.startsWith('std:') ? `${virtualScheme}/std/${uri.slice('std:'.length)}.pipe` : uri;

/** Inverse of `toDocumentUri` for files that come with the product; undefined for other documents. */
export const toStandardUri = (documentUri: string): string | undefined =>
  /^pipewright-policy:\/{1,3}std\/(.+)\.pipe$/.exec(documentUri)?.[1]?.replace(/^/, 'std:');

export const overlaps = (a: Span, b: Span): boolean => a.start <= b.end && b.start <= a.end;
export const holds = (span: Span, offset: number): boolean => span.start <= offset && offset <= span.end;
