/** The server as a process, over its streams: a burst of edits, and a document that takes long next to one that does not. */
import { expect, test } from 'vitest';
import { frame, initialize, startProcess, type ByteClient } from './process.ts';
import { toy } from './samples.ts';

const uri = 'file:///project/main.pipe';
const other = 'file:///project/other.pipe';

const opened = (of: string, text: string) => ({
  method: 'textDocument/didOpen',
  params: { textDocument: { uri: of, languageId: 'pipe', version: 1, text } },
});
const asked = (id: number, method: string, of: string) => ({
  id,
  method: `textDocument/${method}`,
  params: { textDocument: { uri: of }, position: { line: 0, character: 0 } },
});

async function started(): Promise<ByteClient> {
  const client = await startProcess();
  client.send(initialize(null));
  await client.answer(({ id, result }) => id === 'start' && result !== undefined);
  client.send({ method: 'initialized', params: {} });
  return client;
}

async function stopped(client: ByteClient): Promise<void> {
  client.send({ id: 'stop', method: 'shutdown' });
  await client.answer(({ id }) => id === 'stop');
  client.send({ method: 'exit' });
  expect(await client.ended).toBe(0);
}

const publishedFor = (client: ByteClient, of: string): readonly number[] =>
  client.received.flatMap(({ method, params }) => {
    const { uri: found, version } = (params ?? {}) as { readonly uri?: string; readonly version?: number };
    return method === 'textDocument/publishDiagnostics' && found === of ? [version ?? 0] : [];
  });

/** 200 edits of a document, from its version 1 on. */
const edits = (of: string) =>
  Array.from({ length: 200 }, (_, index) => ({
    method: 'textDocument/didChange',
    params: {
      textDocument: { uri: of, version: index + 2 },
      contentChanges: [{ text: toy.replace('4ms', `${index + 1}ms`) }],
    },
  }));

test('of 200 edits, in one go or one by one, those that are published are in order, and the last is; in one go, few are', async () => {
  const client = await started();
  client.send(opened(uri, toy));
  client.bytes(
    edits(uri)
      .map((edit) => frame(JSON.stringify({ jsonrpc: '2.0', ...edit })))
      .join(''),
  );
  client.send(asked(1, 'codeLens', uri));
  await client.answer(({ id }) => id === 1);
  client.send(opened(other, toy));
  for (const edit of edits(other)) {
    client.send(edit);
    await new Promise((resolve) => setImmediate(resolve));
  }
  client.send(asked(2, 'codeLens', other));
  await client.answer(({ id }) => id === 2);
  for (const document of [uri, other]) {
    const versions = publishedFor(client, document);
    expect(versions.at(-1)).toBe(201);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  }
  // How many there are of the second depends on when its edits arrive: `slow.test.ts` has a clock for that.
  expect(publishedFor(client, uri).length).toBeLessThan(60);
  await stopped(client);
});

test('another file is checked, and requests are answered, before a large file has its figures', async () => {
  const client = await started();
  const large = `model m { layer block[64] { forward = 4ms  backward = 8ms } }
device d { memory = 1TiB }
cluster c { gpu[64] = d  link = 100GB/s }
pipeline big { model = m  devices = c  microbatches = 5000  stages = balance(64)  schedule = zb_h1 }
`;
  client.send(opened(uri, large));
  client.send(asked(1, 'codeLens', uri));
  client.send(opened(other, toy));
  client.send(asked(2, 'hover', other));
  client.send(asked(3, 'foldingRange', uri));
  client.send(asked(4, 'definition', uri));
  client.send(asked(5, 'codeLens', other));
  await client.answer(({ id }) => id === 1);
  const order = client.received.flatMap(({ id }) => (typeof id === 'number' ? [id] : []));
  expect(order.indexOf(1)).toBe(4);
  expect(publishedFor(client, other)).toEqual([1]);
  await stopped(client);
});
