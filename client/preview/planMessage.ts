import type * as vscode from 'vscode';
import type { ShownContents, ToPage } from '../../webview/protocol/messages.ts';
import type { FileContents, PlanAnswer } from '../../webview/protocol/requests.ts';
import type { ServerState } from '../serverState.ts';
import type { PreviewMemory } from './memory.ts';
import { titleOf } from './titles.ts';

/** The file was renamed or deleted. */
export const goneMessage = (file: vscode.Uri, { asked, renamed }: PreviewMemory): ToPage => ({
  type: 'gone',
  uri: file.toString(),
  title: titleOf(file),
  version: asked,
  ...(renamed === undefined ? {} : { renamed: titleOf(renamed) }),
});

/**
 * What the page gets for the server's answer. Numbered by the preview: the versions of a document start again when it is closed and
 * opened. `trying`: title of what is on show that the file does not have.
 */
export function planMessage(
  file: vscode.Uri,
  answer: PlanAnswer | undefined,
  { asked, chosen, overrides }: PreviewMemory,
  trying: string | undefined,
  server: ServerState,
): ToPage {
  const of = { uri: file.toString(), version: asked };
  const title = titleOf(file);
  if (answer === undefined || answer === null)
    return server.kind === 'stopped'
      ? { type: 'stopped', ...of, message: `The language server has stopped. ${server.reason}` }
      : { type: 'broken', ...of, message: 'The language server is starting.' };
  const { plan, problem, options, contents, schedules, orders } = answer;
  if (plan === undefined)
    return { type: 'broken', ...of, message: problem?.message ?? `${title} has no plan.`, range: problem?.range };
  return {
    type: 'plan',
    ...of,
    ...{ title, plan, overrides, options, trying, schedules, orders },
    pipeline: chosen,
    contents: shownContents(contents),
  };
}

/** The page names the addition; its edit stays here. */
function shownContents(contents: FileContents | undefined): ShownContents | undefined {
  if (contents?.addition === undefined) return contents;
  const { declared, addition } = contents;
  return { declared, addition: { title: addition.title, assumptions: addition.assumptions } };
}
