/** Serves the editor that has started this process. */
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { docsFolder } from './docs.ts';
import { createLifecycle } from '../../server/lifecycle.ts';
import { startServer } from '../../server/server.ts';
import { nodePlatform } from './platform.ts';
import { serveStdio } from './stdio.ts';
import { watchClient } from './watchdog.ts';
import { tellLostAdvice } from '../../server/text/lostAdvice.ts';

export async function serve(): Promise<void> {
  tellLostAdvice();
  if (process.argv.includes('--stdio')) process.exit(await serveStdio(process.stdin, process.stdout, watchClient));
  const lifecycle = createLifecycle(watchClient);
  // The other end of an IPC channel is gone.
  process.once('disconnect', () => process.exit(lifecycle.exitStatus()));
  startServer(createConnection(ProposedFeatures.all, lifecycle.options), {
    platform: nodePlatform,
    docs: docsFolder(),
    ahead: true,
  });
}
