import assert from 'node:assert/strict';
import { time } from '../../engine/basics/quantities.ts';
import { rowOfItems } from '../../engine/schedule/rowItems.ts';
import type { Page } from 'playwright-core';
import type { ToPage } from '../../webview/protocol/messages.ts';
import type { PageTest } from './check.ts';
import { settled, violations } from './harness.ts';
import { microbatchParam, pipeline, plan, planMessage } from './plans.ts';
import { pictureFor, pointOf } from './scene.ts';

/** Rows that cannot run: the first forward appears twice. */
const repeated = [['F', 'F'] as const, [], [], []].map((row) =>
  rowOfItems(row.map((op) => ({ op, stage: 0, microbatch: 0, item: 0 }))),
);

const shape = { devices: 4, microbatches: 6 };

const slider: PageTest = {
  name: 'a slider tries a value at once, Apply asks to write it, and it is tried no longer once written',
  run: async (browser) => {
    const preview = await browser.open();
    await preview.post(planMessage(plan([pipeline(shape)], [microbatchParam(6)])));
    await preview.drawn();
    const range = preview.page.locator('.param input[type=range]');
    await range.focus();
    await preview.page.keyboard.press('ArrowRight');
    await preview.page.keyboard.press('ArrowRight');
    await settled(preview.page);
    assert.deepEqual((await preview.posted()).at(-1), { type: 'try', overrides: { microbatches: 8 } });
    assert.equal(await preview.page.locator('.param.tried').count(), 1);
    const place = await preview.page.locator('.param-place').boundingBox();
    const tried = pipeline({ ...shape, microbatches: 8 });
    await preview.post(planMessage(plan([tried], [microbatchParam(8, 6)]), 1, { microbatches: 8 }));
    await preview.drawn();
    assert.match(await preview.page.locator('header').innerText(), /8 microbatches/);
    const before = time(pictureFor(pipeline(shape)).report.iteration, 4).replace(' ms', '');
    const after = time(pictureFor(tried).report.iteration, 4);
    assert.equal(await preview.page.locator('[data-figure=iteration]').innerText(), `${before} > ${after}`);
    // The iteration is longer, and each of its microbatches takes less.
    assert.ok(pictureFor(tried).report.iteration / 8 < pictureFor(pipeline(shape)).report.iteration / 6);
    assert.equal(await preview.page.locator('[data-figure=iteration].better').count(), 1);
    assert.deepEqual(await preview.page.locator('.param-place').boundingBox(), place);
    await preview.page.locator('.param vscode-button', { hasText: 'Apply' }).click();
    assert.deepEqual((await preview.posted()).at(-1), { type: 'apply', name: 'microbatches', value: 8 });
    await preview.post(planMessage(plan([tried], [microbatchParam(8)]), 2, { microbatches: 8 }));
    await settled(preview.page);
    assert.equal(await preview.page.locator('.param.tried').count(), 0);
    assert.equal(await preview.page.locator('[data-figure=iteration]').innerText(), after);
    assert.deepEqual((await preview.posted()).at(-1), { type: 'try', overrides: {} });
    await preview.close();
  },
};

/** Whether an element is in sight when the page has taken a message, before any time passes: on a busy machine a request takes too long. */
const shownAfter = (page: Page, selector: string, message: ToPage): Promise<boolean> =>
  page.evaluate(
    ([data, wanted]) =>
      new Promise<boolean>((resolve) => {
        const look = () => resolve((document.querySelector(wanted)?.getClientRects().length ?? 0) > 0);
        window.addEventListener('message', () => setTimeout(look, 0), { once: true });
        window.postMessage(data, '*');
      }),
    [message, selector] as const,
  );

const broken: PageTest = {
  name: 'a broken file keeps the last timeline; what is wrong comes up once typing rests, and moves nothing',
  run: async (browser) => {
    const shownPipeline = pipeline(shape);
    const picture = pictureFor(shownPipeline);
    const preview = await browser.open();
    await preview.post(planMessage(plan([shownPipeline])));
    await preview.drawn();
    const box = await preview.page.locator('.timeline').boundingBox();
    const shownAtOnce = await shownAfter(preview.page, 'header .notice', {
      type: 'broken',
      uri: 'file:///quickstart.pipe',
      version: 2,
      message: 'Unknown device "v1000".',
      range: { start: { line: 22, character: 4 }, end: { line: 22, character: 9 } },
    });
    assert.equal(shownAtOnce, false, 'not while you type');
    const notice = preview.page.locator('header .notice');
    await notice.waitFor({ state: 'visible' });
    assert.equal(await notice.innerText(), 'line 23: Unknown device "v1000".');
    assert.deepEqual(await preview.page.locator('.timeline').boundingBox(), box, 'nothing moves');
    await notice.click();
    assert.deepEqual((await preview.posted()).at(-1), { type: 'goto', line: 22, character: 4 });
    const [x, y] = await pointOf(preview, picture, 0, 1e-3, 0.2);
    const [red, , blue] = await preview.pixel(x, y);
    assert.ok(blue > red + 30, 'the forward block is still there, paler');
    await preview.shot('page-broken');
    await preview.post(planMessage(plan([shownPipeline]), 3));
    await settled(preview.page);
    assert.ok(await notice.isHidden(), 'gone when the file is whole again');
    await preview.close();
  },
};

