/** Requests beyond the protocol; their shapes are in `webview/protocol/requests.ts`. */
import type { Session } from '../session.ts';
import { CancellationTokenSource, ProgressType, RequestType, type CancellationToken } from 'vscode-languageserver';
import {
  methods,
  type ExportRequest,
  type FindPlanRequest,
  type PlanFileAnswer,
  type PlanFileRequest,
  type PlanRowRequest,
  type StopOrder,
  type StopPlan,
  type CalibrateRequest,
  type CandidatesRequest,
  type HelpRequest,
  type ImportAnswer,
  type ImportRequest,
  type NewPlanAnswer,
  type NewPlanChoices,
  type NewPlanRequest,
  type BlocksRequest,
  type CompletionRequest,
  type LocateRequest,
  type OriginRequest,
  type MoveInRowRequest,
  type MoveSlotRequest,
  type OrderRequest,
  type OrderState,
  type ParamEditRequest,
  type PathsRequest,
  type PlannedRequest,
  type PlanRequest,
  type RunAnswer,
  type RunProgress,
  type RunRequest,
} from '../../webview/protocol/requests.ts';
import type { Need } from '../documents/need.ts';
import { handler } from '../handlers.ts';
import type { View } from '../view.ts';
import { trials } from '../searches/trials.ts';
import { exportAnswer, exported } from './export.ts';
import { blocksAt } from './blocksAt.ts';
import { completionAnswer } from './completion.ts';
import { calibrateFile } from './calibrate.ts';
import { candidates } from './candidates.ts';
import { help } from './help.ts';
import { newPlan, newPlanChoices } from './newPlan.ts';
import { importFile } from './importFile.ts';
import { locatePath } from './locate.ts';
import { originAnswer } from './origin.ts';
import { moveInRow } from './moveInRow.ts';
import { moveSlot } from './moveSlot.ts';
import { orderSearch } from './orderSearch.ts';
import { additionOf } from './contents.ts';
import { paramEdit } from '../edits/paramEdit.ts';
import { pathsAt } from './pathsAt.ts';
import { planAnswer, plannedAnswer } from './plan.ts';
import { readRun } from './readRun.ts';

