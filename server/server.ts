/** Wires the features to a connection. Knows the protocol, but not what the features do. */
import type { Session } from './session.ts';
import { TextDocuments, type Connection, type Disposable } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { methods, type PlanChanged } from '../webview/protocol/requests.ts';
import { abilitiesOf, capabilities } from './capabilities.ts';
import { configure } from './configuration.ts';
import { createAnswers } from './threads/answers.ts';
import { createBetterPolicies } from './searches/betterPolicies.ts';
import { createChoiceLists } from './completion/choiceLists.ts';
import { createDocuments, type Documents } from './documents/documents.ts';
import { diagnosticsOf, diagnosticsOfFailure } from './features/diagnostics.ts';
import { describe, type Log } from './handlers.ts';
import { answerRefused } from './lifecycle.ts';
import { registerFeatures } from './registration.ts';
import { registerRequests } from './requests/registration.ts';
import { planKey } from './requests/plan.ts';
import { createPlanSearches } from './searches/planSearches.ts';
import { createNameIndex } from './names/fileNames.ts';
import { createProgress } from './progress.ts';
import { createQuickFixes } from './searches/quickFixes.ts';
import { createShorterOrders } from './searches/shorterOrders.ts';
import type { Files, SyntaxView, View } from './view.ts';
import { createThreads } from './threads/threads.ts';
import { createWorkspace } from './workspace.ts';

export interface ServerOptions {
  /** Uri of the folder `docs/`, with a slash at the end; pages are not linked without it. */
  readonly docs?: string;
  /** Replaces the files of the workspace, for instance for a host without a disk. */
  readonly files?: (workspace: Files) => Files;
  /**
   * Works ahead of requests: starts a thread once the first document is checked, so that the first large simulation does not wait
   * for it. Also looks for better policies and shorter orders.
   */
  readonly ahead?: boolean;
}

