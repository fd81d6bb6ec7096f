/** Serves the editor or the page that has started this worker; a thread serves the server. */
import {
  BrowserMessageReader,
  BrowserMessageWriter,
  createConnection,
  ProposedFeatures,
} from 'vscode-languageserver/browser';
import { createLifecycle } from '../../server/lifecycle.ts';
import { startServer } from '../../server/server.ts';
import { tellLostAdvice } from '../../server/text/lostAdvice.ts';
import { allSearches } from '../../server/threads/allSearches.ts';
import { serve as serveThread } from '../../server/threads/serve.ts';
import { browserPlatform } from './platform.ts';
import { isThread, threadChannel } from './startThread.ts';

export function serve(): void {
  tellLostAdvice();
  if (isThread()) {
    serveThread(allSearches, threadChannel());
    return;
  }
  const reader = new BrowserMessageReader(self);
  const connection = createConnection(
    ProposedFeatures.all,
    reader,
    new BrowserMessageWriter(self),
    createLifecycle().options,
  );
  startServer(connection, { platform: browserPlatform(connection), ahead: true });
}
