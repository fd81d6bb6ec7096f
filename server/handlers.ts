/** Every handler is wrapped here, once: its name and duration are logged, an error is logged and answered with `null`. */
import { LSPErrorCodes, ResponseError, type CancellationToken } from 'vscode-languageserver';

export interface Log {
  /** Only shown when the client traces. */
  trace(message: string): void;
  error(message: string): void;
}

export const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** A refusal that the user should read (`The name "x" is taken.`), not a failure. */
export class Refusal extends Error {}

export type Handler<P, R> = (params: P, token: CancellationToken) => Promise<R | null | ResponseError>;

export function handler<P, R>(
  log: Log,
  name: string,
  answer: (params: P, token: CancellationToken) => R | null | Promise<R | null>,
): Handler<P, R> {
  return async (params, token) => {
    const start = performance.now();
    try {
      const result = await answer(params, token);
      return token.isCancellationRequested ? cancelled() : result;
    } catch (error) {
      if (error instanceof Refusal) return new ResponseError(LSPErrorCodes.RequestFailed, error.message);
      log.error(`${name}: ${describe(error)}`);
      return null;
    } finally {
      log.trace(`${name}: ${(performance.now() - start).toFixed(1)} ms`);
    }
  };
}

const cancelled = () => new ResponseError(LSPErrorCodes.RequestCancelled, 'Cancelled.');
