import type * as vscode from 'vscode';
import type { PreviewState } from '../../webview/protocol/messages.ts';
import type { Overrides } from '../../webview/protocol/requests.ts';

/** What a preview remembers. */
export interface PreviewMemory {
  /** The file on show; undefined while none has been active yet. */
  uri: vscode.Uri | undefined;
  /** The pipeline to show first. */
  chosen: string | undefined;
  following: boolean;
  overrides: Overrides;
  /** The newest text that was shown. */
  text: string | undefined;
  /** The file is gone, and this one appeared with its text. */
  renamed: vscode.Uri | undefined;
  /** Key of the plan that the page has. */
  key: string | undefined;
  /** Sliders of a link that was opened before the page listened: they replace the sliders of its last session. */
  linked: Overrides | undefined;
  /** Plans that were asked for. */
  asked: number;
}

/** The places of the sliders when a page starts: as an opened link says, otherwise as in the page's last session with this file. */
export function slidersOnStart(
  {
    linked,
    overrides,
    uri,
  }: Pick<PreviewMemory, 'linked' | 'overrides'> & { readonly uri: { toString(): string } | undefined },
  state: PreviewState | undefined,
): Overrides {
  if (linked !== undefined) return linked;
  return uri !== undefined && state?.uri === uri.toString() ? (state.overrides ?? overrides) : overrides;
}