const patient: PageTest = {
  name: 'an error that goes away while you type is never shown, and one that stays is said once',
  run: async (browser) => {
    const shownPipeline = pipeline(shape);
    const preview = await browser.open();
    await preview.post(planMessage(plan([shownPipeline])));
    await preview.drawn();
    await preview.page.evaluate(() => {
      const scope = globalThis as unknown as { said: string[]; noticed: number };
      scope.said = [];
      scope.noticed = 0;
      const region = document.querySelector('.unseen[role=status]');
      new MutationObserver(() => scope.said.push(region?.textContent ?? '')).observe(region ?? document, {
        childList: true,
      });
      const notice = document.querySelector<HTMLElement>('header .notice');
      new MutationObserver(() => {
        if (notice?.hidden === false) scope.noticed += 1;
      }).observe(notice ?? document, { attributes: true, attributeFilter: ['hidden'] });
    });
    const fail = (version: number) =>
      preview.post({ type: 'broken', uri: 'file:///quickstart.pipe', version, message: 'Unknown name "x".' });
    await fail(2);
    await preview.page.waitForTimeout(300);
    await preview.post(planMessage(plan([shownPipeline]), 3));
    await preview.page.waitForTimeout(700);
    const seen = () =>
      preview.page.evaluate(() => {
        const { said, noticed } = globalThis as unknown as { said: string[]; noticed: number };
        return { noticed, errors: said.filter((text) => text.includes('Unknown name')).length };
      });
    assert.deepEqual(await seen(), { noticed: 0, errors: 0 });
    for (const version of [4, 5]) {
      await fail(version);
      await preview.page.locator('header .notice').waitFor({ state: 'visible' });
      await preview.page.waitForTimeout(500);
      // Something else is said meanwhile.
      await preview.page.locator('.grid [role=gridcell][tabindex="0"]').focus();
      await preview.page.keyboard.press('i');
      await preview.page.waitForTimeout(600);
    }
    assert.equal((await seen()).errors, 1);
    await preview.close();
  },
};

const impossible: PageTest = {
  name: 'a plan that cannot run says why and keeps the last timeline',
  run: async (browser) => {
    const preview = await browser.open();
    await preview.post(planMessage(plan([pipeline(shape)])));
    await preview.drawn();
    const never = pipeline({
      ...shape,
      schedule: { kind: 'rows', name: 'mine', rows: repeated },
    });
    await preview.post(planMessage(plan([never]), 2));
    await preview.page.locator('header .notice').waitFor({ state: 'visible' });
    assert.equal(await preview.page.locator('.stale').count(), 1);
    assert.match(await preview.page.locator('header').innerText(), /1f1b/);
    await preview.close();
  },
};

const restore: PageTest = {
  name: 'the view comes back after a reload, and strange messages are ignored',
  run: async (browser) => {
    const uri = 'file:///quickstart.pipe';
    const preview = await browser.open({
      state: {
        uri,
        t0: 0.01,
        t1: 0.03,
        scroll: 0,
        rowHeight: 54,
        colours: 'microbatch',
        criticalPath: false,
        overrides: { microbatches: 6 },
      },
    });
    const [ready] = await preview.posted();
    assert.ok(ready.type === 'ready' && ready.state?.uri === uri, 'ready carries the state');
    await preview.page.evaluate(() => {
      for (const data of [
        null,
        7,
        'plan',
        { type: 'plan' },
        { type: 'plan', plan: { pipelines: [{}] } },
        { type: 'highlight', groups: [1] },
      ])
        window.postMessage(data, '*');
    });
    await preview.post(planMessage(plan([pipeline(shape)], [microbatchParam(6, 8)]), 1, { microbatches: 6 }));
    await preview.drawn();
    await preview.page.waitForTimeout(300);
    const kept = await preview.page.evaluate(() => (globalThis as unknown as { kept: Record<string, unknown> }).kept);
    assert.equal(kept['t0'], 0.01);
    assert.equal(kept['t1'], 0.03);
    assert.equal(kept['colours'], 'microbatch');
    assert.ok(JSON.stringify(kept).length < 2048);
    assert.deepEqual(preview.problems, []);
    assert.deepEqual(await violations(preview.page), []);
    await preview.close();
  },
};

const newest: PageTest = {
  name: 'of many plans in a row the newest is shown, and the page rests afterwards',
  run: async (browser) => {
    const preview = await browser.open();
    for (let version = 1; version <= 12; version += 1)
      await preview.post(planMessage(plan([pipeline({ ...shape, microbatches: version })]), version));
    await preview.drawn(12);
    assert.match(await preview.page.locator('header').innerText(), /12 microbatches/);
    const frames = await preview.page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let asked = 0;
          const original = window.requestAnimationFrame;
          window.requestAnimationFrame = (callback) => {
            asked += 1;
            return original(callback);
          };
          setTimeout(() => resolve(asked), 500);
        }),
    );
    assert.equal(frames, 0);
    await preview.close();
  },
};

