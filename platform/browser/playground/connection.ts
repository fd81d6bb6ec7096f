/** The page's end of the protocol: messages are objects, as the server's reader in a worker takes them. */

/** The part of a worker that is used. */
export interface Port {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Says that an answer is no longer wanted. */
export interface Cancels {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: () => void): unknown;
}

export interface Connection {
  /** Rejected where the server answers with an error. */
  request<T>(method: string, params: unknown, token?: Cancels): Promise<T>;
  notify(method: string, params: unknown): void;
  /** Calls `heard` with each notification of that name; returns what ends it. */
  onNotification(method: string, heard: (params: unknown) => void): () => void;
  /** Answers the server's requests of that name. */
  onRequest(method: string, answer: (params: unknown) => unknown): void;
}

const methodNotFound = -32_601;
const internalError = -32_603;

export function connect(port: Port): Connection {
  const waiting = new Map<
    number,
    { readonly resolve: (value: unknown) => void; readonly reject: (e: Error) => void }
  >();
  const listeners = new Map<string, Set<(params: unknown) => void>>();
  const answers = new Map<string, (params: unknown) => unknown>();
  let last = 0;
  const send = (message: Message): void => port.postMessage({ jsonrpc: '2.0', ...message });

  async function answer({ id, method = '', params }: Message): Promise<void> {
    const given = answers.get(method);
    if (given === undefined)
      return send({ id, error: { code: methodNotFound, message: `There is no ${method} here.` } as Message['error'] });
    try {
      send({ id, result: (await given(params)) ?? null });
    } catch (error) {
      send({ id, error: { code: internalError, message: String(error) } as Message['error'] });
    }
  }

  port.addEventListener('message', ({ data }) => {
    const message = data as Message;
    const { id, method, params } = message;
    if (method === undefined) {
      const asked = waiting.get(Number(id));
      waiting.delete(Number(id));
      if (message.error === undefined) asked?.resolve(message.result);
      else asked?.reject(new Error(message.error.message));
    } else if (id === undefined) for (const heard of listeners.get(method) ?? []) heard(params);
    else void answer(message);
  });

  return {
    request<T>(method: string, params: unknown, token?: Cancels) {
      last += 1;
      const id = last;
      const found = new Promise<unknown>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
      });
      send({ id, method, params });
      token?.onCancellationRequested(() => {
        if (waiting.has(id)) send({ method: '$/cancelRequest', params: { id } });
      });
      return found as Promise<T>;
    },
    notify: (method, params) => send({ method, params }),
    onNotification(method, heard) {
      const all = listeners.get(method) ?? new Set();
      listeners.set(method, all.add(heard));
      return () => void all.delete(heard);
    },
    onRequest: (method, given) => void answers.set(method, given),
  };
}
