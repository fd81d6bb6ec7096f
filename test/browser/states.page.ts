import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { rowOfItems } from '../../engine/schedule/rowItems.ts';
import type { PageTest } from './check.ts';
import { exampleFile, openEditor } from './editor.ts';
import { type Preview, settled, violations } from './harness.ts';
import { microbatchParam, pipeline, plan, planMessage } from './plans.ts';
import { longStall, rowsPlan, stalled } from './stalls.ts';

/** Rows that cannot run: the first forward appears twice. */
const repeated = [['F', 'F'] as const, [], [], []].map((row) =>
  rowOfItems(row.map((op) => ({ op, stage: 0, microbatch: 0, item: 0 }))),
);

const uri = 'file:///quickstart.pipe';
const said = (preview: Preview) => preview.page.locator('[role=status].unseen').innerText();
const title = (preview: Preview) => preview.page.locator('.message h2').innerText();

const deadlock: PageTest = {
  name: 'a deadlock is drawn up to the stall, with the circle as numbered arrows and sentences',
  run: async (browser) => {
    const preview = await browser.open({ width: 760, height: 720 });
    await preview.post(planMessage(plan([stalled])));
    await preview.page.locator('.stall').waitFor({ state: 'visible' });
    await settled(preview.page);
    const figures = await preview.page.locator('.stall-figures').innerText();
    assert.match(figures, /Deadlock after 6\.636 ms\s+3 of 16 operations ran\s+4 devices wait/);
    assert.equal(await preview.page.locator('.stall-drawing .in-circle').count(), 4);
    assert.deepEqual(await preview.page.locator('.stall-drawing .badge').allTextContents().then(words), [
      '1',
      '2',
      '3',
      '4',
    ]);
    assert.deepEqual(await preview.page.locator('.stall-steps li').allInnerTexts().then(words), [
      '1 2F1 on gpu[2] needs the activations of 1F1 on gpu[1].',
      '2 1F1 comes after 1B0 in the row of gpu[1]. show',
      '3 1B0 on gpu[1] needs the gradient from 2B0 on gpu[2].',
      '4 2B0 comes after 2F1 in the row of gpu[2]. show',
    ]);
    // Everything under the toolbar is away, and the pipeline's name is the one that waits.
    assert.ok(await preview.page.locator('.statistics').isHidden());
    assert.match(await preview.page.locator('header').innerText(), /mine/);
    await preview.page.locator('.stall-steps .link').first().focus();
    await preview.page.keyboard.press('Enter');
    assert.deepEqual((await preview.posted()).at(-1), {
      type: 'reveal',
      path: 'train/row:1/item:2',
      preserveFocus: false,
    });
    await preview.page.waitForTimeout(400);
    assert.match(await said(preview), /^Deadlock after 6\.636 ms: 3 of 16 operations ran and 4 devices wait\./);
    await preview.close();
  },
};

const words = (texts: readonly string[]): string[] => texts.map((text) => text.replace(/\s+/g, ' ').trim());

const looks: PageTest = {
  name: 'a deadlock fits the page at every width',
  run: async (browser) => {
    const preview = await browser.open({ width: 320, height: 720 });
    await preview.post(planMessage(plan([stalled])));
    await preview.page.locator('.stall').waitFor({ state: 'visible' });
    for (const width of [320, 420, 700, 1400]) {
      await preview.resize(width, 720);
      assert.ok((await preview.page.evaluate(() => document.documentElement.scrollWidth)) <= width);
      const drawing = await preview.page.locator('.stall-drawing').boundingBox();
      if (width >= 420) assert.equal(Math.round(drawing?.width ?? 0), width);
    }
    await preview.close();
  },
};

const folded: PageTest = {
  name: 'of many devices those of the circle are drawn, the others counted; circles are stepped through',
  run: async (browser) => {
    const preview = await browser.open({ width: 420, height: 720 });
    await preview.post(planMessage(plan([longStall(64, 8)])));
    await preview.page.locator('.stall').waitFor({ state: 'visible' });
    assert.equal(await preview.page.locator('.stall-folded').innerText(), '62 more devices wait.');
    assert.ok(await preview.page.locator('.stall-circles').isHidden());
    await preview.post(planMessage(plan([rowsPlan(['F0 F1 F2 B0 B1 B2', 'B0 F0 B1 F1 B2 F2'])]), 2));
    await preview.page.locator('.stall-circles').waitFor({ state: 'visible' });
    assert.match(await preview.page.locator('.stall-circles').innerText(), /Circle 1 of 3/);
    await preview.page.getByRole('button', { name: 'Previous circle' }).click();
    assert.match(await preview.page.locator('.stall-circles').innerText(), /Circle 3 of 3/);
    assert.match(
      await preview.page.locator('.stall-steps').innerText(),
      /1B2 on gpu\[1\] needs the activations of\s+1F2/,
    );
    await preview.close();
  },
};

