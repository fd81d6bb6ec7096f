/** The extension in an editor with processes: the server is one of them. */
import * as vscode from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import * as extension from '../../client/extension.ts';
import { registerAgents } from './agents/agents.ts';
import { registerTasks } from './tasks.ts';

const debugging = { execArgv: ['--nolazy', '--inspect=6018'] };

export function activate(context: vscode.ExtensionContext): void {
  extension.activate(context, (folder, options) => {
    const module = vscode.Uri.joinPath(folder, 'dist', 'server.js').fsPath;
    const run = { module, transport: TransportKind.ipc };
    return new LanguageClient('pipewright', 'Pipewright', { run, debug: { ...run, options: debugging } }, options);
  });
  context.subscriptions.push(registerAgents(context), registerTasks(context));
}

export const { deactivate } = extension;
