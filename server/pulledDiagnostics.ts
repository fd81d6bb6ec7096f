import {
  type CancellationToken,
  type Diagnostic,
  type DocumentDiagnosticParams,
  type DocumentDiagnosticReport,
  DocumentDiagnosticReportKind,
  type FullDocumentDiagnosticReport,
  type UnchangedDocumentDiagnosticReport,
  type WorkspaceDiagnosticParams,
  type WorkspaceDocumentDiagnosticReport,
  type WorkspaceDiagnosticReport,
} from 'vscode-languageserver';
import type { ClosedFiles } from './closedFiles.ts';
import type { Documents } from './documents/documents.ts';
import type { Report, Reports } from './reports.ts';
import type { Session } from './session.ts';
import { diagnosticsOf } from './features/diagnostics.ts';

/** What reports need. */
export interface DiagnosticsHost extends Pick<Session, 'abilities' | 'docs' | 'files'> {
  readonly documents: Documents;
  readonly reports: Reports;
  readonly closedFiles: ClosedFiles;
}

type Either = FullDocumentDiagnosticReport | UnchangedDocumentDiagnosticReport;

/**
 * The findings of a document, never of an older text. Clients that take it also get the new findings of open documents that import
 * it.
 */
export async function documentDiagnostics(
  { textDocument: { uri }, previousResultId }: DocumentDiagnosticParams,
  host: DiagnosticsHost,
  token: CancellationToken,
): Promise<DocumentDiagnosticReport> {
  const report = await reportOf(uri, host, token);
  if (report === undefined) return full(none);
  host.reports.given(uri, report);
  const relatedDocuments = host.abilities.relatedDocuments ? relatedOf(uri, host) : {};
  return {
    ...since(report, previousResultId),
    ...(Object.keys(relatedDocuments).length > 0 ? { relatedDocuments } : {}),
  };
}

/** The findings of every file of the workspace, as they come where the client takes parts. Files that are not open are checked, too. */
export async function workspaceDiagnostics(
  { previousResultIds }: WorkspaceDiagnosticParams,
  host: DiagnosticsHost,
  token: CancellationToken,
  partial: ((report: WorkspaceDiagnosticReport) => void) | undefined,
): Promise<WorkspaceDiagnosticReport> {
  const before = new Map(previousResultIds.map(({ uri, value }) => [uri, value]));
  const items: WorkspaceDocumentDiagnosticReport[] = [];
  const give = (item: WorkspaceDocumentDiagnosticReport): void => {
    if (partial === undefined) items.push(item);
    else partial({ items: [item] });
  };
  const seen = new Set<string>();
  for (const uri of host.files.all()) {
    if (uri === undefined) continue;
    const report = await reportOf(uri, host, token);
    if (token.isCancellationRequested) break;
    if (report === undefined) continue;
    seen.add(uri);
    give({ ...since(report, before.get(uri)), uri, version: host.documents.version(uri) ?? null });
  }
  if (!token.isCancellationRequested) host.closedFiles.keep(seen);
  // A file that is gone has none.
  for (const uri of before.keys())
    if (!seen.has(uri) && !token.isCancellationRequested) give({ ...full(none), uri, version: null });
  return { items };
}

async function reportOf(uri: string, host: DiagnosticsHost, token: CancellationToken): Promise<Report | undefined> {
  const { abilities, closedFiles, docs, documents, reports } = host;
  if (documents.version(uri) !== undefined) {
    const open = await reports.newest(uri, token);
    if (open !== undefined || token.isCancellationRequested) return open;
  }
  const view = await closedFiles.view(uri, token);
  if (view === undefined) return undefined;
  const diagnostics = diagnosticsOf(view, docs, abilities);
  return { version: 0, diagnostics, resultId: closedId(diagnostics) };
}

/** Of a file that is not open: equal for equal findings, and never the number of a report of an open document. */
function closedId(diagnostics: readonly Diagnostic[]): string {
  let hash = 5381n;
  const text = JSON.stringify(diagnostics);
  for (let at = 0; at < text.length; at += 1) hash = BigInt.asUintN(64, hash * 33n + BigInt(text.charCodeAt(at)));
  return `closed ${text.length} ${hash}`;
}

function relatedOf(uri: string, { documents, reports }: DiagnosticsHost): Record<string, Either> {
  const related: Record<string, Either> = {};
  for (const user of documents.usersOf(uri)) {
    const report = reports.known(user);
    if (report === undefined || reports.has(user, report)) continue;
    reports.given(user, report);
    related[user] = full(report);
  }
  return related;
}

const none: Report = { version: 0, diagnostics: [], resultId: '' };

const since = (report: Report, previous: string | undefined): Either =>
  previous === report.resultId
    ? { kind: DocumentDiagnosticReportKind.Unchanged, resultId: report.resultId }
    : full(report);

const full = ({ diagnostics, resultId }: Report): FullDocumentDiagnosticReport => ({
  kind: DocumentDiagnosticReportKind.Full,
  items: [...diagnostics],
  ...(resultId === '' ? {} : { resultId }),
});
