/** The server over a pair of streams, for `pipewright lsp`. */
import type { Readable, Writable } from 'node:stream';
import {
  createConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { docsFolder } from './docs.ts';
import { startServer } from './server.ts';

/** Settled when the client closes its end. A client that says `exit` ends the process, as the protocol asks. */
export function serveStdio(input: Readable, output: Writable): Promise<void> {
  const reader = new StreamMessageReader(input);
  startServer(createConnection(ProposedFeatures.all, reader, new StreamMessageWriter(output)), { docs: docsFolder() });
  return new Promise((resolve) => {
    input.once('end', resolve);
    input.once('close', resolve);
    reader.onClose(() => resolve());
  });
}
