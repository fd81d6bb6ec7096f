/** Searches for the fastest plan that a preview asks for. The page names rows; the server knows their texts. */
import * as vscode from 'vscode';
import type { FromPage } from '../../webview/protocol/messages.ts';
import {
  type FindPlanAnswer,
  type FindPlanRequest,
  methods,
  type Overrides,
  type PlanEdited,
  type PlanFileAnswer,
  type PlanFileRequest,
  type PlanFound,
  type PlanRowAnswer,
  type PlanRowRequest,
  type StopPlan,
} from '../../webview/protocol/requests.ts';
import { exportName } from '../exportName.ts';
import type { TriedFix } from './help.ts';
import { type KeptPlan, keptPlan, type PlanNews } from './keptPlan.ts';
import { writeEdits } from './source.ts';
import type { PreviewContext } from './context.ts';

type PlanMessage = Extract<
  FromPage,
  { readonly type: 'findPlan' | 'stopPlan' | 'planView' | 'writePlan' | 'showPlan' | 'savePlan' }
>;

/** The newest search of a file. */
interface Search {
  readonly uri: vscode.Uri;
  /** Number that the server knows it by. */
  number: number;
  readonly kept: KeptPlan;
}

/** Numbers of searches, of all previews. */
let searches = 0;
/** Files whose searches a preview keeps; the server keeps them as long as the files are open. */
const mostKept = 8;

