/** Tells the client what is known of its documents by now, and nothing twice. */
import type { Connection, Diagnostic } from 'vscode-languageserver';
import { methods, type PlanChanged } from '../webview/protocol/requests.ts';
import { diagnosticsOf, diagnosticsOfFailure } from './features/diagnostics.ts';
import type { Sender } from './sender.ts';
import { createProgress } from './progress.ts';
import { planKey } from './requests/plan.ts';
import type { Session } from './session.ts';
import type { SyntaxView, View } from './view.ts';

export interface Publisher {
  /** Findings, unless the same list went out before: one that is published early may be whole. */
  findings(view: View): void;
  /** That the plans or figures of a document are still to come. */
  waiting(view: View): void;
  /** What a check gives for a text before the tests of its schedules. */
  untested(view: View): void;
  /** What a check gives for a text; `edited` where this text was just written. */
  checked(view: View, edited: boolean): void;
  /** The plan, where it differs from the last one. */
  plan(view: View): void;
  /** A check that failed: the findings of its syntax, where it has one. */
  failed(uri: string, view: SyntaxView | undefined): void;
  closed(uri: string): void;
}

export function createPublisher(
  connection: Connection,
  send: Sender,
  session: () => Pick<Session, 'docs' | 'abilities' | 'configuration' | 'reports'>,
): Publisher {
  const progress = createProgress(connection, send);
  /** What was published last of each document: its version and diagnostics. */
  const published = new Map<string, { readonly version: number; readonly diagnostics: readonly Diagnostic[] }>();
  const figures = new Map<string, View['analysis']['pipelines']>();
  const plans = new Map<string, string>();

  /** Whether a pipeline was simulated anew since the last check of the document. */
  function haveMoved({ uri, analysis: { pipelines } }: View): boolean {
    const before = figures.get(uri);
    figures.set(uri, pipelines);
    return before?.length !== pipelines.length || pipelines.some((pipeline, index) => pipeline !== before[index]);
  }

  /** What nobody shows needs none, and an editor that is asked too often is late with what it shows. */
  function refresh(uri: string): void {
    const { configuration } = session();
    if (configuration.shown.has(uri)) send(configuration.refresh);
  }

  function findings(view: View): void {
    const { docs, abilities } = session();
    give(view.uri, view.version, diagnosticsOf(view, docs, abilities));
  }

  /** A client that asks for findings gets them only then. */
  function give(uri: string, version: number, diagnostics: Diagnostic[]): void {
    const { abilities, reports } = session();
    if (abilities.pulls) {
      reports.put(uri, version, diagnostics);
      return;
    }
    const before = published.get(uri);
    if (before?.version === version && JSON.stringify(before.diagnostics) === JSON.stringify(diagnostics)) return;
    published.set(uri, { version, diagnostics });
    send(() => connection.sendDiagnostics({ uri, version, diagnostics }));
  }

  return {
    findings,
    waiting(view) {
      progress.show(view);
      findings(view);
    },
    untested(view) {
      findings(view);
      if (haveMoved(view)) refresh(view.uri);
    },
    checked(view, edited) {
      progress.hide(view.uri);
      findings(view);
      // An editor gives up its own request for lenses when its text loses the focus, which may be before the figures are there.
      if (haveMoved(view) || !edited) refresh(view.uri);
    },
    plan(view) {
      const key = planKey(view);
      if (plans.get(view.uri) === key) return;
      plans.set(view.uri, key);
      const changed: PlanChanged = { uri: view.uri, version: view.version };
      send(() => connection.sendNotification(methods.planChanged, changed));
    },
    failed(uri, view) {
      progress.hide(uri);
      published.delete(uri);
      const { abilities, docs } = session();
      if (view !== undefined) give(uri, view.version, diagnosticsOfFailure(view, docs));
      // Whoever has asked is answered.
      else if (abilities.pulls) give(uri, 0, []);
    },
    closed(uri) {
      progress.hide(uri);
      published.delete(uri);
      plans.delete(uri);
      figures.delete(uri);
      const { abilities, reports } = session();
      if (abilities.pulls) reports.closed(uri);
      else send(() => connection.sendDiagnostics({ uri, diagnostics: [] }));
    },
  };
}