/** Serves one client until it goes away. */
export function startServer(connection: Connection, server: ServerOptions = {}): Disposable {
  const log: Log = {
    trace: (message) => send(() => connection.tracer.log(message)),
    error: (message) => send(() => connection.console.error(message)),
  };
  let open = true;
  /** A client that has gone away hears nothing; that is no failure. */
  function send(message: () => unknown): void {
    if (!open) return;
    try {
      void Promise.resolve(message()).catch(() => {});
    } catch {
      open = false;
    }
  }
  const texts = new TextDocuments(TextDocument);
  const configuration = configure(connection, log);
  const files = (server.files ?? ((onDisk) => onDisk))(
    createWorkspace({
      open: (uri) => documents.text(uri),
      openUris: () => documents.uris(),
      folders: () => configuration.folders,
      trusted: () => configuration.trusted,
      sizeLimit: () => configuration.options.limits.fileSize,
    }),
  );
  const threads = createThreads();
  const answers = createAnswers(threads);
  const documents: Documents = createDocuments({
    files,
    answers,
    ready: configuration.ready,
    options: () => configuration.options,
    checked(checked, edited) {
      sweeps.changed(checked.uri);
      const view = extended(checked) ?? checked;
      progress.hide(view.uri);
      publish(view);
      // An editor gives up its own request for lenses when its text loses the focus, which may be before the figures are there.
      if (haveMoved(view) || !edited) refresh(view.uri);
      planned(view);
      if (server.ahead === true) {
        threads.ahead();
        policies.ahead(checked);
        orders.ahead(checked);
      }
      if (session.abilities.codeActions) fixes.ahead(view);
    },
    planned,
    untested(view) {
      publish(view);
      if (haveMoved(view)) refresh(view.uri);
    },
    waiting(view) {
      progress.show(view);
      publish(view);
    },
    closed(uri) {
      progress.hide(uri);
      published.delete(uri);
      plans.delete(uri);
      figures.delete(uri);
      configuration.shown.closed(uri);
      send(() => connection.sendDiagnostics({ uri, diagnostics: [] }));
    },
    failed(uri, error) {
      progress.hide(uri);
      published.delete(uri);
      log.error(`check ${uri}: ${describe(error)}`);
      const view = syntaxOf(uri);
      if (view === undefined) return;
      const diagnostics = diagnosticsOfFailure(view, session.docs);
      send(() => connection.sendDiagnostics({ uri, version: view.version, diagnostics }));
    },
  });
  /** Undefined also where reading the text is what failed; the log has said so. */
  function syntaxOf(uri: string): SyntaxView | undefined {
    try {
      return documents.syntax(uri);
    } catch {
      return undefined;
    }
  }
  const figures = new Map<string, View['analysis']['pipelines']>();
  /** Whether a pipeline was simulated anew since the last check of the document. */
  function haveMoved({ uri, analysis: { pipelines } }: View): boolean {
    const before = figures.get(uri);
    figures.set(uri, pipelines);
    return before?.length !== pipelines.length || pipelines.some((pipeline, index) => pipeline !== before[index]);
  }
  /** What nobody shows needs none, and an editor that is asked too often is late with what it shows. */
  function refresh(uri: string): void {
    if (configuration.shown.has(uri)) send(configuration.refresh);
  }
  const plans = new Map<string, string>();
  function planned(view: View): void {
    const key = planKey(view);
    if (plans.get(view.uri) === key) return;
    plans.set(view.uri, key);
    const changed: PlanChanged = { uri: view.uri, version: view.version };
    send(() => connection.sendNotification(methods.planChanged, changed));
  }
  const progress = createProgress(connection, send);
  /** What was published last of each document: its version and diagnostics. */
  const published = new Map<string, string>();
  /** A list that is published early, and is whole then, is not published again. */
  function publish(view: View): void {
    const { uri, version } = view;
    const diagnostics = diagnosticsOf(view, session.docs, session.abilities);
    const key = JSON.stringify([version, diagnostics]);
    if (published.get(uri) === key) return;
    published.set(uri, key);
    send(() => connection.sendDiagnostics({ uri, version, diagnostics }));
  }
  const choices = createChoiceLists(documents, (error) => log.error(`completion: ${describe(error)}`));
  const fixes = createQuickFixes(documents, (error) => log.error(`fixes: ${describe(error)}`));
  /** The view of a check with what is known by now of its pipelines. Undefined where that is nothing, or where there is a newer text. */
  const extended = (checked: View) => documents.extend(checked, [...policies.named(checked), ...orders.known(checked)]);
  function found(checked: View): void {
    const view = extended(checked);
    if (view === undefined) return;
    publish(view);
    if (session.abilities.codeActions) fixes.ahead(view);
  }
  const policies = createBetterPolicies({
    ...{ answers, found },
    failed: (error) => log.error(`policies: ${describe(error)}`),
  });
  const orders = createShorterOrders({ answers, found, failed: (error) => log.error(`orders: ${describe(error)}`) });
  const sweeps = createPlanSearches({
    documents,
    found: (part) => send(() => connection.sendNotification(methods.planFound, part)),
    edited: (edited) => send(() => connection.sendNotification(methods.planEdited, edited)),
  });
  const session: Session = {
    connection,
    documents,
    configuration,
    log,
    choices,
    fixes,
    names: createNameIndex(),
    plans: sweeps,
    orders,
    abilities: abilitiesOf({}),
    docs: server.docs,
  };

  connection.onInitialize((params) => {
    const given = configuration.initialize(params);
    session.abilities = abilitiesOf(params.capabilities, given.previews);
    session.docs = given.docs ?? server.docs;
    return { capabilities, serverInfo: { name: 'pipewright' } };
  });
  configuration.onChange(() => documents.recheck());
  configuration.onFiles((uris) => documents.filesChanged(uris));
  answerRefused(connection);
  registerFeatures(session);
  registerRequests(session);
  const listening = [
    // Opening a document raises this event too.
    texts.onDidChangeContent(({ document }) => {
      documents.set(document.uri, document.version, document.getText());
      choices.stop(document.uri);
      fixes.stop(document.uri);
      policies.stop(document.uri);
      orders.stop(document.uri);
      sweeps.changed(document.uri);
    }),
    texts.onDidClose(({ document }) => {
      documents.close(document.uri);
      choices.stop(document.uri);
      fixes.stop(document.uri);
      policies.stop(document.uri);
      orders.stop(document.uri);
      sweeps.changed(document.uri);
    }),
    texts.listen(connection),
  ];
  connection.listen();
  return {
    dispose() {
      open = false;
      for (const disposable of listening) disposable.dispose();
      threads.close();
      sweeps.close();
      connection.dispose();
    },
  };
}
