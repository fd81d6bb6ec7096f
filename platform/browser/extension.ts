/** The extension in an editor that runs in a browser: the server is a worker. */
import * as vscode from 'vscode';
import { BrowserMessageReader, BrowserMessageWriter, LanguageClient, State } from 'vscode-languageclient/browser';
import * as extension from '../../client/extension.ts';
import { workerOf } from './workerOf.ts';

export function activate(context: vscode.ExtensionContext): void {
  extension.activate(context, (folder, options) => {
    const module = vscode.Uri.joinPath(folder, 'dist', 'server.browser.js').toString(true);
    let worker: Worker | undefined;
    // The client does not recognise a worker that the editor has wrapped, so it gets the two ends.
    const start = () => {
      worker = workerOf(module, 'pipewright server');
      return Promise.resolve({ reader: new BrowserMessageReader(worker), writer: new BrowserMessageWriter(worker) });
    };
    const client = new LanguageClient('pipewright', 'Pipewright', start, options);
    // No process ends here when its server has said goodbye.
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Stopped) worker?.terminate();
    });
    return client;
  });
}

export const { deactivate } = extension;
