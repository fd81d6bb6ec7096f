/** Starts with the first `.pipe` file or a preview that the editor restores. */
import * as vscode from 'vscode';
import { createServer, type Server } from './languageClient.ts';
import { namedDocument } from './namedDocument.ts';
import { policyScheme, providePolicyDocuments } from './policyDocuments.ts';
import { createPreviews } from './preview/panels.ts';
import { createStatusBar } from './statusBar.ts';

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const output = vscode.window.createOutputChannel('Pipewright', { log: true });
  const statusBar = createStatusBar();
  const running = createServer(context, output, statusBar.show);
  server = running;
  const previews = createPreviews(context.extensionUri, running, output);
  const openPreview = (target?: unknown, pipeline?: unknown): void => {
    const uri = targetOf(target);
    if (uri !== undefined) previews.open(uri, typeof pipeline === 'string' ? pipeline : undefined);
  };
  context.subscriptions.push(
    output,
    statusBar,
    running,
    previews,
    providePolicyDocuments(running),
    vscode.commands.registerCommand('pipewright.openPreview', openPreview),
    vscode.commands.registerCommand('pipewright.restartServer', () => running.restart()),
    vscode.commands.registerCommand('pipewright.showOutput', () => output.show(true)),
  );
  void running.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** A code lens passes a string, menus a uri, the key and the palette nothing. */
function targetOf(target: unknown): vscode.Uri | undefined {
  if (target instanceof vscode.Uri) return target;
  if (typeof target === 'string') return namedDocument(target);
  const document = vscode.window.activeTextEditor?.document;
  return document?.languageId === 'pipe' && document.uri.scheme !== policyScheme ? document.uri : undefined;
}
