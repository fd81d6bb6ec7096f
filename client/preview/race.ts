/** Timelines that a preview compares: the page names what it wants, and only this file knows texts and edits. */
import * as vscode from 'vscode';
import type { FromPage, RaceEntry } from '../../webview/protocol/messages.ts';
import {
  methods,
  type CandidatesAnswer,
  type CandidatesRequest,
  type PlanAnswer,
  type PlanRowAnswer,
  type PlanRequest,
  type TextEdit,
} from '../../webview/protocol/requests.ts';
import { inPlaceOf, orderOf, planned } from './comparedPlan.ts';
import { firstChange } from './firstChange.ts';
import { committedText, type OtherText } from './git.ts';
import { savedText } from './otherText.ts';
import { writeEdits } from './source.ts';
import type { PreviewContext } from './context.ts';

type RaceMessage = Extract<FromPage, { readonly type: 'race' | 'racePlan' | 'sweep' | 'endRace' | 'adopt' }>;

export interface PreviewRace {
  receive(message: RaceMessage): Promise<void>;
}

/** An answer of which the page may adopt an entry. */
interface Offered {
  readonly request: number;
  readonly uri: vscode.Uri;
  readonly version: number;
  readonly edits: readonly (readonly TextEdit[])[];
}

/** What a row of a search would write into the file. */
type RowOf = (search: number, row: number) => Promise<Exclude<PlanRowAnswer, null>>;

export function createRace({ requests, uri, overrides, post }: PreviewContext, rowOf: RowOf): PreviewRace {
  let newest = 0;
  let offered: Offered | undefined;

  /** Plans one text after the other, until the page asks for something else. */
  async function answer(request: number, of: readonly (() => Promise<Omit<RaceEntry, 'index'>>)[]): Promise<void> {
    for (const [index, make] of of.entries()) {
      const entry = await make();
      if (newest !== request) return;
      post({ type: 'entry', request, index, ...entry });
    }
    post({ type: 'entries', request, count: of.length });
  }

  const plan = (request: PlanRequest) => requests.send<PlanAnswer>(methods.plan, request);

  async function policies(file: vscode.Uri, request: number, pipeline: string): Promise<void> {
    const asked: CandidatesRequest = { uri: file.toString(), pipeline };
    const found = await requests.send<CandidatesAnswer>(methods.candidates, asked);
    if (newest !== request) return;
    const { version = 0, candidates = [] } = found ?? {};
    offered = { request, uri: file, version, edits: candidates.map(({ edits }) => edits) };
    const tried = candidates.map(({ schedule, edits }) => async () => {
      const given = await plan({ uri: file.toString(), overrides: overrides(), trial: { version, edits } });
      return { ...planned(schedule, given, pipeline), adoptable: true };
    });
    await answer(request, tried);
  }

  async function version(
    file: vscode.Uri,
    request: number,
    pipeline: string,
    [name, other]: readonly [string, OtherText],
  ): Promise<void> {
    const document = await vscode.workspace.openTextDocument(file);
    const entry = async (): Promise<Omit<RaceEntry, 'index'>> => {
      if ('problem' in other) return { name, problem: other.problem, adoptable: false };
      const now = document.getText();
      const changed = firstChange(other.text, now);
      if (changed === undefined) return { name, problem: 'The text has not changed since.', adoptable: false };
      const trial = inPlaceOf(document, other.text);
      const given = await plan({ uri: file.toString(), overrides: overrides(), trial });
      return { ...planned(name, given, pipeline), adoptable: false, changed };
    };
    await answer(request, [entry]);
  }

  async function file(request: number, pipeline: string): Promise<void> {
    const [chosen] =
      (await vscode.window.showOpenDialog({
        title: 'Compare With',
        openLabel: 'Compare',
        filters: { 'Pipeline schedules': ['pipe'] },
      })) ?? [];
    if (chosen === undefined || newest !== request) return post({ type: 'entries', request, count: 0 });
    // Only open documents are planned; the server reads it like any other.
    await vscode.workspace.openTextDocument(chosen);
    const given = await plan({ uri: chosen.toString() });
    const title = chosen.path.slice(chosen.path.lastIndexOf('/') + 1);
    const pipelines = given?.plan?.pipelines ?? [];
    const same = pipelines.filter(({ name }) => name === pipeline);
    const wanted = same.length > 0 ? same : pipelines;
    if (wanted.length === 0)
      return answer(request, [async () => ({ ...planned(title, given, pipeline), adoptable: false })]);
    const options = given?.options;
    await answer(
      request,
      wanted.map((found) => async () => ({
        ...{ name: `${title}: ${found.name}`, plan: found, options, adoptable: false },
        ...orderOf(given, found.name),
      })),
    );
  }

  async function race({ request, pipeline, against }: Extract<RaceMessage, { readonly type: 'race' }>): Promise<void> {
    const shown = uri();
    newest = request;
    if (shown === undefined) return;
    switch (against) {
      case 'policies':
        return policies(shown, request, pipeline);
      case 'saved':
        return version(shown, request, pipeline, ['last saved', await savedText(shown)]);
      case 'committed':
        return version(shown, request, pipeline, ['last commit', await committedText(shown)]);
      case 'file':
        return file(request, pipeline);
    }
  }

  /** A row of a search as it would be written. Values of sliders are in its text, if it was searched with them. */
  async function racePlan({
    request,
    pipeline,
    search,
    row,
  }: Extract<RaceMessage, { readonly type: 'racePlan' }>): Promise<void> {
    const shown = uri();
    newest = request;
    if (shown === undefined) return;
    const name = `row ${row}`;
    return answer(request, [
      async () => {
        const found = await rowOf(search, row);
        if ('problem' in found) return { name, problem: found.problem, adoptable: false };
        const given = await plan({ uri: shown.toString(), trial: found });
        return { ...planned(name, given, pipeline), adoptable: false };
      },
    ]);
  }

  return {
    async receive(message) {
      switch (message.type) {
        case 'race':
          return race(message);
        case 'racePlan':
          return racePlan(message);
        case 'sweep': {
          const shown = uri()?.toString();
          const { request, pipeline, name, values } = message;
          newest = request;
          if (shown === undefined) return;
          return answer(
            request,
            values.map((value) => async () => {
              const given = await plan({ uri: shown, overrides: { ...overrides(), [name]: value } });
              return { ...planned(String(value), given, pipeline), adoptable: false };
            }),
          );
        }
        case 'endRace':
          if (newest === message.request) newest = -1;
          return;
        case 'adopt': {
          const edits = offered?.request === message.request ? offered.edits[message.index] : undefined;
          if (offered === undefined || edits === undefined) return;
          if (await writeEdits(offered.uri, offered.version, edits)) return;
          void vscode.window.setStatusBarMessage('$(warning) Nothing was written: the file has changed.', 5000);
        }
      }
    },
  };
}
