/** Inside the frame: the editor's end for the preview's page. It must be there before the page starts. */
import { followColourScheme } from '../../../webview/session/standalone.ts';

const scope = globalThis as unknown as { acquireVsCodeApi: () => unknown };
scope.acquireVsCodeApi = () => ({
  postMessage: (message: unknown) => globalThis.parent.postMessage(message, '*'),
  getState: () => undefined,
  setState: () => undefined,
});
followColourScheme();
