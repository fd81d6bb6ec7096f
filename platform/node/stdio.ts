/** The server over a pair of streams, for `pipewright lsp` and `--stdio`. */
import type { Readable, Writable } from 'node:stream';
import {
  createConnection,
  type Disposable,
  type Message,
  type MessageReader,
  type MessageWriter,
  ProposedFeatures,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { docsFolder } from './docs.ts';
import { readFrames } from './frames.ts';
import { nodePlatform } from './platform.ts';
import { createLifecycle } from '../../server/lifecycle.ts';
import { startServer } from '../../server/server.ts';

/** Milliseconds after the end of the input for answers to what came before it: a busy machine needs seconds for a first one. */
const lastAnswers = 10_000;
/** Milliseconds after that for the client to take them. */
const lastWords = 1_000;

/**
 * Serves until the client closes its end, or sends what cannot be read on from. Answers the exit status of the process, which must
 * end then: the protocol's library watches the process of the client for as long as that lives. A client that says `exit` ends the
 * process at once, as the protocol asks. `initialized` hears the number of the client's process.
 */
export async function serveStdio(
  input: Readable,
  output: Writable,
  initialized?: (processId: number | null) => void,
): Promise<0 | 1> {
  const lifecycle = createLifecycle(initialized);
  const writer = quietWriter(output);
  let received = 0;
  let broken = false;
  const server = await new Promise<Disposable>((resolve) => {
    const frames = readFrames(input, ({ code, message, id, fatal }) => {
      broken ||= fatal;
      const answer = { jsonrpc: '2.0', id, error: { code, message } } satisfies Message & Record<string, unknown>;
      void writer.write(answer).finally(() => {
        if (fatal) resolve(running);
      });
    });
    const reader: MessageReader = {
      ...frames,
      listen: (callback) =>
        frames.listen((message) => {
          received += 1;
          callback(message);
        }),
    };
    const end = (): void => resolve(running);
    input.once('end', end).once('close', end).once('error', end);
    // A client that reads no more has gone away.
    output.once('error', end).once('close', end);
    const running = startServer(createConnection(ProposedFeatures.all, reader, writer, lifecycle.options), {
      platform: nodePlatform,
      docs: docsFolder(),
      ahead: true,
    });
  });
  const late = performance.now() + lastAnswers;
  while (lifecycle.handled() < received && performance.now() < late) await pause(5);
  await Promise.race([new Promise((resolve) => output.write('', resolve)), pause(lastWords)]);
  server.dispose();
  return broken ? 1 : lifecycle.exitStatus();
}

/** Drops what a client that has gone away no longer takes. The protocol's library would throw at every later message. */
function quietWriter(output: Writable): MessageWriter {
  const writer = new StreamMessageWriter(output);
  const never = { dispose() {} };
  return {
    onError: () => never,
    onClose: () => never,
    write: (message) => writer.write(message).catch(() => {}),
    end: () => writer.end(),
    dispose: () => writer.dispose(),
  };
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
