import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { jobSummary, workerSummary } from '../../engine/job/describe.ts';
import { bytes, share, time } from '../../engine/basics/quantities.ts';
import type { PageTest } from './check.ts';
import { example } from './example.ts';
import { axe, settled, violations } from './harness.ts';
import { pictureFor, pointOf } from './scene.ts';

const folder = new URL('../../examples/systems/', import.meta.url);
const systems = readdirSync(folder).flatMap((file) => (file.endsWith('.pipe') ? [file.slice(0, -5)] : []));
/** Those that the page is put to the rules of accessibility with: asynchronous, filled, two lanes. */
const audited = ['pipedream', 'pipefill', 'pipeswitch'];

const everySystem: readonly PageTest[] = systems.map((name) => ({
  name: `examples/systems/${name}.pipe is drawn with the figures of its report`,
  run: async (browser) => {
    const { analysis, message } = example(`systems/${name}`);
    const [evaluated] = analysis.pipelines;
    if (evaluated?.run === undefined) throw new Error(analysis.findings.map((found) => found.message).join(' '));
    const { report, program } = evaluated.run;
    const preview = await browser.open();
    await preview.post(message);
    await preview.drawn();
    const { page } = preview;
    const figure = (key: string) => page.locator(`[data-figure=${key}]`).innerText();
    assert.equal(await figure('iteration'), time(report.iteration, 4));
    // Data parallelism has no pipeline bubble: its page says what it waits for.
    const parallel = report.exchange !== undefined && report.devices.length === 1;
    assert.equal(await page.locator('[data-figure=gradients]').count(), report.exchange === undefined ? 0 : 1);
    if (parallel) assert.equal(await page.locator('[data-figure=bubble]').count(), 0);
    else if (report.bubble.makespan > 5e-4) assert.equal(await figure('bubble'), share(report.bubble.makespan));
    const worst = report.devices.reduce((most, device) =>
      device.peak / device.capacity > most.peak / most.capacity ? device : most,
    );
    assert.equal(await figure('peak'), bytes(worst.peak));
    const asynchronous = report.asynchronous !== undefined;
    assert.equal(await page.locator('[data-figure=staleness]').count(), asynchronous ? 1 : 0);
    if (asynchronous)
      assert.equal(await figure('staleness'), String(Math.max(...report.stages.map((stage) => stage.staleness))));
    assert.doesNotMatch(await page.locator('.statistics').innerText(), /NaN|undefined|Infinity|[-−]\d|e-\d/);

    // Something of a kind's colour stands where the first block of the first device is; where that takes no time, the exchange after it.
    const picture = pictureFor(evaluated.plan);
    const { start, end } = picture.columns;
    const seen = end[0] > start[0] ? start[0] + 0.15 * (end[0] - start[0]) : report.iteration / 2;
    const [x, y] = await pointOf(preview, picture, 0, seen, 0.2);
    assert.notDeepEqual(await preview.pixel(x, y), await preview.pixel(x, y - 12));

    await page.locator('.grid [role=gridcell][tabindex="0"]').focus();
    await page.keyboard.press('t');
    const row = page.locator('.table [aria-rowindex="2"] [role=gridcell]');
    const stage = program.order[0] >> program.shift;
    assert.equal(await row.nth(0).innerText(), evaluated.plan.devices[0].name);
    assert.equal(await row.nth(1).innerText(), evaluated.plan.stages[stage % program.stages].name);
    assert.match(await row.nth(2).innerText(), /^[FBIWRUEL]$/);
    assert.equal(
      await page.locator('.table [role=grid]').getAttribute('aria-rowcount'),
      String(1 + picture.columns.word.length),
    );
    if (audited.includes(name)) assert.deepEqual(await axe(page), []);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
}));

const nothingLong: PageTest = {
  name: 'operations that take no time are found by search and stand in the table',
  run: async (browser) => {
    const { analysis, message } = example('systems/bpipe');
    const [evaluated] = analysis.pipelines;
    const picture = pictureFor(evaluated.plan);
    const evictions = evaluated.run?.program.order.reduce((sum, word) => {
      const kind = Math.trunc((word >> picture.columns.shift) / picture.columns.stages);
      return sum + Number(kind === 6);
    }, 0);
    assert.ok((evictions ?? 0) > 0);
    const preview = await browser.open();
    await preview.post(message);
    await preview.drawn();
    await preview.page.getByRole('button', { name: 'Find' }).click();
    const field = preview.page.locator('.search input');
    await field.fill('kind:E');
    await settled(preview.page);
    assert.equal(await preview.page.locator('.found').innerText(), `1 of ${evictions}`);
    await field.fill('kind:Z');
    await settled(preview.page);
    assert.match(
      await preview.page.locator('.found').innerText(),
      /a kind is F, B, I, W, R, U, E, L, operation, sync or optimizer/,
    );
    await preview.close();
  },
};

const fill: PageTest = {
  name: 'work of a fill job is drawn in idle gaps, told in the legend and on hover',
  run: async (browser) => {
    const { analysis, message } = example('systems/pipefill');
    const [evaluated] = analysis.pipelines;
    const picture = pictureFor(evaluated.plan);
    const stretches = picture.fill?.[0];
    assert.ok(stretches !== undefined && stretches.from.length > 0);
    const preview = await browser.open();
    await preview.post(message);
    await preview.drawn();
    const [x, y] = await pointOf(preview, picture, 0, stretches.from[0] + 0.4 * stretches.seconds[stretches.first[0]]);
    // Half way between ground and ink.
    const [red, green, blue] = await preview.pixel(x, y);
    assert.ok(Math.abs(red - 118) < 8 && red === green && green === blue, `${red} ${green} ${blue}`);
    await preview.page.mouse.move(x, y);
    await settled(preview.page);
    const tip = await preview.page.locator('.tooltip').innerText();
    assert.match(tip, /Filled by small/);
    assert.ok(tip.includes(stretches.layers[stretches.first[0]]), tip);
    await preview.page.getByRole('button', { name: 'Legend' }).click();
    assert.match(await preview.page.locator('.legend').innerText(), /Fill: small/);
    await preview.close();
  },
};

const sourceOfCopies: PageTest = {
  name: 'a click on a block of a copy leads to its stage, and the tooltip has its name',
  run: async (browser) => {
    const { analysis, message } = example('systems/dualpipe');
    const [evaluated] = analysis.pipelines;
    const picture = pictureFor(evaluated.plan);
    const { columns } = picture;
    const block = columns.offsets[columns.rows - 1];
    const stage = (columns.word[block] >> columns.shift) % columns.stages;
    const preview = await browser.open();
    await preview.post(message);
    await preview.drawn();
    const [x, y] = await pointOf(preview, picture, columns.rows - 1, (columns.start[block] + columns.end[block]) / 2);
    await preview.page.mouse.move(x, y);
    await settled(preview.page);
    const tip = await preview.page.locator('.tooltip').innerText();
    assert.ok(tip.includes(evaluated.plan.stages[stage].name), tip);
    await preview.page.mouse.click(x, y);
    const posted = await preview.posted();
    assert.deepEqual(posted.at(-1), {
      type: 'reveal',
      path: `${evaluated.plan.name}/stage:${stage}`,
      preserveFocus: true,
    });
    assert.ok(analysis.resolution.origins.has(`${evaluated.plan.name}/stage:${stage}`));
    await preview.close();
  },
};

const jobs: PageTest = {
  name: 'the jobs that a pipeline works in are among its figures, as the report has them',
  run: async (browser) => {
    const { analysis, message } = example('systems/hetpipe');
    const [evaluated] = analysis.pipelines;
    const reports = analysis.jobs.flatMap(({ plan, report }) =>
      plan.workers.includes(evaluated.plan.name) && report !== undefined ? [report] : [],
    );
    assert.ok(reports.length > 0);
    const preview = await browser.open();
    await preview.post(message);
    await preview.drawn();
    const bar = preview.page.locator('.jobs');
    await preview.page.locator('.figure.job').first().click();
    const lines = await bar.locator('p').allInnerTexts();
    assert.deepEqual(
      lines,
      reports.map((report) => {
        const [worker] = report.workers.filter(({ name }) => name === evaluated.plan.name);
        return `${report.name} ${jobSummary(report)} · ${workerSummary(worker)} All workers`;
      }),
    );
    // All workers on one axis; Esc leads back to the timeline.
    await bar.getByRole('button', { name: 'All workers' }).first().click();
    const lanes = preview.page.getByRole('region', { name: `Workers of ${reports[0].name}` });
    await lanes.waitFor();
    assert.deepEqual(
      await lanes.locator('tbody th').allInnerTexts(),
      reports[0].workers.map(({ name }) => name),
    );
    await preview.page.keyboard.press('Escape');
    assert.equal(await lanes.isVisible(), false);
    // Another file has none.
    const other = example('systems/gpipe');
    await preview.post(other.message);
    await preview.drawn();
    assert.equal(await preview.page.locator('.figure.job').count(), 0);
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
};

/** Keeps the texts that are written on canvases. */
const keepWritten = (): void => {
  const { prototype } = CanvasRenderingContext2D;
  const { fillText } = prototype;
  const scope = globalThis as unknown as { written: Set<string> };
  scope.written = new Set();
  prototype.fillText = function (text, ...rest) {
    scope.written.add(text);
    fillText.call(this, text, ...rest);
  };
};

const sharedRows: PageTest = {
  name: 'a row of several ranks has the whole name of its device in a narrow page',
  run: async (browser) => {
    const { message } = example('quickstart');
    const [pipeline] = message.plan.pipelines;
    const devices = pipeline.devices.map((device) => ({ ...device, members: 2 }));
    const preview = await browser.open({ width: 420, height: 800, before: keepWritten });
    await preview.post({ ...message, plan: { ...message.plan, pipelines: [{ ...pipeline, devices }] } });
    await preview.drawn();
    const written = await preview.page.evaluate(() => [...(globalThis as unknown as { written: Set<string> }).written]);
    assert.ok(written.includes('gpu[0]'), written.join());
    assert.ok(
      written.some((text) => /^\d+ % ×2$/.test(text)),
      written.join(),
    );
    await preview.close();
  },
};

const manyRanks: PageTest = {
  name: 'a name is whole before the share of a tall row and the ranks of a low one are shown',
  run: async (browser) => {
    for (const [file, node, shown, missing] of [
      // Tall rows, with a bar for the share; then rows without one; then a name that leaves no room.
      ['quickstart', 'node', /^node\[1\]$|^ ×64$/, /^\d+ %$/],
      ['systems/chimera', 'node', /^node\[1\]$|^\d+ %$/, /×64/],
      ['quickstart', 'machine', /^machine\[1\]$/, /×64|^\d+ %$/],
    ] as const) {
      const { message } = example(file);
      const [pipeline] = message.plan.pipelines;
      const devices = pipeline.devices.map((device, at) => ({ ...device, name: `${node}[${at}].gpu[0]`, members: 64 }));
      const preview = await browser.open({
        width: 1100,
        height: file === 'quickstart' ? 640 : 440,
        before: keepWritten,
      });
      await preview.post({ ...message, plan: { ...message.plan, pipelines: [{ ...pipeline, devices }] } });
      await preview.drawn();
      const written = await preview.page.evaluate(() => [
        ...(globalThis as unknown as { written: Set<string> }).written,
      ]);
      for (const part of shown.source.split('|'))
        assert.ok(
          written.some((text) => new RegExp(part).test(text)),
          `${file}, ${part}: ${written.join()}`,
        );
      assert.ok(!written.some((text) => missing.test(text)), `${file}, ${node}: ${written.join()}`);
      await preview.close();
    }
  },
};

const workerNames: PageTest = {
  name: 'the names of workers and of their devices are whole in a narrow page',
  run: async (browser) => {
    const { message } = example('systems/hetpipe');
    for (const width of [320, 420, 700]) {
      const preview = await browser.open({
        width,
        height: 760,
        before: keepWritten,
      });
      await preview.post(message);
      await preview.drawn();
      // The line of figures has no room for the job.
      await preview.page.locator('.figure.job').first().waitFor({ state: 'attached' });
      await preview.page.getByRole('button', { name: 'All figures' }).click();
      await preview.page.evaluate(() => (globalThis as unknown as { written: Set<string> }).written.clear());
      await preview.page.locator('.jobs').getByRole('button', { name: 'All workers' }).first().click();
      await preview.page.getByRole('region', { name: 'Workers of node' }).waitFor();
      await settled(preview.page);
      const written = await preview.page.evaluate(() => [
        ...(globalThis as unknown as { written: Set<string> }).written,
      ]);
      assert.ok(written.includes('node_v') && written.includes('gpu[3]'), `${width}: ${written.join()}`);
      assert.deepEqual(
        written.filter((text) => text.startsWith('…')),
        [],
        String(width),
      );
      await preview.close();
    }
  },
};

export const systemTests: readonly PageTest[] = [
  ...everySystem,
  nothingLong,
  fill,
  sourceOfCopies,
  jobs,
  sharedRows,
  manyRanks,
  workerNames,
];
