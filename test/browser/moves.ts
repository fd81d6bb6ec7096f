import assert from 'node:assert/strict';
import type { TextEdit } from 'vscode-languageserver';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { FromPage } from '../../webview/protocol/messages.ts';
import {
  methods,
  type MoveInRowAnswer,
  type MoveSlotAnswer,
  type PlanAnswer,
} from '../../webview/protocol/requests.ts';
import { applyEdits, type Client, main } from '../support/server.ts';
import { type Preview, settled } from './harness.ts';

/** The part of the extension between a page that moves operations and the server. */
export function movingExtension(preview: Preview, client: Client, title: string, text: string) {
  let version = 0;
  let seen = 0;
  let file = text;
  let tried: { readonly version: number; readonly edit: TextEdit; readonly text?: string } | undefined;
  let shown: PipelinePlan | undefined;

  async function show(): Promise<void> {
    version += 1;
    const trial = tried === undefined ? undefined : { version: tried.version, edits: [tried.edit] };
    const { plan, options, schedules, problem } = await client.request<PlanAnswer>(methods.plan, { uri: main, trial });
    assert.ok(plan !== undefined, problem?.message);
    [shown] = plan.pipelines;
    const of = { uri: main, title, version, plan, overrides: {}, options, schedules };
    await preview.post({ type: 'plan', ...of, trying: tried?.text });
    await settled(preview.page);
  }
  async function answer(message: FromPage): Promise<void> {
    if (message.type === 'moveInRow') {
      const { type: _, request, ...move } = message;
      const found = await client.request<MoveInRowAnswer | null>(methods.moveInRow, { uri: main, ...move });
      tried = triedOf(found?.version, found?.edit, found?.problem, found?.text);
      await preview.post({ type: 'rowMoved', request, text: found?.text, note: found?.note, problem: found?.problem });
      await show();
    }
    if (message.type === 'moveSlot') {
      const { type: _, request, ...move } = message;
      const found = await client.request<MoveSlotAnswer | null>(methods.moveSlot, { uri: main, ...move });
      tried = triedOf(found?.version, found?.edit, found?.problem);
      const { text: written, stages = [], problem } = found ?? {};
      await preview.post({ type: 'slotMoved', request, text: written, stages, problem });
      await show();
    }
    if (message.type !== 'endMove') return;
    if (message.write && tried !== undefined) {
      file = applyEdits(file, [tried.edit]);
      client.change(main, file);
    }
    tried = undefined;
    await show();
  }
  return {
    show,
    /** Answers all that the page has posted since the last call. */
    async answer(): Promise<void> {
      await settled(preview.page);
      const posted = await preview.posted();
      const news = posted.slice(seen);
      seen = posted.length;
      for (const message of news) await answer(message);
      await settled(preview.page);
    },
    text: () => file,
    plan(): PipelinePlan {
      assert.ok(shown !== undefined);
      return shown;
    },
  };
}

/** A move that the server refuses is not shown. */
const triedOf = (version = 0, edit?: TextEdit, problem?: string, text?: string) =>
  edit === undefined || problem !== undefined ? undefined : { version, edit, text };
