/** From things of the page to their places in the text. */
import type { FromPage } from '../../webview/protocol/messages.ts';
import { methods, type OriginAnswer, type OriginRequest } from '../../webview/protocol/requests.ts';
import type { PreviewContext } from './context.ts';
import type { TriedFix } from './help.ts';
import { linesOf } from './lines.ts';
import { syncModes } from './modes.ts';
import { opened } from './opened.ts';
import { locate, type Target } from './source.ts';

/** The place of a path; undefined if the editor shall stay. */
export async function revealed(
  { requests, uri }: PreviewContext,
  { path, preserveFocus, explicit }: Extract<FromPage, { readonly type: 'reveal' }>,
): Promise<Target | undefined> {
  const file = uri();
  const click = preserveFocus && explicit !== true;
  if (file === undefined || (click && !syncModes().revealOnClick)) return undefined;
  return await locate(requests, file, path);
}

/** `tried`: what is on show that the file does not have. */
export async function answerOrigin(
  { requests, uri, overrides, post }: PreviewContext,
  request: number,
  path: string,
  tried: (version: number) => TriedFix | undefined,
): Promise<void> {
  const file = uri();
  const document = file === undefined ? undefined : await opened(file);
  if (file === undefined || document === undefined) return;
  const { trial } = tried(document.version) ?? {};
  const asked: OriginRequest = { uri: file.toString(), overrides: overrides(), trial, path };
  const answer = await requests.send<OriginAnswer>(methods.origin, asked);
  post({ type: 'origin', request, lines: answer?.lines ?? [] });
}

export async function answerLines(
  { requests, uri, post }: PreviewContext,
  request: number,
  paths: readonly string[],
): Promise<void> {
  const file = uri();
  if (file !== undefined) post({ type: 'lines', request, lines: await linesOf(requests, file, paths) });
}
