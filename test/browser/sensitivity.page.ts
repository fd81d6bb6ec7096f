import assert from 'node:assert/strict';
import { sensitivityOf } from '../../engine/analyze/sensitivity.ts';
import { fasterShare, gainText } from '../../engine/analyze/pairedWords.ts';
import { slowdownWords } from '../../engine/analyze/slowdownWords.ts';
import { tornadoRows } from '../../engine/analyze/tornado.ts';
import { pairedWith, planned, rowAsWritten, rowUnder } from '../../engine/advice/compare.ts';
import { defaultOptions } from '../../engine/basics/host.ts';
import { iterationTime } from '../../engine/basics/quantities.ts';
import type { PipelineReport } from '../../engine/values/report.ts';
import type { FromPage } from '../../webview/protocol/messages.ts';
import { tornadoBars } from '../../webview/session/tornadoBars.ts';
import type { PageTest } from './check.ts';
import { diskHost } from '../support/host.ts';
import { exampleFile } from './editor.ts';
import { example } from './example.ts';
import { axe, type Preview, settled, violations } from './harness.ts';
import { visit } from './scenes.ts';

const sideOf = (preview: Preview) => preview.page.locator('.side');
const rowsOf = (preview: Preview) => sideOf(preview).locator('.tornado-rows button');

async function opened(
  browser: Parameters<PageTest['run']>[0],
  message: ReturnType<typeof example>['message'],
  options = {},
): Promise<Preview> {
  const preview = await browser.open(options);
  await preview.post(message);
  await preview.drawn();
  await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
  await preview.page.keyboard.press('v');
  return preview;
}

/** The bars that the report of an example has. */
function expectedOf(name: string) {
  const { analysis, message } = example(name);
  const [{ plan, run }] = analysis.pipelines;
  if (run === undefined) throw new Error(`${name} does not run`);
  const bars = tornadoBars(tornadoRows(plan, sensitivityOf(plan, run.timeline)), run.report.iteration);
  return { plan, message, run, ...bars };
}

const slowdown: PageTest = {
  name: 'under the rows are S, S_t, S_w and M_S as the report has them, each with what it means',
  run: async (browser) => {
    const { plan, run, message } = expectedOf('long-context');
    const preview = await opened(browser, message);
    const list = sideOf(preview).locator('.slowdown dl');
    await list.waitFor();
    const expected = slowdownWords(sensitivityOf(plan, run.timeline).slowdown);
    assert.deepEqual(
      expected.map(({ symbol }) => symbol),
      ['S', 'S_t', 'S_w', 'M_S'],
    );
    assert.deepEqual(
      await list.locator('dt').allTextContents(),
      expected.map(({ symbol }) => symbol),
    );
    assert.deepEqual(
      await list.locator('dd').allTextContents(),
      expected.map(({ value, meaning }) => `${value} ${meaning}`),
    );
    await preview.close();
  },
};

/** The pipeline of the quickstart with more microbatches: its parts come one by one. */
const largeOf = (first: ReturnType<typeof expectedOf>, microbatches = 20_000) => {
  const [pipeline] = first.message.plan.pipelines;
  const slow = pipeline.devices.map((_, at) => 1 + at / 100);
  return { ...first.message, plan: { ...first.message.plan, pipelines: [{ ...pipeline, microbatches, slow }] } };
};

