import * as vscode from 'vscode';
import { methods, type PlanFileAnswer, type PlanFileRequest } from '../../webview/protocol/requests.ts';
import { exportName } from '../exportName.ts';
import type { Requests } from '../languageClient.ts';
import type { Search } from './keptSearches.ts';

/** Saves the points of a search where the reader says. */
export async function savePlan(
  requests: Requests,
  search: Search | undefined,
  format: PlanFileRequest['format'],
  note: (search: Search, text: string) => void,
): Promise<void> {
  if (search === undefined) return;
  const asked: PlanFileRequest = { uri: search.uri.toString(), search: search.number, format };
  const answer = await requests.send<PlanFileAnswer>(methods.planFile, asked);
  if (answer === undefined || answer === null) return;
  if ('problem' in answer) return note(search, answer.problem);
  const { head } = search.kept.message('').found;
  const name = `${head?.pipeline ?? search.kept.pipeline ?? ''}-plan`;
  const target = await vscode.window.showSaveDialog({
    title: 'Save the Points of the Search',
    defaultUri: vscode.Uri.joinPath(search.uri, '..', exportName(search.uri.path, name, format)),
    filters: { [format.toUpperCase()]: [format] },
  });
  if (target === undefined) return;
  try {
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(answer.text));
    note(search, `Saved ${target.path.slice(target.path.lastIndexOf('/') + 1)}.`);
  } catch (error) {
    note(search, `${target.fsPath} was not written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
