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
import { describe, type Log } from './handlers.ts';
import { createLastLenses } from './lastLenses.ts';
import { answerRefused } from './lifecycle.ts';
import { registerFeatures } from './registration.ts';
import { mayStart } from './requests/plan.ts';
import { registerRequests } from './requests/registration.ts';
import { createPlanSearches } from './searches/planSearches.ts';
import { createNameIndex } from './names/fileNames.ts';
import { createPublisher } from './publisher.ts';
import { createQuickFixes } from './searches/quickFixes.ts';
import { createShorterOrders } from './searches/shorterOrders.ts';
import { createStarters } from './searches/starters.ts';
import type { Files, SyntaxView, View } from './view.ts';
import { createSender } from './sender.ts';
import { createThreads, type Threads } from './threads/threads.ts';
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
  /** Threads for checks and requests, and for each search over settings. Default: new ones. */
  readonly threads?: () => Threads;
}

/** Serves one client until it goes away. */
export function startServer(connection: Connection, server: ServerOptions = {}): Disposable {
  const { send, close } = createSender();
  const log: Log = {
    trace: (message) => send(() => connection.tracer.log(message)),
    error: (message) => send(() => connection.console.error(message)),
  };
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
  const threads = (server.threads ?? createThreads)();
  const answers = createAnswers(threads);
  const documents: Documents = createDocuments({
    files,
    answers,
    ready: configuration.ready,
    options: () => configuration.options,
    checked(checked, edited) {
      sweeps.changed(checked.uri);
      const view = extended(checked) ?? checked;
      publisher.checked(view, edited);
      publisher.plan(view);
      if (server.ahead === true) {
        threads.ahead();
        policies.ahead(checked);
        orders.ahead(checked);
      }
      if (session.abilities.codeActions) fixes.ahead(view);
      starters.ahead(checked);
    },
    planned: (view) => publisher.plan(view),
    untested: (view) => publisher.untested(view),
    waiting: (view) => publisher.waiting(view),
    closed(uri) {
      publisher.closed(uri);
      configuration.shown.closed(uri);
    },
    failed(uri, error) {
      log.error(`check ${uri}: ${describe(error)}`);
      publisher.failed(uri, syntaxOf(uri));
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
  const publisher = createPublisher(connection, send, () => session);
  const choices = createChoiceLists(documents, (error) => log.error(`completion: ${describe(error)}`));
  const fixes = createQuickFixes(documents, (error) => log.error(`fixes: ${describe(error)}`));
  /** The view of a check with what is known by now of its pipelines. Undefined where that is nothing, or where there is a newer text. */
  const extended = (checked: View) => documents.extend(checked, [...policies.named(checked), ...orders.known(checked)]);
  function found(checked: View): void {
    const view = extended(checked);
    if (view === undefined) return;
    publisher.findings(view);
    if (session.abilities.codeActions) fixes.ahead(view);
  }
  const policies = createBetterPolicies({
    ...{ answers, found },
    failed: (error) => log.error(`policies: ${describe(error)}`),
  });
  const orders = createShorterOrders({ answers, found, failed: (error) => log.error(`orders: ${describe(error)}`) });
  const sweeps = createPlanSearches({
    documents,
    threads: server.threads,
    found: (part) => send(() => connection.sendNotification(methods.planFound, part)),
    edited: (edited) => send(() => connection.sendNotification(methods.planEdited, edited)),
  });
  const starters = createStarters({
    ...{ documents, mayStart },
    found: ({ uri, version }) =>
      send(() => connection.sendNotification(methods.planChanged, { uri, version } satisfies PlanChanged)),
    failed: (error) => log.error(`starters: ${describe(error)}`),
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
    lenses: createLastLenses(),
    starters,
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
  /** What is being looked for of a document is of its earlier text. */
  function stop(uri: string): void {
    for (const each of [choices, fixes, policies, orders, starters]) each.stop(uri);
    sweeps.changed(uri);
  }
  const listening = [
    // Opening a document raises this event too.
    texts.onDidChangeContent(({ document }) => {
      documents.set(document.uri, document.version, document.getText());
      session.lenses.edited(document.uri, document.getText());
      stop(document.uri);
    }),
    texts.onDidClose(({ document }) => {
      documents.close(document.uri);
      session.lenses.closed(document.uri);
      stop(document.uri);
    }),
    texts.listen(connection),
  ];
  connection.listen();
  return {
    dispose() {
      close();
      for (const disposable of listening) disposable.dispose();
      threads.close();
      sweeps.close();
      connection.dispose();
    },
  };
}
