/** A calibrated file next to the file as it is, until the reader accepts or discards it. */
import * as vscode from 'vscode';
import type { TextEdit } from '../../webview/protocol/requests.ts';
import { toRange, writeEdits } from '../preview/source.ts';

const scheme = 'pipewright-calibrated';

export interface Offer {
  readonly uri: vscode.Uri;
  readonly version: number;
  readonly edits: readonly TextEdit[];
}

export interface CalibratedDiff extends vscode.Disposable {
  /** Opens the diff. */
  show(offer: Offer): Promise<void>;
  /** Writes what is offered for a file; without `of`, what the active diff offers. */
  accept(of?: vscode.Uri): Promise<void>;
  discard(of?: vscode.Uri): Promise<void>;
}

export function createCalibratedDiff(): CalibratedDiff {
  const offers = new Map<string, Offer & { readonly text: string }>();
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    onDidChange: changed.event,
    provideTextDocumentContent: (uri) => offers.get(uri.query)?.text,
  });
  /** The file is named by the query: the path gives the tab its name, and the text its language. */
  const shownAs = (uri: vscode.Uri): vscode.Uri => vscode.Uri.from({ scheme, path: uri.path, query: uri.toString() });

  function activeOffer(of: vscode.Uri | undefined): (Offer & { readonly text: string }) | undefined {
    if (of !== undefined) return offers.get(of.scheme === scheme ? of.query : of.toString());
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    return input instanceof vscode.TabInputTextDiff ? offers.get(input.modified.query) : undefined;
  }

  async function close({ uri }: Offer): Promise<void> {
    offers.delete(uri.toString());
    const wanted = shownAs(uri).toString();
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await vscode.window.tabGroups.close(
      tabs.filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === wanted),
    );
  }

  return {
    async show(offer) {
      const document = await vscode.workspace.openTextDocument(offer.uri);
      const name = offer.uri.path.slice(offer.uri.path.lastIndexOf('/') + 1);
      offers.set(offer.uri.toString(), { ...offer, text: edited(document, offer.edits) });
      const shown = shownAs(offer.uri);
      changed.fire(shown);
      await vscode.commands.executeCommand('vscode.diff', offer.uri, shown, `${name} ↔ with the times of the run`);
    },
    async accept(of) {
      const offer = activeOffer(of);
      if (offer === undefined) return;
      const isWritten = await writeEdits(offer.uri, offer.version, offer.edits);
      await close(offer);
      if (!isWritten)
        void vscode.window.showErrorMessage('Nothing was written: the file has changed. Calibrate it again.');
    },
    async discard(of) {
      const offer = activeOffer(of);
      if (offer !== undefined) await close(offer);
    },
    dispose() {
      provider.dispose();
      changed.dispose();
    },
  };
}

/** The text of a document after edits that do not overlap. */
function edited(document: vscode.TextDocument, edits: readonly TextEdit[]): string {
  const text = document.getText();
  let [result, at] = ['', 0];
  for (const { range, newText } of edits) {
    const { start, end } = toRange(range);
    result += text.slice(at, document.offsetAt(start)) + newText;
    at = document.offsetAt(end);
  }
  return result + text.slice(at);
}
