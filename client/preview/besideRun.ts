/** Reads a recorded run, once, to show it under the file of a preview. */
import * as vscode from 'vscode';
import type { RunProgress, RunText } from '../../webview/protocol/requests.ts';
import type { LongRequests, Requests } from '../languageClient.ts';
import { runTitle } from '../runs/chooseRun.ts';
import { readRun } from '../runs/readRun.ts';
import type { Below } from './besideTexts.ts';

/** The page hears how far the reading is, and a page that begins anew hears it next. */
export function createBesideRun(requests: Requests & LongRequests, post: (below: Below) => void) {
  let read: Below | undefined;
  let reading: vscode.CancellationTokenSource | undefined;

  return {
    run: (): RunText | undefined => read?.run,
    async show(run: readonly vscode.Uri[]): Promise<void> {
      if (read !== undefined) return post(read);
      if (reading !== undefined) return;
      const of = { title: runTitle(run), note: 'recorded run', isRun: true } as const;
      const source = new vscode.CancellationTokenSource();
      reading = source;
      const tell = (progress: RunProgress): void => {
        if (reading === source) post({ ...of, reading: progress });
      };
      tell({ share: 0, what: of.title });
      const found = await readRun(requests, { uris: run }, tell, source.token);
      if (reading !== source || found === undefined) return;
      reading = undefined;
      read = { ...of, ...('problem' in found ? found : { run: found }) };
      post(read);
    },
    forget(): void {
      reading?.cancel();
      reading = undefined;
      read = undefined;
    },
  };
}
