/** Plans of texts that a preview compares with its file. */
import type * as vscode from 'vscode';
import type { RaceEntry } from '../../webview/protocol/messages.ts';
import type { PlanAnswer, PlanRequest, TextEdit } from '../../webview/protocol/requests.ts';

/** The pipeline's plan in an answer, or why there is none. */
export function planned(
  name: string,
  given: PlanAnswer | undefined,
  pipeline: string,
): {
  readonly name: string;
  readonly plan?: RaceEntry['plan'];
  readonly options?: PlanAnswer['options'];
  readonly order?: RaceEntry['order'];
  readonly problem?: string;
} {
  const found = given?.plan?.pipelines.find((candidate) => candidate.name === pipeline);
  if (found !== undefined) return { name, plan: found, options: given?.options, ...orderOf(given, pipeline) };
  const none = `${pipeline} has no plan in this text.`;
  return { name, problem: given?.problem?.message ?? none };
}

/** The order that the server has found for a pipeline: the page does not search it again. */
export function orderOf(given: PlanAnswer | undefined, pipeline: string): Pick<RaceEntry, 'order'> {
  const order = given?.orders?.[pipeline];
  return order === undefined ? {} : { order };
}

/** Another text in place of all of a document: the imports of the document stay as they are. */
export function inPlaceOf(document: vscode.TextDocument, text: string): NonNullable<PlanRequest['trial']> {
  const end = document.positionAt(document.getText().length);
  const range: TextEdit['range'] = {
    start: { line: 0, character: 0 },
    end: { line: end.line, character: end.character },
  };
  return { version: document.version, edits: [{ range, newText: text }] };
}
