/** Requests of clients that ask for findings. */
import {
  type DocumentDiagnosticParams,
  type DocumentDiagnosticReport,
  DocumentDiagnosticRequest,
  RequestType,
  type WorkspaceDiagnosticParams,
  type WorkspaceDiagnosticReport,
  WorkspaceDiagnosticRequest,
} from 'vscode-languageserver';
import { documentDiagnostics, workspaceDiagnostics } from './pulledDiagnostics.ts';
import { handler } from './handlers.ts';
import type { LongRequests } from './longRequests.ts';
import type { Session } from './session.ts';

export function registerFindings(session: Session, long: LongRequests): void {
  const { connection, log } = session;
  connection.onRequest(
    new RequestType<DocumentDiagnosticParams, DocumentDiagnosticReport | null, void>(DocumentDiagnosticRequest.method),
    handler(log, 'findings', (params: DocumentDiagnosticParams, token) => documentDiagnostics(params, session, token)),
  );
  const partial = (params: WorkspaceDiagnosticParams) => {
    const { partialResultToken } = params;
    if (partialResultToken === undefined) return undefined;
    return (part: WorkspaceDiagnosticReport): void =>
      void connection.sendProgress(WorkspaceDiagnosticRequest.partialResult, partialResultToken, part);
  };
  connection.onRequest(
    new RequestType<WorkspaceDiagnosticParams, WorkspaceDiagnosticReport | null, void>(
      WorkspaceDiagnosticRequest.method,
    ),
    long(
      'checking the files of the workspace',
      handler(log, 'findings of the workspace', (params: WorkspaceDiagnosticParams, token) =>
        workspaceDiagnostics(params, session, token, partial(params)),
      ),
    ),
  );
}