const turnedBack: PageTest = {
  name: 'the timeline comes back, as it was, when a deadlock is resolved; sliders stay in reach meanwhile',
  run: async (browser) => {
    const preview = await browser.open({ width: 760, height: 720 });
    const runs = pipeline({ devices: 4, microbatches: 2 });
    await preview.post(planMessage(plan([runs], [microbatchParam(2)])));
    await preview.drawn();
    await preview.post(planMessage(plan([stalled], [microbatchParam(2)]), 2));
    await preview.page.locator('.stall').waitFor({ state: 'visible' });
    assert.ok(await preview.page.locator('.param input[type=range]').isVisible());
    const bar = await preview.page.locator('.params').boundingBox();
    const cover = await preview.page.locator('.cover').boundingBox();
    assert.ok(bar !== null && cover !== null && cover.y >= bar.y + bar.height - 1);
    await preview.post(planMessage(plan([runs], [microbatchParam(2)]), 3));
    await preview.drawn();
    assert.ok(await preview.page.locator('.cover').isHidden());
    assert.ok(await preview.page.locator('.statistics').isVisible());
    assert.deepEqual(await violations(preview.page), []);
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
};

const errors: PageTest = {
  name: 'without a timeline the page says what is wrong and what to do, once, and shows no canvas',
  run: async (browser) => {
    const preview = await browser.open({ width: 320, height: 480 });
    await preview.post({
      type: 'broken',
      uri,
      version: 1,
      message: 'Unknown device "v1000".',
      range: { start: { line: 4, character: 2 }, end: { line: 4, character: 7 } },
    });
    await settled(preview.page);
    assert.equal(await title(preview), 'Nothing to draw yet: line 5 has an error.');
    assert.ok(await preview.page.locator('.canvases').isHidden());
    await preview.page.getByRole('button', { name: 'Go to line 5' }).press('Enter');
    assert.deepEqual((await preview.posted()).at(-1), { type: 'goto', line: 4, character: 2 });

    await preview.post({ type: 'gone', uri, title: 'quickstart.pipe', version: 2, renamed: 'mine.pipe' });
    await settled(preview.page);
    assert.equal(await title(preview), 'quickstart.pipe was renamed or deleted.');
    await preview.page.getByRole('button', { name: 'Open the renamed file' }).click();
    assert.deepEqual((await preview.posted()).at(-1), { type: 'openRenamed' });
    await preview.page.getByRole('button', { name: 'Close' }).click();
    assert.deepEqual((await preview.posted()).at(-1), { type: 'close' });

    await preview.post({
      type: 'stopped',
      uri,
      version: 3,
      message: 'The language server has stopped. It ended 5 times.',
    });
    await settled(preview.page);
    assert.equal(await title(preview), 'The language server has stopped.');
    assert.match(await preview.page.locator('.message').innerText(), /It ended 5 times\./);
    await preview.page.getByRole('button', { name: 'Restart' }).click();
    assert.deepEqual((await preview.posted()).at(-1), { type: 'restart' });
    await preview.post(planMessage(plan([pipeline({ devices: 4, microbatches: 2 })]), 4));
    await preview.drawn();
    assert.ok(await preview.page.locator('.cover').isHidden());
    await preview.close();
  },
};

const fixes: PageTest = {
  name: 'a deadlock has fixes with their lines and effect, and links to the lines of its rows',
  run: async (browser) => {
    const preview = await browser.open({ width: 420, height: 900 });
    await preview.post(planMessage(plan([stalled])));
    await preview.page.locator('.stall').waitFor({ state: 'visible' });
    const asked = await preview.posted();
    const help = asked.find((message) => message.type === 'help');
    const lines = asked.find((message) => message.type === 'lines');
    assert.ok(help?.type === 'help' && lines?.type === 'lines');
    assert.deepEqual([help.pipeline, help.about], ['train', 'deadlock']);
    assert.deepEqual(lines.paths, ['train/row:1/item:2', 'train/row:2/item:2']);
    await preview.post({ type: 'lines', request: lines.request, lines: [8, null] });
    const effect = { iteration: 0.06824, throughput: 1, bubble: 0.647, peak: 1, capacity: 2, fits: true };
    const forwards = Array.from({ length: 30 }, (_, at) => `F[${at}]`).join(', ');
    const diff = [
      '- row(1) = F[0], B[0], F[1], B[1]',
      `- row(2) = ${forwards}, B[0], F[30], F[31]`,
      '+ row(1) = F[0], F[1], B[0], B[1]',
      `+ row(2) = ${forwards}, F[30], B[0], F[31]`,
    ];
    // A line that only comes has no counterpart: all of it is in sight.
    const other = { title: 'Run F[1] after B[0] on gpu[2]', effect, diff: [`+ row(3) = ${forwards}`] };
    await preview.post({ type: 'fixes', request: help.request - 1, fixes: [other] });
    await preview.post({
      type: 'fixes',
      request: help.request,
      fixes: [{ title: 'Run F[1] before B[0] on gpu[1]', effect, diff }, other],
    });
    await settled(preview.page);
    assert.deepEqual(await preview.page.locator('.stall-steps .link').allInnerTexts(), ['line 8', 'show']);
    const cards = preview.page.locator('.stall-fixes .fix');
    assert.equal(await cards.count(), 2);
    assert.match(
      await cards.first().innerText(),
      /Run F\[1\] before B\[0\].*- row\(1\).*runs, 68.24 ms · bubble 64.7 %/s,
    );
    // In a long row, what moves is in sight.
    assert.match(await cards.first().innerText(), /- row\(2\) = …, F\[29\], B\[0\], F\[30\], F\[31\]/);
    const cutLines = await cards
      .locator('.diff, .diff span')
      .evaluateAll((nodes) => nodes.filter((node) => node.scrollWidth > node.clientWidth).length);
    assert.equal(cutLines, 0);
    await preview.shot('stall-diff-420');
    await preview.page.getByRole('button', { name: 'Show: Run F[1] before B[0] on gpu[1]' }).press('Enter');
    assert.deepEqual((await preview.posted()).at(-1), { type: 'showFix', request: help.request, index: 0 });
    const runs = planMessage(plan([pipeline({ devices: 4, microbatches: 2 })]), 2);
    await preview.post({ ...runs, trying: other.title });
    await preview.drawn();
    const trial = preview.page.getByRole('group', { name: 'Trying a fix' });
    // Nothing is wrong: no error is shown, and all of it is in sight.
    assert.ok(await preview.page.locator('.notice').isHidden());
    const take = await trial.getByRole('button', { name: 'Apply the fix that is shown' }).boundingBox();
    const tools = await preview.page.locator('.tools').boundingBox();
    const right = ((await trial.boundingBox())?.x ?? 0) + ((await trial.boundingBox())?.width ?? 0);
    assert.ok(take !== null && take.x > 0 && tools !== null && right <= tools.x && tools.x + tools.width <= 420);
    await preview.shot('trial-420');
    await trial.getByRole('button', { name: 'Back to the deadlock' }).click();
    assert.ok(await trial.isHidden());
    assert.deepEqual((await preview.posted()).at(-1), { type: 'showFix', request: help.request, index: -1 });
    await preview.post(planMessage(plan([stalled]), 3));
    await preview.page.locator('.stall').waitFor({ state: 'visible' });
    const again = (await preview.posted()).findLast((message) => message.type === 'help');
    assert.ok(again?.type === 'help' && again.request > help.request);
    await preview.post({ type: 'fixes', request: again.request, fixes: [other] });
    await preview.page.getByRole('button', { name: 'Apply: Run F[1] after B[0] on gpu[2]' }).click();
    assert.deepEqual((await preview.posted()).at(-1), { type: 'applyFix', request: again.request, index: 0 });
    // What is on show can be applied where it is shown.
    await preview.page.getByRole('button', { name: 'Show: Run F[1] after B[0] on gpu[2]' }).click();
    await preview.post({ ...runs, version: 4, trying: other.title });
    await preview.drawn();
    await trial.getByRole('button', { name: 'Apply the fix that is shown' }).click();
    assert.deepEqual((await preview.posted()).at(-1), { type: 'applyFix', request: again.request, index: 0 });
    assert.ok(await trial.isHidden());
    await preview.close();
  },
};

const editedTrial: PageTest = {
  name: 'an edit ends the note of a fix that is shown for a deadlock',
  run: async (browser) => {
    const preview = await browser.open({ width: 700, height: 800 });
    await preview.post(planMessage(plan([stalled])));
    await preview.page.locator('.stall').waitFor({ state: 'visible' });
    const help = (await preview.posted()).find((message) => message.type === 'help');
    assert.ok(help?.type === 'help');
    const effect = { iteration: 0.06824, throughput: 1, bubble: 0.647, peak: 1, capacity: 2, fits: true };
    await preview.post({ type: 'fixes', request: help.request, fixes: [{ title: 'Move', effect }] });
    await preview.page.getByRole('button', { name: 'Show: Move' }).click();
    const runs = planMessage(plan([pipeline({ devices: 4, microbatches: 2 })]), 2);
    await preview.post({ ...runs, trying: 'Move' });
    await preview.drawn();
    const trial = preview.page.getByRole('group', { name: 'Trying a fix' });
    assert.ok(await trial.isVisible());
    await preview.post(planMessage(plan([pipeline({ devices: 4, microbatches: 3 })]), 3));
    await preview.drawn();
    assert.ok(await trial.isHidden());
    await preview.close();
  },
};

const empty: PageTest = {
  name: 'a file without a pipeline offers examples, an import and the guides, by keyboard, at every width',
  run: async (browser) => {
    const preview = await browser.open({ width: 320, height: 640 });
    await preview.post(planMessage(plan([])));
    await preview.page.locator('.empty-file').waitFor({ state: 'visible' });
    for (const width of [320, 420, 1400, 700]) {
      await preview.resize(width, 640);
      assert.ok(await preview.page.locator('.canvases').isHidden());
      assert.ok((await preview.page.evaluate(() => document.documentElement.scrollWidth)) <= width);
      if (width === 700) {
        const cards = preview.page.locator('.example');
        assert.equal(await cards.count(), 5);
        assert.match(await cards.first().innerText(), /Quickstart.*26 lines\s+264.2 ms\s+bubble 27.3 %/s);
        await cards.first().focus();
        const chosen: unknown[] = [];
        for (let card = 0; card < 7; card += 1) {
          await preview.page.keyboard.press('Enter');
          chosen.push((await preview.posted()).at(-1));
          await preview.page.keyboard.press('Tab');
        }
        assert.deepEqual(chosen, [
          { type: 'insertExample', name: 'quickstart' },
          { type: 'insertExample', name: 'llama3-70b' },
          { type: 'insertExample', name: 'data-parallel' },
          { type: 'insertExample', name: 'custom-schedule' },
          { type: 'importSchedule' },
          { type: 'openExamples' },
          { type: 'openGuide' },
        ]);
        await preview.post(planMessage(plan([pipeline({ devices: 4, microbatches: 2 })]), 2));
        await preview.drawn();
        assert.ok(await preview.page.locator('.cover').isHidden());
      }
    }
    await preview.close();
  },
};

const library: PageTest = {
  name: 'a file that declares things and runs none says what it has, and a button adds a pipeline for it',
  run: async (browser) => {
    const { uri, text } = exampleFile('quickstart.pipe');
    const library = { uri, text: text.slice(0, text.indexOf('pipeline train')) };
    for (const width of [320, 420, 1400]) {
      const preview = await browser.open({ width, height: 640 });
      const editor = await openEditor(preview, library);
      await editor.show();
      await preview.page.locator('.message').waitFor({ state: 'visible' });
      assert.equal(await title(preview), 'This file has no pipeline yet.');
      const words = await preview.page.locator('.message').innerText();
      assert.ok(words.includes('It has the model toy, the device v100, the cluster box and the param'), words);
      assert.equal(await preview.page.locator('.example').count(), 0);
      assert.ok((await preview.page.evaluate(() => document.documentElement.scrollWidth)) <= width);
      if (width === 420) {
        const add = preview.page.getByRole('button', { name: 'Add a pipeline of toy on box' });
        for (let presses = 0; presses < 8 && !(await isFocused(add)); presses += 1)
          await preview.page.keyboard.press('Tab');
        await preview.page.keyboard.press('Enter');
        assert.deepEqual((await preview.posted()).at(-1), { type: 'addPipeline' });
        await editor.answer();
        await preview.drawn();
        assert.ok(await preview.page.locator('.cover').isHidden());
        assert.equal(await preview.page.locator('[data-figure=iteration]').innerText(), '264.2 ms');
      }
      editor.close();
      await preview.close();
    }
  },
};

const isFocused = (place: Locator): Promise<boolean> => place.evaluate((node) => node.matches(':focus'));

const patient: PageTest = {
  name: 'a pipeline that goes away for a moment leaves the timeline alone; one that stays away gives the examples',
  run: async (browser) => {
    const preview = await browser.open({ width: 700, height: 640 });
    const runs = pipeline({ devices: 4, microbatches: 2 });
    await preview.post(planMessage(plan([runs])));
    await preview.drawn();
    await preview.post(planMessage(plan([]), 2));
    await preview.post(planMessage(plan([runs]), 3));
    await preview.page.waitForTimeout(900);
    assert.ok(await preview.page.locator('.cover').isHidden());
    await preview.post(planMessage(plan([]), 4));
    await settled(preview.page);
    assert.ok(await preview.page.locator('.cover').isHidden());
    await preview.page.locator('.empty-file').waitFor({ state: 'visible' });
    // What was drawn before the file was empty is no version of the pipeline that comes next.
    const start = { line: 3, character: 0 };
    const { uri } = planMessage(plan([]));
    await preview.post({ type: 'broken', uri, version: 5, message: 'No.', range: { start, end: start } });
    await preview.page.locator('.message').waitFor({ state: 'visible' });
    assert.equal(await title(preview), 'Nothing to draw yet: line 4 has an error.');
    // Typing a pipeline gives errors at first: they take the place of the examples only if they stay.
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    await preview.post({ type: 'gone', uri: 'file:///other.pipe', title: 'other.pipe', version: 5 });
    await preview.post({ ...planMessage(plan([]), 6), uri: 'file:///other.pipe' });
    await preview.page.locator('.empty-file').waitFor({ state: 'visible' });
    await preview.post({ type: 'broken', uri: 'file:///other.pipe', version: 7, message: 'No.', range });
    await settled(preview.page);
    assert.ok(await preview.page.locator('.empty-file').isVisible());
    await preview.page.locator('.message').waitFor({ state: 'visible' });
    assert.equal(await title(preview), 'Nothing to draw yet: line 1 has an error.');
    await preview.close();
  },
};

const failing: PageTest = {
  name: 'a worker that does not start gives a sentence, no black box',
  run: async (browser) => {
    const preview = await browser.open({
      width: 420,
      height: 480,
      before: () => {
        globalThis.Worker = function () {
          throw new Error('no workers here');
        } as unknown as typeof Worker;
      },
    });
    await preview.post(planMessage(plan([pipeline({ devices: 2, microbatches: 2 })])));
    await preview.page.locator('.message').waitFor({ state: 'visible' });
    assert.match(await title(preview), /the preview could not simulate this pipeline\.$/);
    assert.match(await preview.page.locator('.message').innerText(), /no workers here/);
    await preview.close();
  },
};

const docked: PageTest = {
  name: 'a docked preview offers no Close, and says what to open while it follows no file',
  run: async (browser) => {
    const preview = await browser.open({ width: 420, height: 480 });
    await preview.post({ type: 'modes', docked: true, following: true, outlineAtCursor: true, revealOnClick: true });
    await preview.post({ type: 'idle' });
    await settled(preview.page);
    assert.equal(await title(preview), 'Open a .pipe file to see its timeline.');
    await preview.post({ type: 'gone', uri, title: 'quickstart.pipe', version: 2 });
    await settled(preview.page);
    assert.equal(await preview.page.locator('.message vscode-button').count(), 0);
    await preview.close();
  },
};

const cannotRun: PageTest = {
  name: 'another plan that cannot run says why in words',
  run: async (browser) => {
    const preview = await browser.open({ width: 420, height: 480 });
    const never = pipeline({
      devices: 4,
      microbatches: 2,
      schedule: { kind: 'rows', name: 'mine', rows: repeated },
    });
    await preview.post(planMessage(plan([never])));
    await preview.page.locator('.message').waitFor({ state: 'visible' });
    assert.equal(await title(preview), 'Nothing to draw: this pipeline cannot run.');
    assert.match(await preview.page.locator('.message').innerText(), /gpu\[0\]/);
    await preview.close();
  },
};

const overrun: PageTest = {
  name: 'a plan that does not fit is drawn all the same, its peak marked over the limit',
  run: async (browser) => {
    const preview = await browser.open({ width: 760, height: 720 });
    await preview.post(planMessage(plan([pipeline({ devices: 4, microbatches: 8, memory: 40 * 2 ** 30 })])));
    await preview.drawn();
    assert.ok(await preview.page.locator('.cover').isHidden());
    assert.ok(await preview.page.locator('.statistics .over').first().isVisible());
    await preview.close();
  },
};

export const stateTests: readonly PageTest[] = [
  deadlock,
  looks,
  folded,
  turnedBack,
  errors,
  fixes,
  editedTrial,
  empty,
  library,
  patient,
  failing,
  docked,
  cannotRun,
  overrun,
];
