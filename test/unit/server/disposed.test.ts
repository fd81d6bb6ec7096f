/** A server in a process that goes on: nothing of it may run once it is disposed. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import {
  createConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { toEnd } from '../../../engine/basics/steps.ts';
import { nodePlatform } from '../../../platform/node/platform.ts';
import { startServer } from '../../../server/server.ts';
import type { Threads } from '../../../server/threads/threads.ts';
import { frame, initialize } from './process.ts';
import { toy } from './samples.ts';

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};

test('a check that would end after a server is disposed starts no thread', async () => {
  let starts = 0;
  const threads: Threads = {
    run: (_, search, problem) => ({
      answer: turns(1).then(() => toEnd(search.steps(problem))),
      cancel: () => {},
    }),
    ahead: () => void (starts += 1),
    close: () => {},
  };
  const serve = () => {
    const [up, down] = [new PassThrough(), new PassThrough()];
    const connection = createConnection(
      ProposedFeatures.all,
      new StreamMessageReader(up),
      new StreamMessageWriter(down.resume()),
    );
    const server = startServer(connection, { platform: nodePlatform, ahead: true, threads: () => threads });
    const textDocument = { uri: 'file:///project/main.pipe', languageId: 'pipe', version: 1, text: toy };
    for (const message of [
      initialize(),
      { method: 'initialized', params: {} },
      { method: 'textDocument/didOpen', params: { textDocument } },
    ])
      up.write(frame(JSON.stringify({ jsonrpc: '2.0', ...message })));
    return server;
  };
  const lasting = serve();
  let needed = 0;
  for (; starts === 0; needed += 1) await turns(1);
  lasting.dispose();
  starts = 0;
  const brief = serve();
  // The text is there by now, and not checked.
  await turns(5);
  brief.dispose();
  expect(starts).toBe(0);
  await turns(2 * needed);
  expect(starts).toBe(0);
});
