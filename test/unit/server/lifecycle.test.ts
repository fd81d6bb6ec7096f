/** What the protocol asks of a server from its first byte to its last. */
import { describe, expect, test } from 'vitest';
import { frame, initialize, startHere, startProcess, type ByteClient } from './process.ts';
import { toy } from './samples.ts';

const uri = 'file:///project/main.pipe';
const open = {
  method: 'textDocument/didOpen',
  params: { textDocument: { uri, languageId: 'pipe', version: 1, text: toy } },
};
const hover = (id: number) => ({
  id,
  method: 'textDocument/hover',
  params: { textDocument: { uri }, position: { line: 0, character: 0 } },
});

/** Initialized by this process, which lives on. */
async function started(running: ByteClient, processId: number | null = null): Promise<ByteClient> {
  running.send(initialize(processId));
  await running.answer(({ id, result }) => id === 'start' && result !== undefined);
  running.send({ method: 'initialized', params: {} });
  return running;
}

/** The server answers a request after whatever came before. */
async function lives(running: ByteClient, id = 900): Promise<void> {
  running.send(open);
  running.send(hover(id));
  expect((await running.answer((answer) => answer.id === id)).error).toBeUndefined();
}

describe('the end of the process', () => {
  test.each([
    ['cli.js', ['lsp']],
    ['server.js', ['--stdio']],
  ] as const)(
    '%s %j: with its input closed it ends, although the process of the client lives on',
    async (name, args) => {
      const running = await started(await startProcess(name, args), process.pid);
      running.close();
      expect(await running.ended).toBe(1);
    },
  );

  test('shutdown, then a closed input: status 0, and what was asked before is answered', async () => {
    const running = await started(await startProcess(), process.pid);
    running.send(open);
    running.send(hover(1));
    running.send({ id: 2, method: 'shutdown' });
    running.close();
    expect(await running.ended).toBe(0);
    expect(running.received.find(({ id }) => id === 1)).toHaveProperty('result');
    expect(running.received.find(({ id }) => id === 2)).toMatchObject({ result: null });
  });

  test('exit after shutdown has the status 0', async () => {
    const running = await started(await startProcess(), process.pid);
    running.send({ id: 1, method: 'shutdown' });
    await running.answer(({ id }) => id === 1);
    running.send({ method: 'exit' });
    expect(await running.ended).toBe(0);
  });

  test('exit without shutdown, even before initialize, has the status 1', async () => {
    const running = await startProcess();
    running.send({ method: 'exit' });
    expect(await running.ended).toBe(1);
  });

  test('a header that cannot be read ends it', async () => {
    const running = await started(await startProcess(), process.pid);
    running.bytes('Content-Length: ten\r\n\r\n{}');
    expect(await running.ended).toBe(1);
  });
});

describe('the order of messages', () => {
  test('before initialize a request is refused with −32002 and a notification is dropped', async () => {
    const server = startHere();
    server.send(open);
    server.send(hover(1));
    expect((await server.answer(({ id }) => id === 1)).error).toMatchObject({ code: -32002 });
    server.send({ id: 2, method: 'shutdown' });
    expect((await server.answer(({ id }) => id === 2)).error).toMatchObject({ code: -32002 });
    server.send(initialize());
    await server.answer(({ id, result }) => id === 'start' && result !== undefined);
    server.send({ method: 'initialized', params: {} });
    // The document that was opened too early is not there.
    server.send({ id: 3, method: 'textDocument/documentSymbol', params: { textDocument: { uri } } });
    expect(await server.answer(({ id }) => id === 3)).toMatchObject({ result: null });
    await lives(server);
  });

  test('a second initialize is refused with −32600, and the first one holds', async () => {
    const running = await started(startHere());
    running.send({ ...initialize(), id: 1 });
    expect((await running.answer(({ id }) => id === 1)).error).toMatchObject({ code: -32600 });
    await lives(running);
  });

  test.each([undefined, null, [], {}, { capabilities: null }])(
    'initialize with %j is refused, and a whole one may follow',
    async (params) => {
      const running = startHere();
      running.send({ ...initialize(), id: 1, params });
      expect((await running.answer(({ id }) => id === 1)).error).toMatchObject({ code: -32602 });
      await lives(await started(running));
    },
  );

  test.each([5, null, undefined, {}])('a document whose text is %j is dropped', async (text) => {
    const running = await started(startHere());
    const textDocument = { uri: 'file:///project/odd.pipe', languageId: 'pipe', version: 1, text };
    running.send({ method: 'textDocument/didOpen', params: { textDocument } });
    await lives(running);
    running.close();
    expect(await running.ended).toBe(1);
  });

  test('a client that no longer reads ends it', async () => {
    const running = await started(startHere());
    running.deafen();
    running.send(open);
    running.send(hover(1));
    expect(await running.ended).toBe(1);
  });

  test('after shutdown every request is refused with −32600', async () => {
    const running = await started(startHere());
    running.send({ id: 1, method: 'shutdown' });
    await running.answer(({ id }) => id === 1);
    for (const request of [hover(2), { id: 3, method: 'shutdown' }, { ...initialize(), id: 4 }]) {
      running.send(request);
      expect((await running.answer(({ id }) => id === request.id)).error).toMatchObject({ code: -32600 });
    }
    running.close();
    expect(await running.ended).toBe(0);
  });

  test('an input that is closed before anything was said ends it', async () => {
    const running = startHere();
    running.close();
    expect(await running.ended).toBe(1);
  });
});

