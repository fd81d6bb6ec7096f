/** Reads a recorded run, and asks what its files do not say. */
import * as vscode from 'vscode';
import {
  methods,
  type RunAnswer,
  type RunProgress,
  type RunRequest,
  type RunText,
} from '../../webview/protocol/requests.ts';
import type { LongRequests } from '../languageClient.ts';

const readPart = 'Read What Is Whole';

/** What is read. */
export interface RunFiles {
  readonly uris: readonly vscode.Uri[];
  /** Steps to leave out. */
  readonly skip?: number;
  /** Ranks of one pipeline. */
  readonly ranks?: readonly number[];
}

/** Undefined once nobody waits for it. */
export async function readRun(
  requests: LongRequests,
  { uris, skip, ranks }: RunFiles,
  tell: (progress: RunProgress) => void,
  token: vscode.CancellationToken,
): Promise<RunText | { readonly problem: string } | undefined> {
  let asked: RunRequest = {
    uris: uris.map(String),
    ...(skip === undefined ? {} : { skip }),
    ...(ranks === undefined ? {} : { ranks }),
  };
  for (;;) {
    const onPartial = (progress: unknown): void => tell(progress as RunProgress);
    const answer = await requests.follow<RunAnswer>(methods.readRun, asked, onPartial, token);
    if (token.isCancellationRequested) return undefined;
    if (answer === undefined || answer === null) return { problem: 'The language server gives no answer.' };
    if (!('problem' in answer)) return answer;
    const more = await remedy(answer);
    if (more === undefined) return { problem: answer.problem };
    asked = { ...asked, ...more };
  }
}

type Refused = Extract<RunAnswer, { readonly problem: string }>;

async function remedy({ problem, partial, ambiguous }: Refused): Promise<Partial<RunRequest> | undefined> {
  if (partial === true)
    return (await vscode.window.showWarningMessage(problem, readPart)) === readPart ? { partial: true } : undefined;
  if (ambiguous !== true) return undefined;
  const list = await vscode.window.showInputBox({
    title: 'Ranks of One Pipeline',
    prompt: 'The traces do not say which ranks form a pipeline.',
    placeHolder: '0, 2, 4, 6',
    ignoreFocusOut: true,
    validateInput: (text) => (ranksIn(text) === undefined ? 'Write numbers with commas between.' : undefined),
  });
  const ranks = list === undefined ? undefined : ranksIn(list);
  return ranks === undefined ? undefined : { ranks };
}

function ranksIn(text: string): readonly number[] | undefined {
  const parts = text.split(',').map((part) => part.trim());
  return parts.every((part) => /^\d{1,7}$/.test(part)) ? parts.map(Number) : undefined;
}
