/** Progress of requests that take long, and a way to cancel them. */
import {
  type CancellationToken,
  CancellationTokenSource,
  type Connection,
  type WorkDoneProgressParams,
  WorkDoneProgressReporter,
} from 'vscode-languageserver';
import type { Handler } from './handlers.ts';

/** Milliseconds that a request takes before its progress is shown. */
const usualPatience = 500;

/**
 * The same handler, whose progress is shown if it takes long: at the token that the client sent with the request, or one of the server.
 * A person may cancel it there.
 */
export type LongRequests = <P extends object, R>(
  title: string,
  handle: Handler<P, R>,
) => (params: P, token: CancellationToken, progress?: WorkDoneProgressReporter) => ReturnType<Handler<P, R>>;

export const createLongRequests =
  ({ window }: Connection, patience = usualPatience): LongRequests =>
  (title, handle) =>
  async (params, token, progress) => {
    const { workDoneToken } = params as WorkDoneProgressParams;
    const isGiven = progress !== undefined && !WorkDoneProgressReporter.isNullInstance(progress);
    const asked = isGiven ? progress : workDoneToken && window.attachWorkDoneProgress(workDoneToken);
    const source = new CancellationTokenSource();
    const stops = [token.onCancellationRequested(() => source.cancel())];
    let isOver = false;
    let end = (): void => {};

    async function show(): Promise<void> {
      const created = asked ? undefined : await window.createWorkDoneProgress();
      const reporter = created ?? (asked || undefined);
      if (isOver || reporter === undefined) return;
      reporter.begin('Pipewright', undefined, title, created !== undefined);
      if (created !== undefined) stops.push(created.token.onCancellationRequested(() => source.cancel()));
      end = () => reporter.done();
    }

    // A client that refuses shows none.
    const timer = setTimeout(() => void show().catch(() => {}), patience);
    try {
      if (token.isCancellationRequested) source.cancel();
      return await handle(params, source.token);
    } finally {
      isOver = true;
      clearTimeout(timer);
      end();
      for (const stop of stops) stop.dispose();
    }
  };
