/** Fixes that a preview asks for, shows and applies. The page names a fix by its place in the answer; only this file knows edits. */
import * as vscode from 'vscode';
import type { FromPage } from '../../webview/protocol/messages.ts';
import {
  methods,
  type HelpAnswer,
  type HelpFix,
  type HelpRequest,
  type PlanRequest,
} from '../../webview/protocol/requests.ts';
import { writeEdits } from './source.ts';
import type { Requests } from '../languageClient.ts';
import type { PreviewContext } from './context.ts';

type HelpMessage = Extract<FromPage, { readonly type: 'help' | 'applyFix' | 'showFix' }>;

/** A fix whose result the preview shows, though the file does not have it. */
export interface TriedFix {
  readonly title: string;
  readonly trial: NonNullable<PlanRequest['trial']>;
}

export interface PreviewHelp {
  receive(message: HelpMessage): Promise<void>;
  /** The fix on show; undefined once the text has another version. */
  tried(version: number): TriedFix | undefined;
  /** The text has changed. An edit that leaves the plan as it was brings no other message, so a fix on show has to end here. */
  edited(version: number): void;
  /** The preview shows another file. */
  forget(): void;
}

/** It neither turns sliders nor follows what takes long. */
export interface PreviewHelpHost extends Pick<PreviewContext, 'uri' | 'overrides' | 'post' | 'refresh'> {
  readonly requests: Requests;
}

export function createHelp({ requests, uri, overrides, post, refresh }: PreviewHelpHost): PreviewHelp {
  let answered: { readonly request: number; readonly file: string; readonly answer: HelpAnswer } | undefined;
  let newest = 0;
  let trying: TriedFix | undefined;

  async function ask({ request, pipeline, about, device }: Extract<HelpMessage, { readonly type: 'help' }>) {
    const file = uri()?.toString();
    if (file === undefined) return;
    newest = request;
    const asked: HelpRequest = { uri: file, overrides: overrides(), pipeline, about, device };
    const answer = await requests.send<HelpAnswer>(methods.help, asked);
    if (newest !== request || uri()?.toString() !== file) return;
    answered = answer ? { request, file, answer } : undefined;
    post({ type: 'fixes', request, fixes: (answer?.fixes ?? []).map(withoutEdits) });
  }

  /** The fix that the page means, if its answer is still the newest one for this file. */
  function fixOf(request: number, index: number): { readonly fix: HelpFix; readonly version: number } | undefined {
    if (answered?.request !== request || answered.file !== uri()?.toString()) return undefined;
    const { fixes, version } = answered.answer;
    const fix = fixes[index];
    return fix === undefined ? undefined : { fix, version };
  }

  return {
    async receive(message) {
      switch (message.type) {
        case 'help':
          return ask(message);
        case 'showFix': {
          const found = fixOf(message.request, message.index);
          trying =
            found === undefined
              ? undefined
              : { title: found.fix.title, trial: { version: found.version, edits: found.fix.edits } };
          await refresh();
          if (message.index >= 0 && trying === undefined) sayChanged('shown');
          return;
        }
        case 'applyFix': {
          const file = uri();
          const found = fixOf(message.request, message.index);
          trying = undefined;
          const isWritten =
            file !== undefined && found !== undefined && (await writeEdits(file, found.version, found.fix.edits));
          if (isWritten) return;
          sayChanged('applied');
          return refresh();
        }
      }
    },
    tried(version) {
      if (trying !== undefined && trying.trial.version !== version) trying = undefined;
      return trying;
    },
    edited(version) {
      if (trying !== undefined && trying.trial.version !== version) void refresh();
    },
    forget() {
      answered = undefined;
      trying = undefined;
    },
  };
}

/** Edits are for the text that the fix was found for; another text may have moved under them. */
const sayChanged = (what: 'shown' | 'applied'): void =>
  void vscode.window.setStatusBarMessage(`$(warning) The fix was not ${what}: the file has changed.`, 5000);

const withoutEdits = ({ title, effect, before, diff }: HelpFix) => ({ title, effect, before, diff });
