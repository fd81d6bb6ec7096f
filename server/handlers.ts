/** Every handler is wrapped here, once: its name and duration are logged, an error is logged and answered with `null`. */
import type { Arriving } from '../platform/common/files.ts';
import { LSPErrorCodes, ResponseError, type CancellationToken } from 'vscode-languageserver';

export interface Log {
  /** Only shown when the client traces. */
  trace(message: string): void;
  error(message: string): void;
}

/** What every handler needs. */
export interface HandlerHost extends Log {
  /** An answer that took a file for missing that has not arrived is found again. */
  readonly arriving?: Arriving;
}

export const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** A refusal that the user should read (`The name "x" is taken.`), not a failure. */
export class Refusal extends Error {}

export type Handler<P, R> = (params: P, token: CancellationToken) => Promise<R | null | ResponseError>;

export function handler<P, R>(
  host: HandlerHost,
  name: string,
  answer: (params: P, token: CancellationToken) => R | null | Promise<R | null>,
): Handler<P, R> {
  return async (params, token) => {
    const start = performance.now();
    try {
      const result = await whole(host.arriving, token, () => answer(params, token));
      return token.isCancellationRequested ? cancelled() : result;
    } catch (error) {
      if (error instanceof Refusal) return new ResponseError(LSPErrorCodes.RequestFailed, error.message);
      host.error(`${name}: ${describe(error)}`);
      return null;
    } finally {
      host.trace(`${name}: ${(performance.now() - start).toFixed(1)} ms`);
    }
  };
}

/** The answer that follows from files that are all there. */
async function whole<R>(
  arriving: Arriving | undefined,
  token: CancellationToken,
  answer: () => R | Promise<R>,
): Promise<R> {
  for (;;) {
    const before = arriving?.count();
    const result = await answer();
    if (arriving === undefined || arriving.count() === before || token.isCancellationRequested) return result;
    await arriving.settled();
  }
}

const cancelled = () => new ResponseError(LSPErrorCodes.RequestCancelled, 'Cancelled.');
