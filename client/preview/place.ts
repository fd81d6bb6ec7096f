/** The place of a preview's page: an editor tab, or the view that docks in the bottom panel or a side bar. */
import * as vscode from 'vscode';

export interface Place {
  readonly kind: 'tab' | 'view';
  readonly webview: vscode.Webview;
  isVisible(): boolean;
  /** It has the focus. */
  isActive(): boolean;
  /** Group of editors that it is in; a view is in none. */
  column(): vscode.ViewColumn | undefined;
  rename(title: string): void;
  /** Brings it to the front; the focus stays where it is. */
  reveal(): void;
  /** Brings it to the front, and gives it the focus. */
  focus(): void;
  close(): void;
  onVisibility(changed: () => void): vscode.Disposable;
  onClosed(closed: () => void): vscode.Disposable;
}

export function tabPlace(panel: vscode.WebviewPanel, extension: vscode.Uri): Place {
  panel.iconPath = vscode.Uri.joinPath(extension, 'images', 'icon.png');
  return {
    kind: 'tab',
    webview: panel.webview,
    isVisible: () => panel.visible,
    isActive: () => panel.active,
    column: () => panel.viewColumn,
    rename: (title) => {
      panel.title = title;
    },
    reveal: () => panel.reveal(undefined, true),
    focus: () => panel.reveal(undefined, false),
    close: () => panel.dispose(),
    onVisibility: (changed) => panel.onDidChangeViewState(changed),
    onClosed: (closed) => panel.onDidDispose(closed),
  };
}

export function viewPlace(view: vscode.WebviewView): Place {
  return {
    kind: 'view',
    webview: view.webview,
    isVisible: () => view.visible,
    isActive: () => false,
    column: () => undefined,
    rename: (title) => {
      view.description = title;
    },
    reveal: () => view.show(true),
    focus: () => view.show(false),
    // The editor owns the view: it has no way to be closed from here.
    close: () => undefined,
    onVisibility: (changed) => view.onDidChangeVisibility(changed),
    onClosed: (closed) => view.onDidDispose(closed),
  };
}
