/** Pictures that a page draws, since a browser has no other place for it. */
import type { FromPage, ToPage } from '../../webview/protocol/messages.ts';
import type { Drawing } from '../../webview/protocol/requests.ts';

type Drawn = Pick<Extract<FromPage, { readonly type: 'drawn' }>, 'request' | 'base64'>;

export function createPictures(post: (message: ToPage) => void) {
  let last = 0;
  let waiting: { readonly request: number; readonly end: (base64?: string) => void } | undefined;
  return {
    /** The PNG in base64; undefined where the page does not draw it, is closed, or is asked for another one. */
    draw(drawing: Drawing): Promise<string | undefined> {
      waiting?.end();
      last += 1;
      const request = last;
      return new Promise((resolve) => {
        waiting = { request, end: resolve };
        post({ type: 'draw', request, ...drawing });
      });
    },
    receive({ request, base64 }: Drawn): void {
      if (waiting?.request === request) waiting.end(base64);
    },
    closed: () => waiting?.end(),
  };
}