const arriving: PageTest = {
  name: 'rows come one by one by their effect, stay in place under the pointer, and Stop keeps what is known',
  run: async (browser) => {
    const preview = await opened(browser, largeOf(expectedOf('quickstart')), {
      // The answers of the second worker wait for the test.
      before: () => {
        const scope = globalThis as unknown as { held: (() => void)[] };
        scope.held = [];
        const listen = EventTarget.prototype.addEventListener;
        Worker.prototype.addEventListener = function (
          this: Worker,
          type: string,
          listener: EventListenerOrEventListenerObject,
        ): void {
          listen.call(this, type, (event) => {
            const answer = () => (typeof listener === 'function' ? listener(event) : listener.handleEvent(event));
            const { data } = event as MessageEvent<{ readonly type: string } | undefined>;
            if (data?.type === 'sensitivity' || data?.type === 'slowdown') scope.held.push(answer);
            else answer();
          });
        };
      },
    });
    const side = sideOf(preview);
    const names = () => rowsOf(preview).evaluateAll((all) => all.map((row) => row.getAttribute('data-row')));
    const release = async (): Promise<void> => {
      await preview.page.waitForFunction(() => (globalThis as unknown as { held: unknown[] }).held.length > 0);
      await preview.page.evaluate(() => (globalThis as unknown as { held: (() => void)[] }).held.shift()?.());
      await settled(preview.page);
    };
    await release();
    assert.deepEqual(await names(), ['s0']);
    assert.equal(await side.locator('progress').getAttribute('value'), '1');
    assert.deepEqual(await axe(preview.page), []);
    // The last stage is the slowest: each newer row has more effect.
    await release();
    assert.deepEqual(await names(), ['s1', 's0']);
    await rowsOf(preview).first().hover();
    const before = await rowsOf(preview).first().boundingBox();
    await release();
    assert.deepEqual(await names(), ['s1', 's0', 's2']);
    assert.deepEqual((await rowsOf(preview).first().boundingBox())?.y, before?.y);
    // The focus goes with its row.
    const focused = () => preview.page.evaluate(() => (document.activeElement as HTMLElement).dataset.row);
    await rowsOf(preview).nth(2).focus();
    await preview.page.mouse.move(4, 4);
    await settled(preview.page);
    assert.deepEqual(await names(), ['s2', 's1', 's0']);
    assert.equal(await focused(), 's2');
    const stop = side.getByRole('button', { name: 'Stop' });
    assert.ok(await stop.isVisible());
    await release();
    assert.deepEqual(await names(), ['s3', 's2', 's1', 's0']);
    assert.equal(await focused(), 's2');
    await stop.click();
    await settled(preview.page);
    const parts = await side.locator('progress').getAttribute('max');
    assert.equal(
      await side.locator('[role=status]').innerText(),
      `Stopped. 4 of ${parts} parts are simulated: another part may have more effect.`,
    );
    assert.equal(await side.locator('progress').isVisible(), false);
    assert.equal(await side.locator('.slowdown').isVisible(), false);
    assert.deepEqual(await names(), ['s3', 's2', 's1', 's0']);
    await side.getByRole('button', { name: 'Go on' }).click();
    await preview.page.evaluate(() => {
      const scope = globalThis as unknown as { held: (() => void)[] };
      const all = setInterval(() => scope.held.shift()?.(), 5);
      setTimeout(() => clearInterval(all), 20_000);
    });
    await side.locator('.slowdown dd').first().waitFor();
    assert.match(await side.locator('[role=status]').innerText(), /under 0\.1 %$|simulated$/);
    assert.deepEqual((await names()).slice(0, 4), ['s3', 's2', 's1', 's0']);
    assert.deepEqual(await axe(preview.page), []);
    assert.deepEqual([...preview.problems, ...(await violations(preview.page))], []);
    await preview.close();
  },
};

const bars: PageTest = {
  name: 'V shows what the iteration is sensitive to, as the report says, and Esc closes it',
  run: async (browser) => {
    for (const name of ['quickstart', 'systems/dualpipe']) {
      const expected = expectedOf(name);
      const preview = await opened(browser, expected.message);
      await rowsOf(preview).first().waitFor();
      const shown = await rowsOf(preview).evaluateAll((all) =>
        all.map((row) => [
          row.getAttribute('data-row'),
          row.querySelector('.high')?.textContent,
          row.getAttribute('title'),
        ]),
      );
      assert.deepEqual(
        shown,
        expected.bars.map(({ row, longerText, words }) => [row.name, longerText, words]),
      );
      // The ends of the bars are where the figures say.
      const [first] = expected.bars;
      const track = await rowsOf(preview).first().locator('.track').boundingBox();
      const longer = await rowsOf(preview).first().locator('.longer').boundingBox();
      assert.ok(track !== null && longer !== null);
      assert.ok(Math.abs(longer.width / track.width - (first.longer.to - first.longer.from)) < 0.01);
      assert.ok(Math.abs((longer.x - track.x) / track.width - expected.axis) < 0.01);
      await sideOf(preview).locator('.slowdown dd').first().waitFor();
      const status = await sideOf(preview).locator('[role=status]').innerText();
      if (expected.folded > 0) assert.match(status, new RegExp(`^${expected.folded} others? under 0\\.1 %$`));
      assert.deepEqual(await axe(preview.page), []);
      await preview.page.keyboard.press('Escape');
      await settled(preview.page);
      assert.equal(await sideOf(preview).isVisible(), false);
      assert.ok(await preview.page.evaluate(() => document.activeElement?.closest('.grid') !== null));
      assert.deepEqual([...preview.problems, ...(await violations(preview.page))], []);
      await preview.close();
    }
  },
};

