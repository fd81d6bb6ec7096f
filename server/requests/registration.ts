/** Requests beyond the protocol; their shapes are in `webview/protocol/requests.ts`. */
import { RequestType, type CancellationToken } from 'vscode-languageserver';
import {
  methods,
  type LocateRequest,
  type ParamEditRequest,
  type PathsRequest,
  type PlanRequest,
  type PolicySourceAnswer,
  type PolicySourceRequest,
} from '../../webview/protocol/requests.ts';
import { handler } from '../handlers.ts';
import type { Session } from '../server.ts';
import type { View } from '../view.ts';
import { locatePath } from './locate.ts';
import { paramEdit } from './paramEdit.ts';
import { pathsAt } from './pathsAt.ts';
import { planAnswer } from './plan.ts';
import { policySource } from './policySource.ts';

export function registerRequests({ connection, documents, log }: Session): void {
  const on = <P extends { readonly uri: string }>(
    type: RequestType<P, unknown, void>,
    answer: (view: View, params: P) => unknown,
  ): void => {
    const handle = handler(log, type.method, async (params: P, token: CancellationToken) => {
      const view = await documents.view(params.uri, token);
      return view === undefined ? null : answer(view, params);
    });
    connection.onRequest(type, handle);
  };
  on(new RequestType<PlanRequest, unknown, void>(methods.plan), planAnswer);
  on(new RequestType<LocateRequest, unknown, void>(methods.locate), locatePath);
  on(new RequestType<PathsRequest, unknown, void>(methods.pathsAt), pathsAt);
  on(new RequestType<ParamEditRequest, unknown, void>(methods.paramEdit), paramEdit);
  connection.onRequest(
    new RequestType<PolicySourceRequest, PolicySourceAnswer, void>(methods.policySource),
    handler(log, methods.policySource, (params: PolicySourceRequest) => policySource(params.uri)),
  );
}