const manyPipelines: PageTest = {
  name: 'with several pipelines one is chosen',
  run: async (browser) => {
    const preview = await browser.open();
    await preview.post(
      planMessage(
        plan([pipeline({ ...shape, name: 'small' }), pipeline({ ...shape, name: 'large', microbatches: 12 })]),
      ),
    );
    await preview.drawn();
    assert.match(await preview.page.locator('header').innerText(), /· 6 microbatches/);
    await preview.page.locator('vscode-dropdown').click();
    await preview.page.locator('vscode-option', { hasText: 'large' }).click();
    await preview.drawn();
    assert.match(await preview.page.locator('header').innerText(), /12 microbatches/);
    await preview.close();
  },
};

const askedFor: PageTest = {
  name: 'the pipeline that was asked for in the editor is shown, and stays chosen',
  run: async (browser) => {
    const preview = await browser.open();
    const both = plan([pipeline({ ...shape, name: 'small' }), pipeline({ ...shape, name: 'large', microbatches: 12 })]);
    await preview.post({ ...planMessage(both), pipeline: 'large' });
    await preview.drawn();
    const text = () => preview.page.locator('header').innerText();
    assert.match(await text(), /12 microbatches/);
    await preview.post({ ...planMessage(both), pipeline: 'small' });
    await preview.drawn();
    assert.match(await text(), /· 6 microbatches/);
    await preview.post({ ...planMessage(both), pipeline: 'large' });
    await preview.drawn();
    const changed = plan([both.pipelines[0], { ...both.pipelines[1], microbatches: 13 }]);
    await preview.post(planMessage(changed, 2));
    await preview.drawn();
    assert.match(await text(), /13 microbatches/);
    await preview.close();
  },
};

const noWorker: PageTest = {
  name: 'where no worker can start, the page says so and tells the editor',
  run: async (browser) => {
    const preview = await browser.open({
      before: () => {
        (globalThis as { Worker: unknown }).Worker = function () {
          throw new Error('workers are off');
        };
      },
    });
    await settled(preview.page);
    await preview.page.getByText('workers are off').first().waitFor();
    assert.ok(
      (await preview.posted()).some((message) => message.type === 'error' && message.message === 'workers are off'),
    );
    await preview.close();
  },
};

const overtaken: PageTest = {
  name: 'a plan that cannot run right after one that can leaves a picture that still moves',
  run: async (browser) => {
    const preview = await browser.open();
    const never = pipeline({
      ...shape,
      schedule: { kind: 'rows', name: 'mine', rows: repeated },
    });
    await preview.page.evaluate(
      (messages) => {
        for (const message of messages) window.postMessage(message, '*');
      },
      [planMessage(plan([pipeline(shape)])), planMessage(plan([pipeline({ ...shape, microbatches: 9 })]), 2)],
    );
    await preview.drawn();
    await preview.post(planMessage(plan([pipeline({ ...shape, microbatches: 10 })]), 3));
    await preview.post(planMessage(plan([never]), 4));
    await preview.page.locator('header .notice').waitFor({ state: 'visible' });
    await preview.page.waitForTimeout(200);
    assert.ok(await preview.page.locator('header .notice').isVisible(), 'the notice stays');
    await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
    await preview.page.keyboard.press('w');
    await preview.page.waitForTimeout(350);
    const kept = await preview.page.evaluate(() => (globalThis as unknown as { kept: { t0: number } }).kept);
    assert.ok(kept.t0 > 0, 'zoomed');
    await preview.close();
  },
};

const otherFile: PageTest = {
  name: 'another file does not inherit the picture of the one before',
  run: async (browser) => {
    const preview = await browser.open();
    await preview.post(planMessage(plan([pipeline(shape)])));
    await preview.drawn();
    const uri = 'file:///other.pipe';
    await preview.post({ type: 'broken', uri, version: 1, message: 'Expected a name.' });
    await settled(preview.page);
    assert.equal(await preview.page.locator('.stale').count(), 0);
    assert.ok(await preview.page.locator('.canvases').isHidden());
    const other = pipeline({ ...shape, microbatches: 3 });
    await preview.post({ ...planMessage({ ...plan([other]), file: uri }), title: 'other.pipe' });
    await preview.drawn();
    assert.match(await preview.page.locator('header').innerText(), /· 3 microbatches/);
    assert.match((await preview.page.locator('.policy').getAttribute('title')) ?? '', /other\.pipe/);
    assert.ok(await preview.page.locator('.canvases').isVisible());
    await preview.close();
  },
};

export const lifecycleTests: readonly PageTest[] = [
  slider,
  broken,
  patient,
  impossible,
  restore,
  newest,
  manyPipelines,
  askedFor,
  noWorker,
  overtaken,
  otherFile,
];
