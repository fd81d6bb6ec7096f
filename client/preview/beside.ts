/** What a preview shows under its file: another file or pipeline, whose text it follows, or a version of its file. */
import * as vscode from 'vscode';
import type { BesideEntry, FromPage } from '../../webview/protocol/messages.ts';
import {
  methods,
  type PlanAnswer,
  type PlannedAnswer,
  type PlannedRequest,
  type PlanRequest,
} from '../../webview/protocol/requests.ts';
import { type BesideChoice, chooseBeside, isBesideAllowed } from './chooseBeside.ts';
import { inPlaceOf } from './comparedPlan.ts';
import { createFreshness, waiting } from './freshness.ts';
import { committedText } from './git.ts';
import { movedUri } from './movedUri.ts';
import { opened } from './opened.ts';
import { locate, type Target } from './source.ts';
import { titleOf } from './titles.ts';
import type { PreviewContext } from './context.ts';

type Shown = Omit<BesideEntry, 'pair'>;

/** Edits of the file while a version of it is planned: the plan is asked for again, so often. */
const mostTries = 5;

export function createBeside(context: PreviewContext) {
  const { requests, post } = context;
  let choice: BesideChoice | undefined;
  let pair = 0;
  let asked = 0;
  /** Key of the plan that the page has. */
  let key: string | undefined;
  /** A version of the file: it is planned once. */
  let fixed: Shown | undefined;

  const file = (): vscode.Uri | undefined => (choice !== undefined && 'uri' in choice ? choice.uri : undefined);
  const isBelow = (uri: vscode.Uri): boolean => file()?.toString() === uri.toString();
  const freshness = createFreshness({
    planned: () => requests.send<PlannedAnswer>(methods.planned, { uri: String(file()) } satisfies PlannedRequest),
    shown: () => key,
    refresh,
    tell: (late) => post({ type: 'besideLate', late }),
    later: waiting,
  });
  const plan = (request: PlanRequest) => requests.send<PlanAnswer>(methods.plan, request);

  async function refresh(): Promise<void> {
    if (choice === undefined) return;
    asked += 1;
    const mine = asked;
    const shown = 'uri' in choice ? await following(choice) : (fixed ??= await version(choice));
    if (mine === asked && shown !== undefined) post({ type: 'beside', pair, ...shown });
  }

  async function following({
    uri,
    pipeline,
  }: {
    readonly uri: vscode.Uri;
    readonly pipeline?: string;
  }): Promise<Shown> {
    const title = besideTitle(uri);
    const of = { title, ...(pipeline === undefined ? {} : { pipeline }) };
    if ((await opened(uri)) === undefined) return { ...of, problem: `${title} was renamed or deleted.` };
    const answer = await plan({ uri: uri.toString() });
    if (answer === undefined || answer === null)
      return { ...of, problem: 'The language server gives no answer.', broken: true };
    key = answer.key;
    return { ...of, ...planOf(answer) };
  }

  async function version({
    commit,
    note,
  }: {
    readonly commit: string;
    readonly note: string;
  }): Promise<Shown | undefined> {
    const uri = context.uri();
    const of = { title: `commit ${commit.slice(0, 7)}`, note };
    const document = uri === undefined ? undefined : await opened(uri);
    if (uri === undefined || document === undefined) return undefined;
    const other = await committedText(uri, commit);
    if ('problem' in other) return { ...of, problem: other.problem };
    for (let tries = 0; tries < mostTries; tries += 1) {
      const trial = inPlaceOf(document, other.text);
      const answer = await plan({ uri: uri.toString(), trial });
      if (answer === undefined || answer === null) break;
      if (document.version !== trial.version) continue;
      const { broken: _, ...shown } = planOf(answer);
      return { ...of, ...shown };
    }
    return { ...of, problem: 'The language server gave no answer.' };
  }

  /** The name of a file; with its folders if it is called as the file on show. */
  function besideTitle(uri: vscode.Uri): string {
    const own = context.uri();
    const isOther = own?.toString() !== uri.toString();
    return isOther && own !== undefined && titleOf(own) === titleOf(uri)
      ? vscode.workspace.asRelativePath(uri)
      : titleOf(uri);
  }

  function begin(chosen: BesideChoice): Promise<void> {
    choice = chosen;
    pair += 1;
    fixed = undefined;
    key = undefined;
    freshness.forget();
    return refresh();
  }

  function forget(): void {
    asked += 1;
    choice = undefined;
    fixed = undefined;
    freshness.forget();
  }

  return {
    isOpen: (): boolean => choice !== undefined,
    /** Asks the reader what to show. `known`: it is known already. */
    async choose(known?: BesideChoice): Promise<void> {
      const uri = context.uri();
      const chosen = known ?? (uri === undefined ? undefined : await chooseBeside(requests, uri));
      if (chosen === undefined || ('uri' in chosen && !isBesideAllowed(chosen.uri))) return;
      await begin(chosen);
    },
    /** The page has closed the comparison with that number. */
    end(message: Extract<FromPage, { readonly type: 'endBeside' }>): void {
      if (message.pair === pair) forget();
    },
    /** The place of a path of what is below. */
    async source(path: string): Promise<Target | undefined> {
      const uri = file();
      return uri === undefined ? undefined : locate(requests, uri, path);
    },
    refresh,
    forget,
    /** The server has another plan of a file. */
    planned(uri: vscode.Uri): void {
      if (isBelow(uri)) void refresh();
    },
    edited(uri: vscode.Uri, next: number): void {
      if (isBelow(uri)) freshness.edited(next);
    },
    /** The editor closes what it shows nowhere after some time; the server plans what is open only. */
    closed(uri: vscode.Uri): void {
      if (isBelow(uri)) void refresh();
    },
    moved(from: vscode.Uri, to: vscode.Uri): void {
      const uri = file();
      const next = uri === undefined ? undefined : movedUri(uri, from, to);
      if (next === undefined || choice === undefined) return;
      choice = { ...choice, uri: next };
      void refresh();
    },
    /** A file was deleted, or is there again. */
    changedOnDisk(uri: vscode.Uri): void {
      if (isBelow(uri)) void refresh();
    },
  };
}

function planOf({
  plan,
  problem,
  options,
  orders,
}: PlanAnswer): Pick<Shown, 'plans' | 'options' | 'orders' | 'problem' | 'broken'> {
  if (plan === undefined) {
    const line = problem === undefined ? '' : `Line ${problem.range.start.line + 1}: `;
    return { problem: `${line}${problem?.message ?? 'It has no plan.'}`, broken: true };
  }
  return { plans: plan.pipelines, options, ...(orders === undefined ? {} : { orders }) };
}
