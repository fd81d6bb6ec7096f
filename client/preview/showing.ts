/** Which file a preview shows, and its newest plan. */
import type * as vscode from 'vscode';
import type { PreviewState } from '../../webview/protocol/messages.ts';
import { methods, type PlanAnswer, type PlanRequest } from '../../webview/protocol/requests.ts';
import { syncModes } from './modes.ts';
import { opened } from './opened.ts';
import { goneMessage, planMessage } from './planMessage.ts';
import type { Preview, Self } from './self.ts';
import { previewTitle, titleOf } from './titles.ts';

export async function refresh(self: Self): Promise<void> {
  const { host, memory, outbox, parts } = self;
  memory.asked += 1;
  const mine = memory.asked;
  const file = memory.uri;
  if (file === undefined) return outbox.post({ type: 'idle' });
  const document = await opened(file);
  if (document === undefined) {
    if (mine === memory.asked) outbox.post(goneMessage(file, memory));
    return;
  }
  const { help, movedOrders, plans } = parts;
  const { version } = document;
  const tried = help.tried(version) ?? movedOrders.tried(version) ?? plans.tried(version);
  const request: PlanRequest = { uri: file.toString(), overrides: memory.overrides, trial: tried?.trial };
  const answer = await host.requests.send<PlanAnswer>(methods.plan, request);
  if (mine !== memory.asked) return;
  memory.text = document.getText();
  memory.key = answer?.key;
  outbox.post(planMessage(file, answer, memory, tried?.title, host.serverState()));
  parts.cursor.again();
  if (answer !== undefined) memory.chosen = undefined;
}

export function showFile(self: Self, next: vscode.Uri, pipeline?: string): void {
  const { context, memory, parts } = self;
  const isOther = memory.uri?.toString() !== next.toString();
  if (isOther) {
    parts.plans.leave();
    Object.assign(memory, { overrides: {}, text: undefined, renamed: undefined });
    for (const part of [parts.beside, parts.help, parts.movedOrders, parts.orders, parts.freshness, parts.cursor])
      part.forget();
  }
  memory.uri = next;
  if (isOther) parts.plans.resume();
  if (pipeline !== undefined) memory.chosen = pipeline;
  rename(self);
  void context.refresh();
}

/** Pipeline, sliders, place and selection, all as a link says: what it does not name is as in a new preview. */
export function restore({ context, memory, outbox }: Self, state: PreviewState): void {
  memory.overrides = state.overrides ?? {};
  if (!outbox.isOpen()) memory.linked = memory.overrides;
  if (state.pipeline !== undefined) memory.chosen = state.pipeline;
  outbox.post({ type: 'view', state });
  void context.refresh();
}

/** The place bears the name of the file. */
export function rename({ host, memory: { uri }, place }: Self): void {
  if (place.kind === 'view') place.rename(uri === undefined ? '' : titleOf(uri));
  else place.rename(uri === undefined ? 'Preview' : previewTitle(uri));
  host.fileChanged();
}

export function follow(self: Self, preview: Preview, following: boolean): void {
  const { host, memory, place } = self;
  if (place.kind === 'view' || memory.following === following) return;
  memory.following = following;
  postModes(self);
  host.followed(preview);
}

export function postModes({ memory, outbox, place }: Self): void {
  outbox.post({ type: 'modes', docked: place.kind === 'view', following: memory.following, ...syncModes() });
}
