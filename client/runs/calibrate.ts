/** Writes the times of a recorded run into a file, as a change that the reader accepts or refuses. */
import * as vscode from 'vscode';
import { methods, type CalibrateAnswer, type CalibrateRequest, type RunText } from '../../webview/protocol/requests.ts';
import type { LongRequests, Requests } from '../languageClient.ts';
import type { CalibratedDiff } from './calibratedDiff.ts';
import { chooseRun } from './chooseRun.ts';
import { readRun, type RunFiles } from './readRun.ts';

/** What is known already: the rest is asked for. */
export interface CalibrateKnown {
  readonly pipeline?: string | undefined;
  readonly files?: RunFiles | undefined;
  readonly run?: RunText | undefined;
  readonly replica?: number;
}

const title = 'Calibrate with a Recorded Run';
const layersAreSlow = 'Its Layers Are Slow';

export async function calibrate(
  requests: Requests & LongRequests,
  uri: vscode.Uri,
  known: CalibrateKnown,
  diff: CalibratedDiff,
): Promise<void> {
  const run = known.run ?? (await runOf(requests, known.files));
  if (run === undefined) return;
  const replica = known.replica ?? (await replicaOf(run));
  if (replica === undefined) return;
  let asked: CalibrateRequest = { uri: uri.toString(), pipeline: known.pipeline, run: run.text, replica };
  for (;;) {
    const answer = await request(requests, asked);
    if (answer === undefined || answer === null) return;
    if (!('problem' in answer)) {
      if (await offer(uri, answer, diff)) return;
      asked = { ...asked, slowLayers: true };
      continue;
    }
    const more = await remedy(answer);
    if (more === undefined) return;
    asked = { ...asked, ...more };
  }
}

async function runOf(requests: LongRequests, known: RunFiles | undefined): Promise<RunText | undefined> {
  const files = known ?? (await chosenFiles());
  if (files === undefined) return undefined;
  const run = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'Reading the run', cancellable: true },
    (progress, token) => {
      let before = 0;
      return readRun(
        requests,
        files,
        ({ share, what }) => {
          progress.report({ message: what, increment: (share - before) * 100 });
          before = share;
        },
        token,
      );
    },
  );
  if (run === undefined || !('problem' in run)) return run;
  void vscode.window.showErrorMessage(run.problem);
  return undefined;
}

async function chosenFiles(): Promise<RunFiles | undefined> {
  const uris = await chooseRun(title);
  return uris === undefined ? undefined : { uris };
}

/** Of several pipelines that ran the reader chooses one: the mean over them is wrong for each. */
async function replicaOf({ pipelines }: RunText): Promise<number | undefined> {
  if (pipelines.length === 1) return 0;
  const items = pipelines.map((ranks, replica) => ({ label: `Ranks ${ranks.join(', ')}`, replica }));
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: 'Which of the pipelines that ran' });
  return picked?.replica;
}

const request = (requests: Requests, asked: CalibrateRequest): Thenable<CalibrateAnswer | undefined | null> =>
  vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'Calibrating', cancellable: true },
    (_, token) => requests.send<CalibrateAnswer | null>(methods.calibrate, asked, token),
  );

type Refused = Extract<CalibrateAnswer, { readonly problem: string }>;

async function remedy({ problem, pipelines, slow }: Refused): Promise<Partial<CalibrateRequest> | undefined> {
  if (pipelines !== undefined) {
    const pipeline = await vscode.window.showQuickPick([...pipelines], { title, placeHolder: 'Pipeline that ran' });
    return pipeline === undefined ? undefined : { pipeline };
  }
  if (slow !== true) {
    void vscode.window.showErrorMessage(problem);
    return undefined;
  }
  return (await vscode.window.showErrorMessage(problem, layersAreSlow)) === layersAreSlow
    ? { slowLayers: true }
    : undefined;
}

type Found = Exclude<CalibrateAnswer, Refused>;

const write = 'Write the Times';

/** Shows the changed file and what is to be said of it. False: the rank's layers are slow, not its device. */
async function offer(
  uri: vscode.Uri,
  { version, edits, lines, accurate, slow }: Found,
  diff: CalibratedDiff,
): Promise<boolean> {
  const text = lines.join(' ');
  const document = await vscode.workspace.openTextDocument(uri);
  if (document.version !== version) {
    void vscode.window.showErrorMessage('Nothing was written: the file has just changed. Calibrate it again.');
    return true;
  }
  if (edits.length === 0) {
    void vscode.window.showInformationMessage(`The file has the times of this run. ${text}`);
    return true;
  }
  await diff.show({ uri, version, edits });
  const show = accurate ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
  // The buttons of the diff do the same, if the message has gone.
  const chosen = await show(text, write, ...(slow ? [layersAreSlow] : []));
  if (chosen === write) await diff.accept(uri);
  return chosen !== layersAreSlow;
}
