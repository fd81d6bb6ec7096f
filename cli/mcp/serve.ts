import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { RunCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { createMcpServer } from './server.ts';

/** Serves over standard input and output until the client closes its end. */
export function serveMcp(io: Io, run: RunCommand): Promise<void> {
  return new Promise((resolve) => {
    const served = serveStdio(() => createMcpServer(io, run));
    process.stdin.once('end', () => void served.close().then(resolve));
  });
}
