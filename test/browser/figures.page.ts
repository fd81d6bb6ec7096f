import assert from 'node:assert/strict';
import { amount, bytes, share, time } from '../../engine/basics/quantities.ts';
import type { PageTest } from './check.ts';
import { example } from './example.ts';
import { pipeline, plan, planMessage } from './plans.ts';
import { allFigures, pictureFor } from './scene.ts';

const tokensPerGpu: PageTest = {
  name: 'tokens per second of a GPU are in the line by name, and the days of a training in the list',
  run: async (browser) => {
    const shownPipeline = { ...pipeline({ devices: 4, microbatches: 8 }), tokens: { perSample: 4096, total: 15e12 } };
    const { tokens } = pictureFor(shownPipeline).report;
    assert.ok(tokens?.days !== undefined);
    const preview = await browser.open();
    await preview.post(planMessage(plan([shownPipeline])));
    await preview.drawn();
    const each = Number(tokens.per_second_per_gpu.toPrecision(4)).toLocaleString('en-US');
    assert.equal(await preview.page.locator('.figure.tokens').innerText(), `tokens/s per GPU ${each}`);
    const text = await allFigures(preview);
    assert.ok(text.includes(`15 T tokens in ${amount(tokens.days)} days`), text);
  },
};

const equalReport: PageTest = {
  name: 'figures of the page are those of the report',
  run: async (browser) => {
    const shownPipeline = pipeline({ devices: 8, microbatches: 16, optimizer: 3e-3, latency: 300e-6 });
    const { report } = pictureFor(shownPipeline);
    const preview = await browser.open();
    await preview.post(planMessage(plan([shownPipeline])));
    await preview.drawn();
    const figure = (name: string) => preview.page.locator(`[data-figure=${name}]`).innerText();
    assert.equal(await figure('iteration'), time(report.iteration, 4));
    assert.equal(await figure('bubble'), share(report.bubble.makespan));
    assert.equal(await figure('peak'), bytes(Math.max(...report.devices.map((device) => device.peak))));
    const text = await allFigures(preview);
    assert.ok(new RegExp(`Critical path\\s+${report.critical_path.length} blocks on 8 devices`).test(text), text);
    assert.ok(text.includes(`best possible with split backwards ${share(report.bubble.bound)}`), text);
    const shapeText = preview.page.locator('.identity .dim');
    assert.equal(await shapeText.innerText(), '8 devices · 16 microbatches');
    assert.equal(await shapeText.getAttribute('title'), 'p = 8, m = 16');
    const sentence = await preview.page.locator('canvas.over').getAttribute('aria-label');
    assert.ok(
      sentence?.includes(`8 devices, ${time(report.iteration, 4)}, bubble ${share(report.bubble.makespan)}`),
      String(sentence),
    );
    await preview.close();
  },
};

const small: PageTest = {
  name: 'communication that is exposed a little is not called nothing',
  run: async (browser) => {
    const preview = await browser.open();
    const exposed = () => allFigures(preview);
    // 16 MiB at 50 GB/s are 0.34 ms of 19 s: the forwards and backwards of the chain wait for it, no more.
    const slow = pipeline({ devices: 2, microbatches: 1 });
    const stages = slow.stages.map((stage) => ({ ...stage, forward: 3, backwardInput: 3, backwardWeight: 3 }));
    const shownPipeline = { ...slow, stages };
    const { report } = pictureFor(shownPipeline);
    const waited = report.links.reduce((sum, link) => sum + link.exposed, 0);
    assert.ok(waited > 0 && waited / (2 * report.iteration) < 5e-4);
    await preview.post(planMessage(plan([shownPipeline])));
    await preview.drawn();
    // Share and seconds are both means over the two devices.
    const text = await exposed();
    assert.ok(text.includes('< 0.1 %') && text.includes(`${time(waited / 2)} per device`), text);
    assert.match(await preview.page.locator('[data-figure=exposed]').innerText(), /< 0\.1 %/);
    await preview.post(planMessage(plan([pipeline({ devices: 1, microbatches: 2 })]), 2));
    await preview.drawn();
    assert.match(await exposed(), /Exposed communication\s+0 %/);
    await preview.close();
  },
};

const limit: PageTest = {
  name: 'what the peak is compared with is in the line at every width, and a period has its name',
  run: async (browser) => {
    for (const width of [420, 520, 600, 700, 820, 900, 1400]) {
      const preview = await browser.open({ width, height: 700 });
      await preview.post(planMessage(plan([pipeline({ devices: 4, microbatches: 8 })])));
      await preview.drawn();
      const peak = preview.page.locator('.figure.peak');
      assert.match(await peak.innerText(), /^peak [\d.]+ GiB of 80/, `${width} px`);
      const cut = await preview.page.locator('.figure-line').evaluate((line) => line.scrollWidth - line.clientWidth);
      assert.ok(cut <= 0, `${width} px: nothing is cut off`);
      await preview.close();
    }
    const preview = await browser.open({ width: 420, height: 700 });
    await preview.post(example('systems/pipedream').message);
    await preview.drawn();
    assert.match(await preview.page.locator('.figure.iteration').innerText(), /^period \d/);
    await preview.close();
  },
};

const waits: PageTest = {
  name: 'before the first timeline there are no controls that would do nothing',
  run: async (browser) => {
    const preview = await browser.open({ width: 700, height: 700 });
    const { page } = preview;
    assert.deepEqual(
      await page.getByRole('button').evaluateAll((all) => all.map((button) => button.getAttribute('aria-label'))),
      ['More'],
    );
    const before = await page.locator('header .tools').boundingBox();
    await preview.post(planMessage(plan([pipeline({ devices: 4, microbatches: 8 })])));
    await preview.drawn();
    for (const name of ['Find', 'All figures', 'Open the details', 'Legend'])
      assert.ok(await page.getByRole('button', { name }).isVisible(), name);
    assert.deepEqual((await page.locator('header .tools').boundingBox())?.height, before?.height);
    await preview.close();
  },
};

const overLimit: PageTest = {
  name: 'a device out of memory is told in red',
  run: async (browser) => {
    const shownPipeline = pipeline({ devices: 4, microbatches: 8, memory: 50 * 2 ** 30 });
    const preview = await browser.open();
    await preview.post(planMessage(plan([shownPipeline])));
    await preview.drawn();
    assert.equal(await preview.page.locator('.figure.over [data-figure=peak]').count(), 1);
    await preview.shot('page-over-limit');
    await preview.close();
  },
};

const examples: PageTest = {
  name: 'examples show the figures that the command line reports',
  run: async (browser) => {
    for (const name of ['quickstart', 'gpt-22b', 'custom-schedule']) {
      const { analysis, message } = example(name);
      const [evaluated] = analysis.pipelines;
      if (evaluated?.run === undefined) throw new Error(analysis.findings.map((found) => found.message).join(' '));
      const { report } = evaluated.run;
      const preview = await browser.open();
      await preview.post(message);
      await preview.drawn();
      const figure = (key: string) => preview.page.locator(`[data-figure=${key}]`).innerText();
      assert.equal(await figure('iteration'), time(report.iteration, 4));
      assert.equal(await figure('bubble'), share(report.bubble.makespan));
      const worst = report.devices.reduce((most, device) =>
        device.peak / device.capacity > most.peak / most.capacity ? device : most,
      );
      assert.equal(await figure('peak'), bytes(worst.peak));
      assert.deepEqual(preview.problems, []);
      await preview.shot(`example-${name}`);
      await preview.close();
    }
  },
};

export const figureTests: readonly PageTest[] = [limit, waits, equalReport, tokensPerGpu, small, overLimit, examples];
