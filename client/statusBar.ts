import * as vscode from 'vscode';
import type { ServerState } from './serverState.ts';

/** Shown while a `.pipe` file is the active one: the state of its language server, and a way to its output or back to life. */
export function createStatusBar(): { readonly show: (state: ServerState) => void } & vscode.Disposable {
  const item = vscode.window.createStatusBarItem('pipewright.server', vscode.StatusBarAlignment.Right, 100);
  item.name = 'Pipewright';
  const follow = (editor: vscode.TextEditor | undefined): void => {
    if (editor?.document.languageId === 'pipe') item.show();
    else item.hide();
  };
  const listener = vscode.window.onDidChangeActiveTextEditor(follow);
  follow(vscode.window.activeTextEditor);
  return {
    show(state) {
      Object.assign(item, appearance(state));
    },
    dispose() {
      listener.dispose();
      item.dispose();
    },
  };
}

type Appearance = Pick<vscode.StatusBarItem, 'text' | 'tooltip' | 'command' | 'backgroundColor'>;

function appearance(state: ServerState): Appearance {
  const output = 'pipewright.showOutput';
  switch (state.kind) {
    case 'starting':
      return {
        text: '$(sync~spin) Pipewright',
        tooltip: 'The language server is starting.',
        command: output,
        backgroundColor: undefined,
      };
    case 'running':
      return {
        text: '$(check) Pipewright',
        tooltip: 'The language server is running. Select to see its output.',
        command: output,
        backgroundColor: undefined,
      };
    case 'restarting':
      return {
        text: '$(sync~spin) Pipewright',
        tooltip: `The language server ended and is starting again (attempt ${state.attempt}).`,
        command: output,
        backgroundColor: undefined,
      };
    case 'stopped':
      return {
        text: '$(error) Pipewright',
        tooltip: `The language server is not running: ${state.reason} Select to start it again.`,
        command: 'pipewright.restartServer',
        backgroundColor: new vscode.ThemeColor('statusBarItem.errorBackground'),
      };
  }
}
