/**
 * The order in which the protocol lets a client speak (LSP 3.17, "Server lifecycle"): `initialize` once, then anything, after
 * `shutdown` nothing but `exit`.
 */
import {
  ErrorCodes,
  Message,
  RequestType,
  ResponseError,
  type Connection,
  type ConnectionOptions,
  type RequestMessage,
} from 'vscode-languageserver';

interface Refused {
  readonly code: number;
  readonly message: string;
}

/** Replaces a refused request, so that its answer takes the same route as all answers. */
const refused = new RequestType<Refused, never, void>('pipewright/refused');

export interface Lifecycle {
  /** For `createConnection`: refuses and drops what comes at the wrong time. */
  readonly options: ConnectionOptions;
  /** 0 if the client has asked for the end, otherwise 1. */
  exitStatus(): 0 | 1;
  /** Messages whose handling has ended. */
  handled(): number;
}

/** `initialized` hears the number of the client's process, once. */
export function createLifecycle(initialized: (processId: number | null) => void = () => {}): Lifecycle {
  let handled = 0;
  let phase: 'uninitialized' | 'running' | 'shut down' = 'uninitialized';

  /** Why a request cannot be answered now; undefined if it can. */
  function refusal({ method, params }: RequestMessage): Refused | undefined {
    if (phase === 'shut down')
      return { code: ErrorCodes.InvalidRequest, message: 'The server has been shut down; only "exit" may follow.' };
    if (method === 'initialize' && phase === 'running')
      return { code: ErrorCodes.InvalidRequest, message: 'The server is already initialized; start another one.' };
    if (method !== 'initialize' && phase === 'uninitialized')
      return { code: ErrorCodes.ServerNotInitialized, message: `Send "initialize" before "${method}".` };
    if (method === 'initialize' && !hasCapabilities(params))
      return { code: ErrorCodes.InvalidParams, message: 'Send "initialize" with the capabilities of the client.' };
    return undefined;
  }

  /** Settled once the message is answered, where it has an answer. */
  function pass(message: Message, next: (message: Message) => unknown): unknown {
    if (Message.isRequest(message)) {
      const params = refusal(message);
      if (params !== undefined) return next({ ...message, method: refused.method, params } as RequestMessage);
      if (message.method === 'initialize') {
        phase = 'running';
        initialized(processIdOf(message.params));
      }
      if (message.method === 'shutdown') phase = 'shut down';
    } else if (Message.isNotification(message) && phase !== 'running' && message.method !== 'exit') return undefined;
    return next(message);
  }

  return {
    handled: () => handled,
    exitStatus: () => (phase === 'shut down' ? 0 : 1),
    options: {
      messageStrategy: {
        async handleMessage(message, next) {
          try {
            await pass(message, next);
          } finally {
            handled += 1;
          }
        },
      },
    },
  };
}

function processIdOf(params: unknown): number | null {
  const id = typeof params === 'object' && params !== null && 'processId' in params ? params.processId : null;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** Without them the answer would fail, and the client could not try again. */
const hasCapabilities = (params: unknown): boolean =>
  typeof params === 'object' &&
  params !== null &&
  'capabilities' in params &&
  typeof params.capabilities === 'object' &&
  params.capabilities !== null;

/** Answers the requests that `createLifecycle` refuses. */
export function answerRefused(connection: Connection): void {
  connection.onRequest(refused, ({ code, message }) => new ResponseError(code, message));
}
