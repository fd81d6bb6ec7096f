/** Asks what a preview shows under its file: a version of it, another pipeline of it, or another file. */
import * as vscode from 'vscode';
import { methods, type PlanAnswer, type PlanRequest } from '../../webview/protocol/requests.ts';
import { mayCompare } from '../documentUris.ts';
import type { Requests } from '../languageClient.ts';
import { commitsOf } from './git.ts';
import { chooseRun } from '../runs/chooseRun.ts';
import { opened } from './opened.ts';
import { titleOf } from './titles.ts';

/** A file whose text is followed, or a commit of the file on show. */
export type BesideChoice =
  | { readonly uri: vscode.Uri; readonly pipeline?: string }
  | { readonly commit: string; readonly note: string }
  /** A recorded run: files and folders. */
  | { readonly run: readonly vscode.Uri[] };

type Item = vscode.QuickPickItem & { readonly choice?: BesideChoice | 'dialog' | 'run' };

const most = { commits: 10, files: 300 };
const separator = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator });

export async function chooseBeside(requests: Requests, uri: vscode.Uri): Promise<BesideChoice | undefined> {
  const picked = await vscode.window.showQuickPick(itemsFor(requests, uri), {
    title: `Compare the Preview of ${titleOf(uri)} with`,
    placeHolder: 'A version, a pipeline, a file or a recorded run',
    matchOnDescription: true,
  });
  if (picked?.choice === 'run') return chooseBesideRun();
  const choice = picked?.choice === 'dialog' ? await askFile() : picked?.choice;
  if (choice === undefined || !('uri' in choice) || choice.pipeline !== undefined) return choice;
  return choosePipeline(requests, choice.uri);
}

export async function chooseBesideRun(): Promise<BesideChoice | undefined> {
  const run = await chooseRun('Compare with a Recorded Run');
  return run === undefined ? undefined : { run };
}

export const isBesideAllowed = (uri: vscode.Uri): boolean =>
  mayCompare(uri, {
    isTrusted: vscode.workspace.isTrusted,
    inWorkspace: vscode.workspace.getWorkspaceFolder(uri) !== undefined,
  });

/** Names of the pipelines of a file, and of schedules that are shown without one. */
async function pipelinesOf(requests: Requests, uri: vscode.Uri): Promise<readonly string[]> {
  if ((await opened(uri)) === undefined) return [];
  const asked: PlanRequest = { uri: uri.toString() };
  const answer = await requests.send<PlanAnswer>(methods.plan, asked);
  return answer?.plan?.pipelines.map(({ name }) => name) ?? [];
}

async function choosePipeline(requests: Requests, uri: vscode.Uri): Promise<BesideChoice | undefined> {
  const names = await pipelinesOf(requests, uri);
  if (names.length < 2) return { uri };
  const pipeline = await vscode.window.showQuickPick([...names], {
    title: `Compare with a Pipeline of ${titleOf(uri)}`,
    placeHolder: 'Pipeline',
  });
  return pipeline === undefined ? undefined : { uri, pipeline };
}

async function askFile(): Promise<BesideChoice | undefined> {
  const [uri] =
    (await vscode.window.showOpenDialog({
      title: 'Compare With',
      openLabel: 'Compare',
      filters: { 'Pipeline schedules': ['pipe'] },
    })) ?? [];
  return uri === undefined ? undefined : { uri };
}

async function itemsFor(requests: Requests, uri: vscode.Uri): Promise<Item[]> {
  const [commits, pipelines, found] = await Promise.all([
    commitsOf(uri, most.commits),
    pipelinesOf(requests, uri),
    vscode.workspace.findFiles('**/*.pipe', undefined, most.files),
  ]);
  const { isTrusted } = vscode.workspace;
  const seen = new Set([uri.toString()]);
  const may = (other: vscode.Uri): boolean => {
    if (seen.has(other.toString())) return false;
    seen.add(other.toString());
    return isBesideAllowed(other);
  };
  const inTabs = vscode.window.tabGroups.all.flatMap(({ tabs }) =>
    tabs.flatMap(({ input }) =>
      input instanceof vscode.TabInputText && input.uri.path.endsWith('.pipe') ? [input.uri] : [],
    ),
  );
  const fileItem = (other: vscode.Uri): Item => ({
    label: `$(file) ${titleOf(other)}`,
    description: vscode.workspace.asRelativePath(other),
    choice: { uri: other },
  });
  const title = titleOf(uri);
  const others = pipelines.length < 2 ? [] : pipelines;
  return [
    ...group('Open files', inTabs.filter(may).map(fileItem)),
    ...group(`Versions of ${title}`, commits.map(commitItem)),
    ...group(
      `Pipelines of ${title}`,
      others.map((pipeline): Item => ({ label: `$(graph) ${pipeline}`, choice: { uri, pipeline } })),
    ),
    ...group('Files of the workspace', found.filter(may).toSorted(byPath).map(fileItem)),
    ...(isTrusted
      ? [
          separator(''),
          { label: 'Another file…', choice: 'dialog' } satisfies Item,
          { label: 'A recorded run…', description: 'traces of its ranks', choice: 'run' } satisfies Item,
        ]
      : []),
  ];
}

const group = (label: string, items: readonly Item[]): readonly Item[] =>
  items.length === 0 ? [] : [separator(label), ...items];

const byPath = (a: vscode.Uri, b: vscode.Uri): number => (a.path < b.path ? -1 : Number(a.path > b.path));

function commitItem({ hash, message, authorDate }: Awaited<ReturnType<typeof commitsOf>>[number], index: number): Item {
  const [subject] = message.split('\n');
  const date = authorDate?.toISOString().slice(0, 10) ?? '';
  const short = hash.slice(0, 7);
  return {
    label: `$(git-commit) ${subject}`,
    description: [index === 0 ? 'last commit' : '', short, date].filter((text) => text !== '').join(', '),
    choice: { commit: hash, note: [subject, date].filter((text) => text !== '').join(', ') },
  };
}
