/** What the page writes into the file on show. */
import * as vscode from 'vscode';
import {
  methods,
  type CompletionAnswer,
  type CompletionRequest,
  type PlanAnswer,
  type PlanRequest,
} from '../../webview/protocol/requests.ts';
import type { PreviewContext } from './context.ts';
import { writeEdits, writeParam } from './source.ts';
import { titleOf } from './titles.ts';

const shownFor = 5000;
const warn = (message: string): void => void vscode.window.setStatusBarMessage(`$(warning) ${message}`, shownFor);

/** Writes the value of a slider, which then is where the file has it. */
export async function writeSlider(context: PreviewContext, name: string, value: number): Promise<void> {
  const { requests, uri, overrides, setOverrides, refresh } = context;
  const file = uri();
  if (file === undefined) return;
  if (!(await writeParam(requests, file, name, value)))
    return warn(`${name} was not written: ${titleOf(file)} does not set it to a number, or has just changed.`);
  const { [name]: _, ...rest } = overrides();
  setOverrides(rest);
  await refresh();
}

/** Writes the operations that rows lack. */
export async function writeMissing({ requests, uri }: PreviewContext, pipeline: string): Promise<void> {
  const file = uri();
  if (file === undefined) return;
  const asked: CompletionRequest = { uri: file.toString(), pipeline };
  const answer = await requests.send<CompletionAnswer>(methods.completion, asked);
  if (answer && (await writeEdits(file, answer.version, answer.edits))) return;
  const reason = answer ? 'the file has just changed' : 'no text for these rows runs, or it would be very long';
  warn(`The missing operations were not written: ${reason}.`);
}

/** Asks anew: what the page shows may be older than the text. */
export async function addPipeline({ requests, uri }: PreviewContext): Promise<void> {
  const file = uri();
  if (file === undefined) return;
  const request: PlanRequest = { uri: file.toString(), whole: true };
  const answer = await requests.send<PlanAnswer>(methods.plan, request);
  const edit = answer?.contents?.addition?.edit;
  if (edit !== undefined && (await writeEdits(file, answer?.version ?? -1, [edit]))) return;
  warn('No pipeline was added: the file has just changed.');
}