describe('frames', () => {
  test.each([
    ['what is no JSON', 'nonsense', -32700, null],
    ['nothing', '', -32700, null],
    ['a batch', '[]', -32600, null],
    ['a number', '42', -32600, null],
    ['an object that is no message', '{"jsonrpc":"2.0"}', -32600, null],
    ['a request without a method', '{"jsonrpc":"2.0","id":7}', -32600, 7],
  ])('%s is answered with an error, and the next message is read', async (_, body, code, id) => {
    const running = await started(startHere());
    running.bytes(frame(body));
    expect(await running.answer((answer) => answer.error?.code === code)).toMatchObject({ id });
    await lives(running);
  });

  test('another encoding is refused, UTF-8 under either name is read', async () => {
    const running = await started(startHere());
    const body = JSON.stringify({ jsonrpc: '2.0', ...open });
    const typed = (charset: string) =>
      `Content-Length: ${body.length}\r\nContent-Type: application/vscode-jsonrpc; charset=${charset}\r\n\r\n${body}`;
    running.bytes(typed('utf-16'));
    expect(await running.answer(({ error }) => error !== undefined)).toMatchObject({
      id: null,
      error: { code: -32600 },
    });
    running.bytes(typed('utf-8') + typed('utf8'));
    await lives(running);
    expect(running.received.filter(({ error }) => error !== undefined)).toHaveLength(1);
  });

  test('bytes that come one by one are the same messages', async () => {
    const running = await started(startHere());
    const text = Buffer.from(frame(JSON.stringify({ jsonrpc: '2.0', ...hover(5), note: 'größer 🙂' })));
    for (const byte of text) running.bytes(Buffer.of(byte));
    expect(await running.answer(({ id }) => id === 5)).toMatchObject({ result: null });
  });

  test.each([
    ['no Content-Length', 'Content-Type: application/json\r\n\r\n{}'],
    ['a length that is no number', 'Content-Length: ten\r\n\r\n{}'],
    ['a negative length', 'Content-Length: -5\r\n\r\n{}'],
    ['a length with something behind it', 'Content-Length: 2x\r\n\r\n{}'],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    ['a line that is no header', 'hello\r\n\r\n'],
    ['no end', 'x'.repeat(100_000)],
    ['a length of 10^15 bytes', 'Content-Length: 1000000000000000\r\n\r\n{}'],
    ['a length that no number has', `Content-Length: ${'9'.repeat(400)}\r\n\r\n{}`],
  ])('a header with %s ends it with an error: nobody knows where the next one begins', async (_, bytes) => {
    const running = await started(startHere());
    running.bytes(bytes);
    expect(await running.ended).toBe(1);
    const last = running.received.at(-1);
    expect(last).toMatchObject({ id: null, error: { code: -32700 } });
    expect(last?.error?.message).not.toContain('Infinity');
  });
});
