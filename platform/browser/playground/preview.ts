/** The preview's page in a frame, with the ends that it speaks through: messages go both ways, and nothing else. */
import type { FromPage } from '../../../webview/protocol/messages.ts';
import { event } from './vscode/values.ts';
import type { PreviewView } from './vscode/view.ts';

/**
 * `instead`: does what only an editor can do as the page asks; false for everything else. `ready`: the page shares a thread with the
 * editor, so it loads once that has its findings.
 */
export function previewView(
  frame: HTMLIFrameElement,
  instead: (message: FromPage) => boolean,
  ready: Promise<void>,
): PreviewView {
  const received = event<unknown>();
  const never = event<void>();
  globalThis.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    if (source === null || source !== frame.contentWindow) return;
    if (!instead(data as FromPage)) received.fire(data);
  });
  // Not before: the page says once that it is there.
  void ready.then(() => {
    frame.src = 'preview.html';
  });
  return {
    visible: true,
    show(preserveFocus) {
      if (!preserveFocus) frame.focus();
    },
    onDidChangeVisibility: never.on,
    onDidDispose: never.on,
    webview: {
      // The frame has the page: its address is fixed, so that its policy needs no number.
      html: '',
      options: undefined,
      cspSource: '',
      asWebviewUri: (uri) => uri,
      // A page from a file has no origin that could be named.
      postMessage(message) {
        frame.contentWindow?.postMessage(message, '*');
        return Promise.resolve(true);
      },
      onDidReceiveMessage: received.on,
    },
  };
}