const choice: PageTest = {
  name: 'a row leads to its stage, device or link in the text, and selects it',
  run: async (browser) => {
    const expected = expectedOf('systems/dualpipe');
    const preview = await opened(browser, expected.message);
    await rowsOf(preview).first().waitFor();
    const last = async () =>
      (await preview.posted())
        .filter((each): each is Extract<FromPage, { type: 'reveal' }> => each.type === 'reveal')
        .at(-1)?.path;
    const { name } = expected.plan;
    const paths = { stage: `${name}/stage:`, device: `${name}/device:`, link: `${name}/route:` };
    const seen = new Set<string>();
    for (const [at, { row }] of expected.bars.entries()) {
      if (seen.has(row.target.kind)) continue;
      seen.add(row.target.kind);
      const more = sideOf(preview).getByRole('button', { name: /^Show \d+ more rows$/ });
      if (await more.isVisible()) await more.click();
      await rowsOf(preview).nth(at).click();
      await settled(preview.page);
      const path = await last();
      assert.ok(path !== undefined && path.startsWith(paths[row.target.kind]), path);
      if (row.target.kind === 'link') continue;
      const detail = await preview.page.locator('.detail').innerText();
      const device =
        row.target.kind === 'device'
          ? row.name
          : expected.plan.devices[expected.plan.placement[Number(path.split(':')[1])]].name;
      assert.ok(detail.includes(device), `${detail} has ${device}`);
    }
    assert.ok(seen.size >= 2, [...seen].join());
    await preview.close();
  },
};

const edits: PageTest = {
  name: 'another plan has its own bars, and a large one is simulated only on request',
  run: async (browser) => {
    const first = expectedOf('quickstart');
    const preview = await opened(browser, first.message);
    await rowsOf(preview).first().waitFor();
    const [pipeline] = first.message.plan.pipelines;
    const slow = { ...pipeline, slow: pipeline.devices.map((_, at) => (at === 1 ? 1.5 : 1)) };
    const changed = (plan: typeof pipeline, version: number) => ({
      ...first.message,
      version,
      plan: { ...first.message.plan, pipelines: [plan, ...first.message.plan.pipelines.slice(1)] },
    });
    await preview.post(changed(slow, 2));
    await preview.drawn();
    await preview.page.waitForFunction(
      () => document.querySelector('.tornado-rows button')?.getAttribute('data-row') === 's1',
    );
    // 6,000 microbatches on four devices: over 65,536 operations with B apart.
    await preview.post(changed({ ...slow, microbatches: 20_000 }, 3));
    await preview.drawn();
    const start = sideOf(preview).getByRole('button', { name: 'Simulate' });
    await start.waitFor();
    assert.equal(await rowsOf(preview).count(), 0);
    await start.click();
    await rowsOf(preview).first().waitFor();
    assert.equal(await start.isVisible(), false);
    await preview.close();
  },
};

const quickstart = exampleFile('quickstart.pipe').text;
const noisy = exampleFile(
  'quickstart.pipe',
  `${quickstart.replace('schedule     = 1f1b', 'schedule     = 1f1b\n  jitter       = 5%')}
expect train { p95(iteration) < 100ms }
`,
);

const random: PageTest = {
  name: 'random times: percentiles, their spread, the mark on the axis, and gains draw by draw are those of the report',
  run: async (browser) => {
    const request = { uri: noisy.uri, text: noisy.text, host: diskHost, options: defaultOptions };
    const base = planned(request);
    const own = rowAsWritten(request, base, 'train');
    const { report } = own.result as { readonly report: PipelineReport };
    const { jitter } = report;
    assert.ok(jitter?.counts !== undefined);
    const scene = { name: 'random', file: noisy, size: [1320, 860] } as const;
    await visit(browser, scene, { width: 1320, height: 860 }, async (preview, editor) => {
      const { page } = preview;
      const figure = page.locator('.figure.p95');
      assert.equal(await figure.locator('strong').innerText(), iterationTime(jitter.p95));
      assert.ok(await figure.evaluate((node) => node.classList.contains('over')), 'the file expects less');
      assert.equal(await figure.locator('svg.violin .mark.p95').count(), 1);
      await page.getByRole('button', { name: 'All figures' }).click();
      const list = await page.locator('.popover').innerText();
      for (const part of [
        `p50 ${iterationTime(jitter.p50)}`,
        `p99 ${iterationTime(jitter.p99)}`,
        '1,000 draws',
        'p95(iteration) < 100ms',
      ])
        assert.ok(list.includes(part), `${list} has ${part}`);
      assert.deepEqual(await axe(page), []);
      await page.keyboard.press('Escape');
      await page.locator('[role=gridcell][tabindex="0"]').focus();
      await page.keyboard.press('x');
      await editor.answer();
      const row = page.locator('.race-row', { hasText: 'zb_h1' });
      await row.locator('.race-sure', { hasText: 'faster' }).waitFor();
      const { paired } = pairedWith(rowUnder(request, base, 'train', { schedule: 'zb_h1' }), own);
      assert.ok(paired !== undefined);
      assert.equal(
        await row.locator('.race-sure').innerText(),
        `faster in ${fasterShare(paired.faster)}\ngain ${gainText(paired.gain)}`,
      );
    });
    // Nothing of it without random times.
    const { message } = example('quickstart');
    const preview = await browser.open();
    await preview.post(message);
    await preview.drawn();
    assert.equal(await preview.page.locator('.figure.p95, svg.violin').count(), 0);
    await preview.close();
  },
};

export const sensitivityTests: readonly PageTest[] = [bars, slowdown, arriving, choice, edits, random];
