/** The search for a shorter order that a preview watches. The page sees how far it is; only this file knows edits. */
import * as vscode from 'vscode';
import type { FromPage } from '../../webview/protocol/messages.ts';
import {
  methods,
  type OrderEnd,
  type OrderRequest,
  type OrderResult,
  type OrderState,
  type StopOrder,
} from '../../webview/protocol/requests.ts';
import { writeEdits } from './source.ts';
import type { PreviewContext } from './context.ts';

type OrderMessage = Extract<FromPage, { readonly type: 'searchOrder' | 'stopOrder' | 'endOrder' | 'keepOrder' }>;
type Asked = Extract<OrderMessage, { readonly type: 'searchOrder' }>;

/** Milliseconds without a change of the text after which it is searched again. */
const quiet = 500;

/** Numbers of searches, of all previews. */
let searches = 0;

export function createOrders({ requests, uri, post }: PreviewContext) {
  /** What the page watches. */
  let asked: Asked | undefined;
  let running: vscode.CancellationTokenSource | undefined;
  /** Number of the newest search. */
  let newest = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let keep: (NonNullable<OrderEnd['keep']> & { readonly request: number; readonly uri: vscode.Uri }) | undefined;

  function stop(): void {
    clearTimeout(timer);
    running?.cancel();
    running = undefined;
    keep = undefined;
  }

  async function search(): Promise<void> {
    stop();
    const file = uri();
    if (file === undefined || asked === undefined) return;
    const { request, pipeline, times } = asked;
    const source = new vscode.CancellationTokenSource();
    running = source;
    searches += 1;
    newest = searches;
    const of: OrderRequest = { uri: file.toString(), pipeline, times, search: newest };
    const isNewest = (): boolean => running === source && uri()?.toString() === file.toString();
    const result = await requests.follow<OrderResult>(
      methods.orderSearch,
      of,
      (state) => {
        if (isNewest()) post({ type: 'order', request, state: state as OrderState });
      },
      source.token,
    );
    // Null: the text has changed, which searches again.
    if (!isNewest() || result === undefined || result === null) return;
    if ('reason' in result) return post({ type: 'order', request, reason: result.reason });
    const { end, ...state } = result;
    if (end.keep !== undefined) keep = { ...end.keep, request, uri: file };
    const { keep: _, ...ended } = end;
    post({ type: 'order', request, state, end: { ...ended, keeps: end.keep !== undefined } });
  }

  return {
    async receive(message: OrderMessage): Promise<void> {
      switch (message.type) {
        case 'searchOrder':
          asked = message;
          return search();
        case 'stopOrder':
          if (asked?.request === message.request)
            requests.notify(methods.stopOrder, { search: newest } satisfies StopOrder);
          return;
        case 'endOrder':
          if (asked?.request !== message.request) return;
          asked = undefined;
          return stop();
        case 'keepOrder':
          if (
            keep?.request === message.request &&
            keep.uri.toString() === uri()?.toString() &&
            (await writeEdits(keep.uri, keep.version, keep.edits))
          )
            return;
          void vscode.window.setStatusBarMessage('$(warning) The order was not written: the file has changed.', 5000);
      }
    },
    /** The text has changed: what was found may not hold for it. */
    edited(): void {
      if (asked === undefined) return;
      stop();
      post({ type: 'order', request: asked.request });
      timer = setTimeout(() => void search(), quiet);
    },
    /** The preview shows another file, or its page is gone. */
    forget(): void {
      asked = undefined;
      stop();
    },
  };
}
