/** The place of a preview, as the editor's API has it. */
import type { Disposable, Uri } from './values.ts';

export interface Webview {
  html: string;
  options: unknown;
  readonly cspSource: string;
  asWebviewUri(uri: Uri): Uri;
  postMessage(message: unknown): Promise<boolean>;
  onDidReceiveMessage(heard: (message: unknown) => void): unknown;
}

/** The preview next to the editor: it follows the file that is in the editor. */
export interface PreviewView {
  readonly webview: Webview;
  readonly visible: boolean;
  description?: string;
  show(preserveFocus: boolean): void;
  onDidChangeVisibility(changed: () => void): Disposable;
  onDidDispose(disposed: () => void): Disposable;
}
