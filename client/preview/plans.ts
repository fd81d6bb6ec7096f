/** Searches for the fastest plan that a preview asks for. The page names rows; the server knows their texts. */
import * as vscode from 'vscode';
import type { FromPage, ToPage } from '../../webview/protocol/messages.ts';
import {
  type FindPlanAnswer,
  type FindPlanRequest,
  methods,
  type PlanFileAnswer,
  type PlanFileRequest,
  type PlanFound,
  type PlanRowAnswer,
  type PlanRowRequest,
  type StopPlan,
} from '../../webview/protocol/requests.ts';
import { exportName } from '../exportName.ts';
import type { Requests } from '../languageClient.ts';
import type { TriedFix } from './help.ts';
import { writeEdits } from './source.ts';

type PlanMessage = Extract<
  FromPage,
  { readonly type: 'findPlan' | 'stopPlan' | 'writePlan' | 'showPlan' | 'savePlan' }
>;

export interface PreviewPlansHost {
  readonly requests: Requests;
  uri(): vscode.Uri | undefined;
  post(message: ToPage): void;
  /** Shows the plan again, with the row that is tried. */
  refresh(): Promise<void>;
}

/** Numbers of searches, of all previews. */
let searches = 0;

export function createPlans({ requests, uri, post, refresh }: PreviewPlansHost) {
  /** The newest search of the page. */
  let current:
    { readonly search: number; readonly request: number; readonly uri: vscode.Uri; pipeline: string } | undefined;
  let trying: TriedFix | undefined;

  async function find({ request, pipeline, more }: Extract<PlanMessage, { readonly type: 'findPlan' }>) {
    const file = uri();
    if (file === undefined) return;
    searches += 1;
    const search = searches;
    current = { search, request, uri: file, pipeline: pipeline ?? '' };
    const asked: FindPlanRequest = {
      uri: file.toString(),
      search,
      ...(pipeline === undefined ? {} : { pipeline }),
      ...(more === undefined ? {} : { more }),
    };
    const answer = await requests.send<FindPlanAnswer>(methods.findPlan, asked);
    if (current?.search !== search) return;
    if (answer === undefined || answer === null)
      return post({ type: 'planEnd', request, problem: 'The language server gave no answer. Search again.' });
    if ('outdated' in answer) return post({ type: 'planOutdated', request });
    post({ type: 'planEnd', request, ...answer });
  }

  /** The search that the page means, if it is still the newest one for this file. */
  const of = (request: number) =>
    current?.request === request && current.uri.toString() === uri()?.toString() ? current : undefined;

  const note = (request: number, text: string): void => post({ type: 'planNote', request, text });

  async function row(request: number, wanted: number): Promise<Exclude<PlanRowAnswer, null> | undefined> {
    const found = of(request);
    if (found === undefined) return undefined;
    const asked: PlanRowRequest = { uri: found.uri.toString(), search: found.search, row: wanted };
    const answer = await requests.send<PlanRowAnswer>(methods.planRow, asked);
    return answer ?? { problem: 'The language server gave no answer. Search again.' };
  }

  async function write({ request, row: wanted }: Extract<PlanMessage, { readonly type: 'writePlan' }>) {
    const file = uri();
    const answer = await row(request, wanted);
    trying = undefined;
    if (answer === undefined || file === undefined) return refresh();
    if ('problem' in answer) {
      note(request, answer.problem);
      return refresh();
    }
    const isWritten = await writeEdits(file, answer.version, answer.edits);
    note(request, isWritten ? `Row ${wanted} is in the file now.` : 'Nothing was written: the file has changed.');
    if (!isWritten) await refresh();
  }

  async function show({ request, row: wanted }: Extract<PlanMessage, { readonly type: 'showPlan' }>): Promise<void> {
    const answer = wanted < 0 ? undefined : await row(request, wanted);
    if (answer !== undefined && 'problem' in answer) note(request, answer.problem);
    trying =
      answer === undefined || 'problem' in answer
        ? undefined
        : { title: `Row ${wanted}`, trial: { version: answer.version, edits: answer.edits } };
    await refresh();
  }

  async function save({ request, format }: Extract<PlanMessage, { readonly type: 'savePlan' }>): Promise<void> {
    const found = of(request);
    if (found === undefined) return;
    const asked: PlanFileRequest = { uri: found.uri.toString(), search: found.search, format };
    const answer = await requests.send<PlanFileAnswer>(methods.planFile, asked);
    if (answer === undefined || answer === null) return;
    if ('problem' in answer) return note(request, answer.problem);
    const target = await vscode.window.showSaveDialog({
      title: 'Save the Points of the Search',
      defaultUri: vscode.Uri.joinPath(found.uri, '..', exportName(found.uri.path, `${found.pipeline}-plan`, format)),
      filters: { [format.toUpperCase()]: [format] },
    });
    if (target === undefined) return;
    try {
      await vscode.workspace.fs.writeFile(target, Buffer.from(answer.text, 'utf8'));
      note(request, `Saved ${target.path.slice(target.path.lastIndexOf('/') + 1)}.`);
    } catch (error) {
      note(request, `${target.fsPath} was not written: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  return {
    receive(message: PlanMessage): Promise<void> | void {
      switch (message.type) {
        case 'findPlan':
          return find(message);
        case 'stopPlan': {
          const found = of(message.request);
          if (found !== undefined) requests.notify(methods.stopPlan, { search: found.search } satisfies StopPlan);
          return undefined;
        }
        case 'writePlan':
          return write(message);
        case 'showPlan':
          return show(message);
        case 'savePlan':
          return save(message);
      }
    },
    /** What a search has found; searches of other previews are left out. */
    found({ search, ...found }: PlanFound): void {
      if (current?.search !== search) return;
      if (found.head !== undefined) current.pipeline = found.head.pipeline;
      post({ type: 'planFound', request: current.request, ...found });
    },
    outdated(search: number): void {
      if (current?.search === search) post({ type: 'planOutdated', request: current.request });
    },
    /** The row on show; undefined once the text has another version. */
    tried(version: number): TriedFix | undefined {
      if (trying !== undefined && trying.trial.version !== version) trying = undefined;
      return trying;
    },
    /** The text has changed: a row on show has to end. */
    edited(version: number): void {
      if (trying !== undefined && trying.trial.version !== version) void refresh();
    },
    /** The preview shows another file, or its page is gone: nobody waits for the search. */
    forget(): void {
      if (current !== undefined) requests.notify(methods.stopPlan, { search: current.search } satisfies StopPlan);
      current = undefined;
      trying = undefined;
    },
  };
}
