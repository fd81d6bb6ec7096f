/** What previews hear: of the server, of texts, of settings, and of files that move. */
import * as vscode from 'vscode';
import { methods, type PlanChanged, type PlanEdited, type PlanFound } from '../../webview/protocol/requests.ts';
import type { Server } from '../languageClient.ts';
import { onSyncModes, syncModes } from './modes.ts';
import { movedUri } from './movedUri.ts';
import { watchMoves } from './moves.ts';
import type { Preview } from './self.ts';

/** `of`: the previews of a file. */
export function previewEvents(
  server: Server,
  previews: ReadonlySet<Preview>,
  of: (uri: vscode.Uri) => readonly Preview[],
): readonly vscode.Disposable[] {
  function modesChanged(): void {
    for (const preview of previews) preview.modesChanged();
    if (!syncModes().outlineAtCursor) for (const preview of previews) preview.highlight([]);
  }
  return [
    server.client.onNotification(methods.planChanged, (changed: PlanChanged) => {
      // The server may spell a uri otherwise than the editor does.
      const uri = vscode.Uri.parse(changed.uri);
      for (const preview of of(uri)) void preview.refresh();
      for (const preview of previews) preview.beside.planned(uri);
    }),
    server.client.onNotification(methods.planFound, (found: PlanFound) => {
      for (const preview of previews) preview.planFound(found);
    }),
    server.client.onNotification(methods.planEdited, (edited: PlanEdited) => {
      for (const preview of previews) preview.planEdited(edited);
    }),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      for (const preview of of(document.uri)) preview.edited(document.version);
      for (const preview of previews) preview.beside.edited(document.uri, document.version);
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      for (const preview of previews) preview.beside.closed(uri);
    }),
    onSyncModes(modesChanged),
    watchMoves({
      moved(from, to) {
        for (const preview of previews) {
          preview.beside.moved(from, to);
          const uri = preview.uri();
          const next = uri === undefined ? undefined : movedUri(uri, from, to);
          if (next !== undefined) preview.moved(next);
        }
      },
      deleted(uri, renamed) {
        for (const preview of of(uri)) preview.gone(renamed);
        for (const preview of previews) preview.beside.changedOnDisk(uri);
      },
      created(uri) {
        for (const preview of of(uri)) preview.gone(undefined);
        for (const preview of previews) preview.beside.changedOnDisk(uri);
      },
      textOf: (uri) => of(uri)[0]?.text(),
    }),
  ];
}
