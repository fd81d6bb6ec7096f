/** The server as a worker of a page or of an editor in a browser, and its threads: the same script. */
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
import { serve } from '../../server/threads/serve.ts';
import { browserPlatform } from './platform.ts';
import { isThread, threadChannel } from './startThread.ts';

tellLostAdvice();
if (isThread()) serve(allSearches, threadChannel());
else {
  const reader = new BrowserMessageReader(self);
  const connection = createConnection(
    ProposedFeatures.all,
    reader,
    new BrowserMessageWriter(self),
    createLifecycle().options,
  );
  startServer(connection, { platform: browserPlatform(connection), ahead: true });
}