export function createPlans({ requests, uri, overrides, setOverrides, post, refresh }: PreviewContext) {
  const known = new Map<string, Search>();
  let trying: TriedFix | undefined;
  /** Sliders as they were before a row was shown, whose figures are of the file. */
  let before: Overrides | undefined;

  const shown = (): Search | undefined => known.get(uri()?.toString() ?? '');

  /** The search that the page means, if it is still the newest one for this file. */
  function of(request: number): Search | undefined {
    const search = shown();
    return search?.kept.request === request ? search : undefined;
  }

  /** Keeps what has become of a search, and shows it if its file is on show. */
  function tell(search: Search, news: PlanNews): void {
    search.kept.add(news);
    if (shown() === search) post(news);
  }

  async function find({ request, pipeline, more, overrides: values }: Extract<PlanMessage, { type: 'findPlan' }>) {
    const file = uri();
    if (file === undefined) return;
    searches += 1;
    const number = searches;
    const last = shown();
    const isMore = more === true && last !== undefined;
    if (isMore) {
      last.number = number;
      last.kept.goesOn(request);
    }
    const search = isMore ? last : { uri: file, number, kept: keptPlan(request, pipeline) };
    known.delete(file.toString());
    known.set(file.toString(), search);
    for (const oldest of known.keys()) if (known.size > mostKept) known.delete(oldest);
    const asked: FindPlanRequest = {
      uri: file.toString(),
      search: number,
      ...(pipeline === undefined ? {} : { pipeline }),
      ...(more === undefined ? {} : { more }),
      ...(values === undefined ? {} : { overrides: values }),
    };
    const answer = await requests.send<FindPlanAnswer>(methods.findPlan, asked);
    if (search.number !== number) return;
    const { request: now } = search.kept;
    if (answer === undefined || answer === null)
      tell(search, { type: 'planEnd', request: now, problem: 'The language server gave no answer. Search again.' });
    else if ('outdated' in answer) tell(search, { type: 'planEdited', request: now, matters: true });
    else tell(search, { type: 'planEnd', request: now, ...answer });
  }

  const note = (search: Search, text: string): void =>
    tell(search, { type: 'planNote', request: search.kept.request, text });

  async function row(search: Search, wanted: number): Promise<Exclude<PlanRowAnswer, null>> {
    const asked: PlanRowRequest = { uri: search.uri.toString(), search: search.number, row: wanted };
    const answer = await requests.send<PlanRowAnswer>(methods.planRow, asked);
    return answer ?? { problem: 'The language server gave no answer. Search again.' };
  }

  /** The row on show ends, and sliders that were not moved since are as before. */
  function endTrial(): void {
    trying = undefined;
    if (before !== undefined && Object.keys(overrides()).length === 0) setOverrides(before);
    before = undefined;
  }

  async function write({ request, row: wanted }: Extract<PlanMessage, { readonly type: 'writePlan' }>) {
    const search = of(request);
    const answer = search === undefined ? undefined : await row(search, wanted);
    endTrial();
    if (search === undefined || answer === undefined) return refresh();
    search.kept.tried = undefined;
    if ('problem' in answer) {
      note(search, answer.problem);
      return refresh();
    }
    const isWritten = await writeEdits(search.uri, answer.version, answer.edits);
    note(search, isWritten ? `Row ${wanted} was written into the file.` : 'Nothing was written: the file has changed.');
    // Without a change of the text, nothing else shows the file again.
    if (!isWritten || answer.edits.every(({ newText }) => newText === '')) await refresh();
  }

  async function show({ request, row: wanted }: Extract<PlanMessage, { readonly type: 'showPlan' }>): Promise<void> {
    const search = of(request);
    const answer = search === undefined || wanted < 0 ? undefined : await row(search, wanted);
    endTrial();
    if (search !== undefined) search.kept.tried = undefined;
    if (search !== undefined && answer !== undefined) {
      if ('problem' in answer) note(search, answer.problem);
      else {
        trying = { title: `Row ${wanted}`, trial: { version: answer.version, edits: answer.edits } };
        search.kept.tried = wanted;
        before = overrides();
        setOverrides({});
      }
    }
    await refresh();
  }

  async function save({ request, format }: Extract<PlanMessage, { readonly type: 'savePlan' }>): Promise<void> {
    const search = of(request);
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
      await vscode.workspace.fs.writeFile(target, Buffer.from(answer.text, 'utf8'));
      note(search, `Saved ${target.path.slice(target.path.lastIndexOf('/') + 1)}.`);
    } catch (error) {
      note(search, `${target.fsPath} was not written: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  const stop = ({ number }: Search): void => requests.notify(methods.stopPlan, { search: number } satisfies StopPlan);

  const numbered = (number: number): Search | undefined =>
    [...known.values()].find((search) => search.number === number);

  return {
    receive(message: PlanMessage): Promise<void> | void {
      switch (message.type) {
        case 'findPlan':
          return find(message);
        case 'stopPlan': {
          const search = of(message.request);
          if (search !== undefined) stop(search);
          return undefined;
        }
        case 'planView': {
          const search = of(message.request);
          if (search !== undefined) search.kept.isOpen = message.open;
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
    found({ search: number, ...found }: PlanFound): void {
      const search = numbered(number);
      if (search !== undefined) tell(search, { type: 'planFound', request: search.kept.request, ...found });
    },
    edited({ search: number, ...edited }: PlanEdited): void {
      const search = numbered(number);
      if (search === undefined) return;
      // Nobody can come back to it.
      if (edited.matters && shown() !== search) known.delete(search.uri.toString());
      tell(search, { type: 'planEdited', request: search.kept.request, ...edited });
    },
    /** The row on show; undefined once the text has another version. */
    tried(version: number): TriedFix | undefined {
      if (trying !== undefined && trying.trial.version !== version) endTrial();
      return trying;
    },
    /** The text has changed: a row on show has to end. */
    textChanged(version: number): void {
      if (trying !== undefined && trying.trial.version !== version) void refresh();
    },
    /** What the page needs of the search of the file on show. */
    resume(): void {
      const search = shown();
      if (search !== undefined) post(search.kept.message(search.uri.toString()));
    },
    /** The preview shows another file: no row of this one is shown any more. */
    leave(): void {
      endTrial();
      const search = shown();
      if (search !== undefined) search.kept.tried = undefined;
    },
    /** The preview is closed: nobody waits for its searches. */
    closed(): void {
      for (const search of known.values()) stop(search);
      known.clear();
      trying = undefined;
      before = undefined;
    },
  };
}
