/** What a preview shows under its file: another file or pipeline, whose text it follows, or a version of its file. */
import * as vscode from 'vscode';
import type { FromPage } from '../../webview/protocol/messages.ts';
import { methods, type PlannedAnswer, type PlannedRequest, type RunText } from '../../webview/protocol/requests.ts';
import { createBesideRun } from './besideRun.ts';
import { type Below, createBesideTexts } from './besideTexts.ts';
import { type BesideChoice, chooseBeside, isBesideAllowed } from './chooseBeside.ts';
import type { PreviewContext } from './context.ts';
import { createFreshness, waiting } from './freshness.ts';
import { movedUri } from './movedUri.ts';
import { locate, type Target } from './source.ts';

export function createBeside(context: PreviewContext) {
  const { requests } = context;
  let choice: BesideChoice | undefined;
  let pair = 0;
  let asked = 0;
  /** Key of the plan that the page has. */
  let key: string | undefined;
  /** A version of the file: it is planned once. */
  let fixed: Below | undefined;

  const post = (below: Below): void => context.post({ type: 'beside', pair, ...below });
  const texts = createBesideTexts(context);
  const recorded = createBesideRun(requests, post);
  const file = (): vscode.Uri | undefined => (choice !== undefined && 'uri' in choice ? choice.uri : undefined);
  const isBelow = (uri: vscode.Uri): boolean => file()?.toString() === uri.toString();
  const freshness = createFreshness({
    planned: () => requests.send<PlannedAnswer>(methods.planned, { uri: String(file()) } satisfies PlannedRequest),
    shown: () => key,
    refresh,
    tell: (late) => context.post({ type: 'besideLate', late }),
    later: waiting,
  });

  async function refresh(): Promise<void> {
    if (choice === undefined) return;
    asked += 1;
    const mine = asked;
    if ('run' in choice) return recorded.show(choice.run);
    const below = 'uri' in choice ? await newest(choice) : (fixed ??= await texts.version(choice));
    if (mine === asked && below !== undefined) post(below);
  }

  async function newest(of: Parameters<typeof texts.newest>[0]): Promise<Below> {
    const found = await texts.newest(of);
    key = found.key ?? key;
    return found.below;
  }

  function begin(chosen: BesideChoice): Promise<void> {
    recorded.forget();
    choice = chosen;
    pair += 1;
    fixed = undefined;
    key = undefined;
    freshness.forget();
    return refresh();
  }

  function forget(): void {
    recorded.forget();
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
      if ('run' in chosen && !vscode.workspace.isTrusted) return;
      await begin(chosen);
    },
    /** The run that is below, once it is read. */
    run: (): RunText | undefined => recorded.run(),
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
