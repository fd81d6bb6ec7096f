/** A link to what is on show, and the page that it leads to. */
import assert from 'node:assert/strict';
import type { PreviewState } from '../../webview/protocol/messages.ts';
import type { Browser, PageTest } from './check.ts';
import { type Preview, settled } from './harness.ts';
import { microbatchParam, pipeline, plan, planMessage } from './plans.ts';

const shape = { devices: 4, microbatches: 6 };
const inFile = planMessage(plan([pipeline(shape)], [microbatchParam(6)]));
const tried = planMessage(plan([pipeline({ ...shape, microbatches: 8 })], [microbatchParam(8, 6)]), 2, {
  microbatches: 8,
});

/** A page with an editor around it: only there links are made. */
async function opened(browser: Browser): Promise<Preview> {
  const preview = await browser.open();
  await preview.post({ type: 'modes', docked: false, following: false, outlineAtCursor: true, revealOnClick: true });
  return preview;
}

/** What a link of the page would lead to. */
async function copied(preview: Preview): Promise<PreviewState> {
  await preview.page.getByRole('button', { name: 'More' }).click();
  await preview.page.locator('.menu-item', { hasText: 'Copy link to this view' }).click();
  await settled(preview.page);
  const last = (await preview.posted()).at(-1);
  assert(last?.type === 'copyLink');
  return last.state;
}

/** Zoomed in, with a selection, other colours, and a slider that is turned. */
async function shown(browser: Browser): Promise<{ readonly preview: Preview; readonly state: PreviewState }> {
  const preview = await opened(browser);
  await preview.post(inFile);
  await preview.drawn();
  await preview.post(tried);
  await preview.drawn();
  await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'w', 'w', '2']) await preview.page.keyboard.press(key);
  await settled(preview.page);
  return { preview, state: await copied(preview) };
}

export const linkTests: readonly PageTest[] = [
  {
    name: 'a link has the place, the selection and the sliders, and a new page shows them',
    async run(browser) {
      const { preview, state } = await shown(browser);
      assert.deepEqual(state.overrides, { microbatches: 8 });
      assert.equal(state.colours, 'microbatch');
      assert.equal(state.selection?.of, 'block');
      assert((state.t1 ?? 0) - (state.t0 ?? 0) < 0.9 * (await lengthOf(preview)));
      await preview.close();
      const other = await opened(browser);
      await other.post({ type: 'view', state });
      await other.post(tried);
      await other.drawn();
      await settled(other.page);
      assert.deepEqual(await copied(other), state);
      assert.deepEqual(other.problems, []);
      await other.close();
    },
  },
  {
    name: 'a link leads back in a page that shows its file already, even if nothing else has changed',
    async run(browser) {
      const { preview, state } = await shown(browser);
      await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
      for (const key of ['Escape', '0', '1']) await preview.page.keyboard.press(key);
      await settled(preview.page);
      assert.notDeepEqual(await copied(preview), state);
      await preview.post({ type: 'view', state });
      await preview.post({ ...tried, version: 3 });
      await preview.drawn();
      await settled(preview.page);
      assert.deepEqual(await copied(preview), state);
      await preview.close();
    },
  },
  {
    name: 'what a link says of another timeline is left out, and all of the iteration is shown',
    async run(browser) {
      const preview = await opened(browser);
      await preview.post({
        type: 'view',
        state: { uri: inFile.uri, t0: 100, t1: 200, selection: { of: 'block', kind: 'F', stage: 99, microbatch: 0 } },
      });
      await preview.post(inFile);
      await preview.drawn();
      await settled(preview.page);
      const state = await copied(preview);
      assert.equal(state.selection, undefined);
      assert.equal(state.t0, 0);
      assert.deepEqual(preview.problems, []);
      await preview.close();
    },
  },
];

/** Seconds of the iteration, from a view of all of it. */
async function lengthOf(preview: Preview): Promise<number> {
  await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
  await preview.page.keyboard.press('0');
  await settled(preview.page);
  const { t0 = 0, t1 = 0 } = await copied(preview);
  return t1 - t0;
}