export function registerRequests({
  configuration,
  connection,
  documents,
  log,
  orders,
  plans,
  platform,
  starters,
}: Session): void {
  const on = <P extends { readonly uri: string }>(
    type: RequestType<P, unknown, void>,
    need: Need,
    answer: (view: View, params: P, token: CancellationToken) => unknown,
  ): void => {
    const handle = handler(log, type.method, async (params: P, token: CancellationToken) => {
      const view = await documents.view(params.uri, need, token);
      return view === undefined ? null : answer(view, params, token);
    });
    connection.onRequest(type, handle);
  };
  on(new RequestType<PlanRequest, unknown, void>(methods.plan), 'plan', async (view, params, token) => {
    const found = await documents.answered(view.uri, (searches) => planAnswer(view, params, searches), token);
    if (found?.contents === undefined) return found;
    const added = await starters.find(view, params.whole === true, token);
    if (added === undefined) return found;
    return { ...found, contents: { ...found.contents, addition: additionOf(view, added) } };
  });
  on(new RequestType<PlannedRequest, unknown, void>(methods.planned), 'plan', plannedAnswer);
  on(new RequestType<HelpRequest, unknown, void>(methods.help), 'figures', (view, params, token) => {
    const again = trials(view, params.overrides);
    return documents.answeredInSteps(view.uri, (searches) => help(view, params, searches, again), token);
  });
  on(new RequestType<CompletionRequest, unknown, void>(methods.completion), 'figures', (view, params, token) => {
    const again = trials(view);
    return documents.answeredInSteps(view.uri, (searches) => completionAnswer(view, params, searches, again), token);
  });
  on(new RequestType<ExportRequest, unknown, void>(methods.export), 'plan', async (view, params, token) => {
    const found = await documents.answered(
      view.uri,
      (searches) => exported(view, params, searches, platform.version),
      token,
    );
    return exportAnswer(found, params, platform);
  });
  on(new RequestType<MoveInRowRequest, unknown, void>(methods.moveInRow), 'plan', (view, params, token) =>
    documents.answered(view.uri, (searches) => moveInRow(view, params, searches), token),
  );
  on(new RequestType<MoveSlotRequest, unknown, void>(methods.moveSlot), 'plan', (view, params, token) =>
    documents.answered(view.uri, (searches) => moveSlot(view, params, searches), token),
  );
  on(new RequestType<CandidatesRequest, unknown, void>(methods.candidates), 'plan', candidates);
  on(new RequestType<LocateRequest, unknown, void>(methods.locate), 'plan', locatePath);
  on(new RequestType<PathsRequest, unknown, void>(methods.pathsAt), 'plan', pathsAt);
  on(new RequestType<BlocksRequest, unknown, void>(methods.blocksAt), 'plan', (view, params, token) =>
    documents.answeredInSteps(view.uri, (searches) => blocksAt(view, params, searches), token),
  );
  on(new RequestType<OriginRequest, unknown, void>(methods.origin), 'plan', (view, params, token) =>
    documents.answered(view.uri, (searches) => originAnswer(view, params, searches), token),
  );
  on(new RequestType<ParamEditRequest, unknown, void>(methods.paramEdit), 'plan', paramEdit);
  on(new RequestType<FindPlanRequest, unknown, void>(methods.findPlan), 'plan', plans.find);
  on(new RequestType<PlanRowRequest, unknown, void>(methods.planRow), 'plan', plans.row);
  connection.onNotification(methods.stopPlan, ({ search }: StopPlan) => plans.stop(search));
  connection.onRequest(
    new RequestType<PlanFileRequest, PlanFileAnswer, void>(methods.planFile),
    handler(log, methods.planFile, plans.file),
  );
  const progress = new ProgressType<OrderState>();
  /** Searches for shorter orders, by number. */
  const watched = new Map<number, CancellationTokenSource>();
  on(new RequestType<OrderRequest, unknown, void>(methods.orderSearch), 'figures', (view, params, token) => {
    const { partialResultToken: to } = params;
    const tell = (state: OrderState): void => {
      if (to !== undefined && !token.isCancellationRequested) void connection.sendProgress(progress, to, state);
    };
    const source = new CancellationTokenSource();
    if (params.search !== undefined) watched.set(params.search, source);
    return orderSearch(view, params, { orders, tell, enough: source.token }, token).finally(() => {
      if (params.search !== undefined) watched.delete(params.search);
    });
  });
  connection.onNotification(methods.stopOrder, ({ search }: StopOrder) => watched.get(search)?.cancel());
  on(new RequestType<CalibrateRequest, unknown, void>(methods.calibrate), 'plan', (view, params, token) =>
    documents.answered(view.uri, (searches) => calibrateFile(view, params, searches), token),
  );
  const reading = new ProgressType<RunProgress>();
  connection.onRequest(
    new RequestType<RunRequest, RunAnswer, void>(methods.readRun),
    handler(log, methods.readRun, (params: RunRequest, token: CancellationToken) => {
      if (!configuration.trusted) return { problem: 'This workspace is not trusted, so no traces are read.' };
      const { partialResultToken: to } = params;
      const tell = (progress: RunProgress): void => {
        if (to !== undefined && !token.isCancellationRequested) void connection.sendProgress(reading, to, progress);
      };
      return readRun(params, platform.runs, tell, token);
    }),
  );
  connection.onRequest(
    new RequestType<ImportRequest, ImportAnswer, void>(methods.import),
    handler(log, methods.import, importFile),
  );
  connection.onRequest(
    new RequestType<object, NewPlanChoices | null, void>(methods.newPlanChoices),
    handler(log, methods.newPlanChoices, newPlanChoices),
  );
  connection.onRequest(
    new RequestType<NewPlanRequest, NewPlanAnswer | null, void>(methods.newPlan),
    handler(log, methods.newPlan, newPlan),
  );
}
