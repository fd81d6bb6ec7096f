/** Wires the features to a connection. Knows the protocol, but not what the features do. */
import type { Session } from './session.ts';
import type { Connection, Disposable } from 'vscode-languageserver';
import type { Platform } from '../platform/common/platform.ts';
import { methods, type PlanChanged } from '../webview/protocol/requests.ts';
import { abilitiesOf, offered } from './capabilities.ts';
import { configure } from './configuration.ts';
import { createAnswers } from './threads/answers.ts';
import { createBetterPolicies } from './searches/betterPolicies.ts';
import { createChoiceLists } from './completion/choiceLists.ts';
import { createDocuments, type Documents } from './documents/documents.ts';
import { describe, type Log } from './handlers.ts';
import { createLastLenses } from './lastLenses.ts';
import { answerRefused } from './lifecycle.ts';
import { addressOnDisk } from './addressOnDisk.ts';
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
import { createSender, type Sender } from './sender.ts';
import { followTexts } from './texts.ts';
import { createLongRequests } from './longRequests.ts';
import { createReports } from './reports.ts';
import { createClosedFiles } from './closedFiles.ts';
import { createTokenResults } from './tokenResults.ts';
import { createThreads, type Threads } from './threads/threads.ts';
import { createSurroundings } from './surroundings.ts';

export interface ServerOptions {
  readonly platform: Platform;
  /** Uri of the folder `docs/`, with a slash at the end; pages are not linked without it. */
  readonly docs?: string;
  /** Replaces the files of the workspace, for instance for a host without a disk. */
  readonly files?: (workspace: Files) => Files;
  /**
   * Works ahead of requests: starts a thread once the first document is checked, so that the first large simulation does not wait
   * for it. Also looks for better policies and shorter orders.
   */
  readonly ahead?: boolean;
  /** Milliseconds that a request takes before its progress is shown. */
  readonly patience?: number;
  /** Threads for checks and requests, and for each search over settings. Default: new ones. */
  readonly threads?: () => Threads;
}

/** Serves one client until it goes away. */
export function startServer(connection: Connection, server: ServerOptions): Disposable {
  const { platform } = server;
  const { send, close } = createSender();
  const log = logOf(connection, send);
  const configuration = configure(connection, log);
  const around = createSurroundings({
    ...{ connection, platform, configuration },
    documents: () => documents,
    encoding: () => session.abilities.encoding,
  });
  const files = server.files?.(around.files) ?? around.files;
  const threads = server.threads?.() ?? createThreads({ start: platform.startThread });
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
      // What it was saved as is not what was read of it before.
      around.changed([uri]);
      publisher.closed(uri);
      configuration.shown.closed(uri);
    },
    failed(uri, error) {
      log.error(`check ${uri}: ${describe(error)}`);
      publisher.failed(uri, syntaxIn(documents, uri));
    },
  });
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
    platform,
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
  const copies = platform.copies?.();
  const session: Session = {
    connection,
    platform,
    documents,
    files,
    configuration,
    log: { ...log, ...(files.arriving === undefined ? {} : { arriving: files.arriving }) },
    choices,
    fixes,
    names: createNameIndex(),
    plans: sweeps,
    orders,
    lenses: createLastLenses(),
    starters,
    tokens: createTokenResults(),
    reports: createReports({ documents, refresh: () => configuration.refreshFindings }),
    closedFiles: createClosedFiles(files, answers, () => configuration.options),
    address: (uri) => (session.abilities.documents || copies === undefined ? uri : addressOnDisk(copies, uri)),
    abilities: abilitiesOf({}),
    docs: server.docs,
  };

  connection.onInitialize((params) => {
    const given = configuration.initialize(params);
    session.abilities = abilitiesOf(params.capabilities, given);
    session.docs = given.docs ?? server.docs;
    return { capabilities: offered(session.abilities), serverInfo: { name: 'pipewright' } };
  });
  configuration.onChange(() => documents.recheck());
  configuration.onFiles((uris) => {
    around.changed(uris);
    documents.filesChanged(uris);
  });
  answerRefused(connection);
  registerFeatures(session, createLongRequests(connection, server.patience));
  registerRequests(session);
  /** What is being looked for of a document is of its earlier text. */
  function stop(uri: string): void {
    for (const each of [choices, fixes, policies, orders, starters]) each.stop(uri);
    sweeps.changed(uri);
  }
  const texts = followTexts(connection, () => session.abilities.encoding, {
    changed({ uri, version }, text) {
      documents.set(uri, version, text);
      session.lenses.edited(uri, text);
      stop(uri);
    },
    closed(uri) {
      documents.close(uri);
      for (const each of [session.lenses, session.tokens]) each.closed(uri);
      stop(uri);
    },
  });
  connection.listen();
  return {
    dispose() {
      close();
      texts.dispose();
      // A check that ended later would start a thread.
      for (const uri of documents.uris()) {
        documents.close(uri);
        stop(uri);
      }
      threads.close();
      sweeps.close();
      copies?.close();
      connection.dispose();
    },
  };
}

const logOf = (connection: Connection, send: Sender): Log => ({
  trace: (message) => send(() => connection.tracer.log(message)),
  error: (message) => send(() => connection.console.error(message)),
});

/** Undefined also where reading the text is what failed; the log has said so. */
function syntaxIn(documents: Documents, uri: string): SyntaxView | undefined {
  try {
    return documents.syntax(uri);
  } catch {
    return undefined;
  }
}
