/** Starts with the first `.pipe` file or a preview that the editor restores. */
import * as vscode from 'vscode';
import { createServer, type Server } from './languageClient.ts';
import { documentSchemes } from './documentUris.ts';
import { exportTarget, exportTimeline } from './exportTimeline.ts';
import { namedDocument } from './namedDocument.ts';
import { openLinks } from './openLinks.ts';
import { pipeDocument } from './pipeDocument.ts';
import { providePolicyDocuments } from './policyDocuments.ts';
import { createServerNotices } from './serverNotices.ts';
import { createPreviews, type Previews } from './preview/panels.ts';
import { createStatusBar } from './statusBar.ts';

let server: Server | undefined;
let previews: Previews | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const output = vscode.window.createOutputChannel('Pipewright', { log: true });
  const statusBar = createStatusBar();
  const notices = createServerNotices();
  const running = createServer(context, output, (state) => {
    statusBar.show(state);
    notices.show(state);
    if (state.kind === 'running' || state.kind === 'stopped') previews?.serverChanged();
  });
  server = running;
  previews = createPreviews(context, running, output, statusBar.previewed);
  const shown = previews;
  const openPreview =
    (another: boolean) =>
    (target?: unknown, pipeline?: unknown): void => {
      const uri = targetOf(target) ?? shown.shownFile();
      if (uri !== undefined) shown.open(uri, typeof pipeline === 'string' ? pipeline : undefined, another);
    };
  context.subscriptions.push(
    output,
    statusBar,
    notices,
    running,
    shown,
    providePolicyDocuments(running),
    openLinks(context.extensionUri, shown.restore),
    vscode.commands.registerCommand('pipewright.openPreview', openPreview(false)),
    vscode.commands.registerCommand('pipewright.openAnotherPreview', openPreview(true)),
    vscode.commands.registerCommand('pipewright.compare', (target?: unknown, pipeline?: unknown) => {
      const uri = targetOf(target) ?? shown.shownFile();
      if (uri !== undefined) shown.compare(uri, typeof pipeline === 'string' ? pipeline : undefined);
    }),
    vscode.commands.registerCommand('pipewright.comparePreview', (target?: unknown, other?: unknown) => {
      const uri = targetOf(target) ?? shown.shownFile();
      return uri === undefined ? undefined : shown.compareWith(uri, otherOf(other));
    }),
    vscode.commands.registerCommand('pipewright.findPlan', (target?: unknown, pipeline?: unknown) => {
      const uri = targetOf(target) ?? shown.shownFile();
      if (uri !== undefined) shown.findPlan(uri, typeof pipeline === 'string' ? pipeline : undefined);
    }),
    vscode.commands.registerCommand('pipewright.findOrder', (target?: unknown, pipeline?: unknown) => {
      const uri = targetOf(target) ?? shown.shownFile();
      if (uri !== undefined) shown.findOrder(uri, typeof pipeline === 'string' ? pipeline : undefined);
    }),
    vscode.commands.registerCommand(
      'pipewright.exportTimeline',
      async (target?: unknown, pipeline?: unknown, known?: unknown) => {
        const uri = targetOf(target) ?? shown.shownFile();
        const named = typeof pipeline === 'string' ? pipeline : undefined;
        if (uri !== undefined)
          await exportTimeline(running, { uri: uri.toString(), pipeline: named }, exportTarget(known));
      },
    ),
    vscode.commands.registerCommand('pipewright.followActiveFile', () => shown.follow(true)),
    vscode.commands.registerCommand('pipewright.pinPreview', () => shown.follow(false)),
    vscode.commands.registerCommand('pipewright.restartServer', () => running.restart()),
    vscode.commands.registerCommand('pipewright.showOutput', () => output.show(true)),
  );
  void running.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** Another extension names a file; menus pass other things. */
const otherOf = (other: unknown): vscode.Uri | undefined =>
  other instanceof vscode.Uri || typeof other === 'string' ? targetOf(other) : undefined;

/** A code lens passes a string, menus a uri, the key and the palette nothing. */
function targetOf(target: unknown): vscode.Uri | undefined {
  // The menu of a preview's tab passes the address of its page.
  if (target instanceof vscode.Uri && documentSchemes.includes(target.scheme)) return target;
  if (typeof target === 'string') return namedDocument(target);
  const document = vscode.window.activeTextEditor?.document;
  return document !== undefined && pipeDocument(document) ? document.uri : undefined;
}
