/** Files of a run, as the editor names them, → its summary. */
import type { CancellationToken } from 'vscode-languageserver';
import { URI } from 'vscode-uri';
import type { RunAnswer, RunProgress, RunRequest } from '../../webview/protocol/requests.ts';
import type { RunReading } from '../../platform/common/platform.ts';

const mostPaths = 10_000;

export async function readRun(
  { uris, skip = 1, ranks, partial = false }: RunRequest,
  runs: RunReading | undefined,
  tell: (progress: RunProgress) => void,
  token: CancellationToken,
): Promise<RunAnswer> {
  if (uris.length === 0 || uris.length > mostPaths) return { problem: `A run has 1 to ${mostPaths} files or folders.` };
  if (!Number.isSafeInteger(skip) || skip < 0) return { problem: `Steps to leave out are a number, not "${skip}".` };
  const files = uris.map((uri) => URI.parse(uri));
  if (runs === undefined || files.some(({ scheme, authority }) => scheme !== 'file' || authority !== ''))
    return { problem: 'Only files of this machine are read as the traces of a run.' };
  const paths = files.map(({ fsPath }) => fsPath);
  const reading = runs.summarise(
    { paths, skip, partial, ...(ranks === undefined ? {} : { ranks: new Set(ranks) }) },
    tell,
  );
  const listening = token.onCancellationRequested(reading.cancel);
  try {
    return await reading.answer;
  } catch (error) {
    if (token.isCancellationRequested) return null;
    throw error;
  } finally {
    listening.dispose();
  }
}
