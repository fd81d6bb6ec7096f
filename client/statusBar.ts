import * as vscode from 'vscode';
import type { ServerState } from './serverState.ts';

export interface StatusBar extends vscode.Disposable {
  readonly show: (state: ServerState) => void;
  /** File of the preview that has the focus; undefined if none has. */
  readonly previewed: (uri: vscode.Uri | undefined) => void;
}

/**
 * Shown while a `.pipe` file or its preview is the active one: the state of the language server, and a way to its output or back to
 * life. It names the file of a preview, since the editor then names no file there.
 */
export function createStatusBar(): StatusBar {
  const item = vscode.window.createStatusBarItem('pipewright.server', vscode.StatusBarAlignment.Right, 100);
  item.name = 'Pipewright';
  let now: Appearance | undefined;
  let file: vscode.Uri | undefined;
  const update = (): void => {
    if (now !== undefined)
      Object.assign(item, now, { text: file === undefined ? now.text : `${now.text}: ${nameOf(file)}` });
    if (file !== undefined || vscode.window.activeTextEditor?.document.languageId === 'pipe') item.show();
    else item.hide();
  };
  const listener = vscode.window.onDidChangeActiveTextEditor(update);
  update();
  return {
    show(state) {
      now = appearance(state);
      update();
    },
    previewed(uri) {
      file = uri;
      update();
    },
    dispose() {
      listener.dispose();
      item.dispose();
    },
  };
}

const nameOf = ({ path }: vscode.Uri): string => path.slice(path.lastIndexOf('/') + 1);

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
