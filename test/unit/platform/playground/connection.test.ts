import { expect, test } from 'vitest';
import { connect } from '../../../../platform/browser/playground/connection.ts';
import { createServer } from '../../../../platform/browser/playground/server.ts';
import { createTexts } from '../../../../platform/browser/playground/texts.ts';

interface Sent {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

function port() {
  const sent: Sent[] = [];
  const listeners: ((event: { readonly data: unknown }) => void)[] = [];
  return {
    sent,
    say: (data: unknown) => listeners.forEach((listener) => listener({ data })),
    postMessage: (message: unknown) => void sent.push(message as Sent),
    addEventListener: (type: string, listener: (event: never) => void) => {
      if (type === 'message') listeners.push(listener as (event: { readonly data: unknown }) => void);
    },
    terminate: () => undefined,
  };
}

test('answers find their questions, in any order, and errors reject', async () => {
  const to = port();
  const { request } = connect(to);
  const [one, two, three] = [request('a', 1), request('b', 2), request('c', 3)];
  const [first, second, third] = to.sent.map(({ id }) => id);
  to.say({ id: second, result: 'two' });
  to.say({ id: third, error: { message: 'no' } });
  to.say({ id: first, result: 'one' });
  expect(await Promise.all([one, two])).toEqual(['one', 'two']);
  await expect(three).rejects.toThrow('no');
});

test('requests of the server are answered, and unknown ones are refused', async () => {
  const to = port();
  const { onRequest } = connect(to);
  onRequest('known', (params) => ({ got: params }));
  to.say({ id: 7, method: 'known', params: 3 });
  to.say({ id: 8, method: 'unknown' });
  await expect.poll(() => to.sent.length).toBe(2);
  expect(to.sent.toSorted((a, b) => Number(a.id) - Number(b.id))).toMatchObject([
    { id: 7, result: { got: 3 } },
    { id: 8, error: { code: -32_601 } },
  ]);
});

test('a cancelled question tells the server, but not after its answer', async () => {
  const to = port();
  const { request } = connect(to);
  const cancels: (() => void)[] = [];
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: (act: () => void) => void cancels.push(act),
  };
  const asked = request('a', {}, token);
  cancels[0]();
  expect(to.sent[1]).toMatchObject({ method: '$/cancelRequest', params: { id: to.sent[0].id } });
  to.say({ id: to.sent[0].id, result: null });
  await asked;
  cancels[0]();
  expect(to.sent).toHaveLength(2);
});

test('a server that starts again gets the texts that are open, in their newest version', async () => {
  const texts = createTexts();
  texts.set('a', 'one');
  const ports: ReturnType<typeof port>[] = [];
  const startWorker = () => {
    const made = port();
    ports.push(made);
    return made;
  };
  const server = createServer({ texts, startWorker, connected: () => undefined, changed: () => undefined });
  const started = server.start();
  ports[0].say({ id: ports[0].sent[0].id, result: {} });
  await started;
  texts.set('a', 'two');
  texts.set('b', 'other');
  texts.close('b');
  expect(ports[0].sent.slice(2).map(({ method }) => method)).toEqual([
    'textDocument/didOpen',
    'textDocument/didChange',
    'textDocument/didOpen',
    'textDocument/didClose',
  ]);
  const again = server.restart();
  ports[1].say({ id: ports[1].sent[0].id, result: {} });
  await again;
  expect(ports[1].sent.slice(2)).toMatchObject([
    { method: 'textDocument/didOpen', params: { textDocument: { uri: 'a', version: 2, text: 'two' } } },
  ]);
});
