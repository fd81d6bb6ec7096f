/** All workers of the playground are this script: the server, its threads, and the worker of the preview. */
import { pageWorker } from '../../../webview/worker/messages.ts';
import { serve as servePreview } from '../../../webview/worker/serve.ts';
import { serve as serveEditor } from '../serve.ts';

if (self.name === pageWorker) servePreview();
else serveEditor();
