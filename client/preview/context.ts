import type * as vscode from 'vscode';
import type { ToPage } from '../../webview/protocol/messages.ts';
import type { Overrides } from '../../webview/protocol/requests.ts';
import type { LongRequests, Requests } from '../languageClient.ts';

/** What each part of a preview may ask of it. */
export interface PreviewContext {
  readonly requests: Requests & LongRequests;
  /** The file on show. */
  uri(): vscode.Uri | undefined;
  /** Where the sliders are. */
  overrides(): Overrides;
  /** Turns the sliders. */
  setOverrides(next: Overrides): void;
  post(message: ToPage): void;
  /** Asks for the plan of the newest text and shows it, with what is tried. Of several calls only the answer of the last is shown. */
  refresh(): Promise<void>;
}
