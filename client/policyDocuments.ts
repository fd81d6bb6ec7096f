import * as vscode from 'vscode';
import { methods, type PolicySourceAnswer, type PolicySourceRequest } from '../webview/protocol/requests.ts';
import type { Requests } from './languageClient.ts';

export const policyScheme = 'pipewright-policy';

/** Read-only documents that show a built-in policy: "go to definition" on `1f1b` leads to `pipewright-policy:/std/schedules/1f1b.pipe`. */
export function providePolicyDocuments(requests: Requests): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(policyScheme, {
    async provideTextDocumentContent(uri, token) {
      const asked: PolicySourceRequest = { uri: uri.toString() };
      const answer = await requests.send<PolicySourceAnswer>(methods.policySource, asked, token);
      return (
        answer?.text ?? `// There is no built-in policy "${uri.path.replace(/^\//, '').replace(/\.pipe$/, '')}".\n`
      );
    },
  });
}
