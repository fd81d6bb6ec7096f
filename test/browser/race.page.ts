import assert from 'node:assert/strict';
import { bytes, share, time } from '../../engine/basics/quantities.ts';
import { apply } from '../../engine/fixes/proposal.ts';
import { analyseExample } from '../support/analyse.ts';
import { exampleText } from '../support/example.ts';
import type { PageTest } from './check.ts';
import { exampleFile, openEditor } from './editor.ts';
import { example } from './example.ts';
import { type Preview, settled, violations } from './harness.ts';

const file = 'quickstart';
const text = exampleText(`${file}.pipe`);
/** The example with other words in it, as the server plans it. */
function changed(...changes: readonly (readonly [string, string])[]) {
  const edits = changes.map(([before, after]) => {
    const start = text.indexOf(before);
    assert.ok(start >= 0, before);
    return { start, end: start + before.length, text: after };
  });
  const analysis = analyseExample(`${file}.pipe`, {}, apply(text, edits));
  const [{ plan, run }] = analysis.pipelines;
  assert.ok(run);
  return { plan: JSON.parse(JSON.stringify(plan)), report: run.report };
}

const schedule = 'schedule     = 1f1b';
const wanted = [
  ['zb_h1', changed([schedule, 'schedule = zb_h1'])],
  ['gpipe', changed([schedule, 'schedule = gpipe'])],
  ['interleaved_1f1b(chunks = 2)', changed([schedule, 'schedule = interleaved_1f1b'], ['balance(4)', 'balance(8)'])],
  ['gpipe-over', changed([schedule, 'schedule = gpipe'], ['memory = 16GiB', 'memory = 6GiB'])],
] as const;
const base = example(file);

/** Opens the comparison as a reader does, and answers as the extension does. */
async function raced(preview: Preview): Promise<number> {
  await preview.post(base.message);
  await preview.drawn();
  await preview.page.getByRole('button', { name: 'Compare', exact: true }).click();
  const asked = (await preview.posted()).findLast(({ type }) => type === 'race');
  assert.ok(asked?.type === 'race');
  assert.equal(asked.against, 'policies');
  for (const [index, [name, { plan }]] of wanted.entries())
    await preview.post({
      type: 'entry',
      request: asked.request,
      index,
      name,
      plan,
      options: base.message.options,
      adoptable: true,
    });
  await preview.post({
    type: 'entry',
    request: asked.request,
    index: wanted.length,
    name: 'dualpipe',
    problem: 'dualpipe takes an even number of devices.',
    adoptable: true,
  });
  await preview.post({ type: 'entries', request: asked.request, count: wanted.length + 1 });
  await preview.page.waitForFunction(() => document.querySelectorAll('.race-row .value:not(:empty)').length === 15);
  await settled(preview.page);
  return asked.request;
}

const row = (preview: Preview, name: string) =>
  preview.page.locator('.race-row').filter({ has: preview.page.getByRole('button', { name, exact: true }) });

const figures: PageTest = {
  name: 'a comparison shows the figures of the reports, sorted, with differences to the baseline',
  run: async (browser) => {
    const preview = await browser.open({ width: 1400, height: 800 });
    const request = await raced(preview);
    const own = base.analysis.pipelines[0].run?.report;
    assert.ok(own);
    const all = [['1f1b', own] as const, ...wanted.map(([name, { report }]) => [name, report] as const)];
    for (const [name, report] of all) {
      const words = (await row(preview, name).innerText()).replaceAll(/\s+/g, ' ');
      const fullest = report.devices.reduce((most, device) => (device.peak > most.peak ? device : most));
      for (const figure of [time(report.iteration, 4), share(report.bubble.makespan), `${bytes(fullest.peak)} of`])
        assert.ok(words.includes(figure), `${name}: ${figure} in ${words}`);
    }
    const names = await preview.page.locator('.race-row .race-name').allInnerTexts();
    const sorted = all.toSorted((a, b) => a[1].iteration - b[1].iteration).map(([name]) => name);
    assert.deepEqual(names, [...sorted, 'dualpipe']);
    const fits = all.filter(([, { devices }]) => devices.every(({ peak, capacity }) => peak <= capacity));
    const best = fits.reduce((least, entry) => (entry[1].iteration < least[1].iteration ? entry : least));
    const winner = preview.page.locator('.race-row.winner');
    assert.equal(await winner.count(), 1);
    assert.match(await winner.innerText(), /shortest that fits/);
    assert.equal(await winner.locator('.race-name').innerText(), best[0]);
    const delta = best[1].iteration / own.iteration - 1;
    assert.ok((await winner.innerText()).includes(`−${share(-delta)}`));
    assert.match(await row(preview, 'gpipe-over').innerText(), /does not fit/);
    assert.match(await row(preview, 'dualpipe').innerText(), /even number of devices/);
    // Another baseline: the differences are to it.
    await row(preview, 'zb_h1').locator('.race-name').click();
    assert.match(await row(preview, 'zb_h1').innerText(), /baseline/);
    await row(preview, 'gpipe').getByRole('button', { name: 'Use in the file: gpipe' }).click();
    assert.deepEqual((await preview.posted()).at(-1), { type: 'adopt', request, index: 1 });
    await preview.page.keyboard.press('Escape');
    assert.ok(await preview.page.locator('.race').isHidden());
    assert.deepEqual((await preview.posted()).at(-1), { type: 'endRace', request });
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
};

const causes: PageTest = {
  name: 'a sentence says why the row that is pointed at differs from the baseline, and a device that explains it is outlined',
  run: async (browser) => {
    const preview = await browser.open({ width: 1400, height: 800 });
    const sentence = preview.page.locator('.race-sentence');
    const request = await raced(preview);
    await row(preview, 'gpipe').hover();
    const [, { report }] = wanted[1];
    const own = base.analysis.pipelines[0].run?.report;
    assert.ok(own);
    const difference = own.iteration - report.iteration;
    const words = await sentence.innerText();
    assert.ok(words.startsWith(`gpipe is ${time(difference)} (`) && words.includes('shorter than 1f1b'), words);
    assert.match(words, /Largest cause: communication, −[\d.]+ .?s per device on average\./);
    // One stage is slower in this version: its device is named and outlined.
    const [plan] = base.message.plan.pipelines;
    const stages = plan.stages.map((stage, index) => (index === 2 ? { ...stage, forward: stage.forward * 2 } : stage));
    const slower = { ...plan, stages };
    const { options } = base.message;
    await preview.post({ type: 'entry', request, index: 9, name: 'slower', plan: slower, options, adoptable: false });
    await row(preview, 'slower').locator('.value:not(:empty)').first().waitFor();
    await row(preview, 'slower').hover();
    await sentence.filter({ hasText: 'gpu[2] explains over half of the difference.' }).waitFor();
    assert.match(await sentence.innerText(), /Largest cause: imbalance, \+/);
    await settled(preview.page);
    const outlined = async (name: string, device: number) => {
      const box = await row(preview, name).locator('canvas').boundingBox();
      assert.ok(box);
      const [red, green, blue] = await preview.pixel(box.x + 1, box.y + ((device + 0.5) * box.height) / 4);
      return red > 180 && green > 110 && green < 190 && blue < 120;
    };
    assert.deepEqual(
      [await outlined('slower', 2), await outlined('slower', 1), await outlined('gpipe', 2)],
      [true, false, false],
    );
    await preview.shot('race-behind');
    // The same by keyboard.
    await preview.page.mouse.move(700, 790);
    await row(preview, 'zb_h1').locator('.race-name').focus();
    assert.match(await sentence.innerText(), /^zb_h1 is .* shorter than 1f1b.* Largest cause: /);
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
};

const axis: PageTest = {
  name: 'compared timelines lie on one axis: blocks are where their times say, aligned at the start or the end',
  run: async (browser) => {
    const preview = await browser.open({ width: 1400, height: 800 });
    await raced(preview);
    const longest = Math.max(...wanted.map(([, { report }]) => report.iteration));
    const [, { report }] = wanted[0];
    /** Whether the pixel at a time of the first device's row is the ground, which has a tint in the winner's row. */
    const idle = async (at: number) => {
      const box = await row(preview, 'zb_h1').locator('canvas').boundingBox();
      assert.ok(box);
      const y = Math.round(box.y + 3);
      const [seen, ground] = await preview.pixels([
        [Math.round(box.x + (at / longest) * box.width), y],
        [Math.round(box.x + box.width + 4), y],
      ]);
      return seen.reduce((sum, part, index) => sum + Math.abs(part - ground[index]), 0) < 24;
    };
    assert.equal(await idle(0.01 * longest), false, 'a forward at the start');
    assert.equal(await idle((report.iteration + longest) / 2), true, 'nothing after its end');
    await preview.page.getByRole('group', { name: 'Align' }).getByRole('button', { name: 'End' }).click();
    await settled(preview.page);
    await preview.page.waitForTimeout(200);
    assert.equal(await idle(0.3 * (longest - report.iteration)), true, 'nothing before its start');
    assert.equal(await idle(0.99 * longest), false, 'it ends where the longest does');
    await preview.close();
  },
};

const adopted: PageTest = {
  name: 'after a schedule is written into the file, its row says so with the key that undoes it, and has the focus',
  run: async (browser) => {
    const preview = await browser.open({ width: 420, height: 800 });
    const request = await raced(preview);
    // The same order under another name joins the row of the file.
    const { options, plan } = base.message;
    const dapple = plan.pipelines[0];
    await preview.post({ type: 'entry', request, index: 7, name: 'dapple', plan: dapple, options, adoptable: true });
    await preview.page.getByRole('button', { name: '1f1b = dapple' }).waitFor();
    assert.equal(await preview.page.locator('.race-row .race-name').filter({ hasText: 'dapple' }).count(), 1);
    await preview.page.getByRole('button', { name: 'Use in the file: zb_h1' }).press('Enter');
    const changedPlan = { ...plan, pipelines: [wanted[0][1].plan] };
    await preview.post({ ...base.message, version: base.message.version + 1, plan: changedPlan });
    await row(preview, 'zb_h1').filter({ hasText: 'In the file now. Undo: Ctrl+Z in the text' }).waitFor();
    await settled(preview.page);
    const focused = () => preview.page.evaluate(() => document.activeElement?.textContent);
    assert.equal(await focused(), 'zb_h1');
    await preview.shot('race-adopted-420');
    // Undone: the note goes, and the focus stays in the list.
    await preview.post({ ...base.message, version: base.message.version + 2 });
    await row(preview, '1f1b').filter({ hasText: 'as in the file' }).waitFor();
    await settled(preview.page);
    assert.equal(await focused(), '1f1b');
    assert.doesNotMatch(await preview.page.locator('.race').innerText(), /In the file now/);
    // Written by hand, it is in the file as any other.
    await preview.post({ ...base.message, version: base.message.version + 3, plan: changedPlan });
    await row(preview, 'zb_h1').filter({ hasText: 'as in the file' }).waitFor();
    assert.deepEqual([...preview.problems, ...(await violations(preview.page))], []);
    await preview.close();
  },
};

const chosen: PageTest = {
  name: 'schedules are left out of a comparison and brought back, by mouse and keys, in a side panel and in a wide page',
  run: async (browser) => {
    for (const width of [420, 1400]) {
      const preview = await browser.open({ width, height: 800 });
      await raced(preview);
      const { page } = preview;
      const winner = await page.locator('.race-row.winner .race-name').innerText();
      const before = await page.locator('.race-row').count();
      await page.getByRole('button', { name: `Leave out ${winner}`, exact: true }).click();
      assert.equal(await row(preview, winner).count(), 0);
      // The best of those that are left is marked.
      const next = await page.locator('.race-row.winner .race-name').innerText();
      assert.notEqual(next, winner);
      // Without the mouse; the focus stays in the list.
      await page.getByRole('button', { name: 'Leave out gpipe', exact: true }).press('Enter');
      assert.equal(await page.locator('.race-row').count(), before - 2);
      assert.equal(await page.evaluate(() => document.activeElement?.closest('.race-body') !== null), true);
      // Differences are to the file's own schedule: it cannot be left out.
      assert.equal(await page.getByRole('button', { name: 'Leave out 1f1b', exact: true }).count(), 0);
      const fits = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.querySelector('.race-scroll') ?? document.body;
        return scrollWidth <= clientWidth;
      });
      assert.ok(fits, `${width} px: nothing is cut at the side`);
      await preview.shot(`race-chosen-${width}`);
      await page.getByRole('button', { name: 'Show 2 more', exact: true }).click();
      assert.equal(await page.locator('.race-row').count(), before);
      assert.equal(await page.locator('.race-row.winner .race-name').innerText(), winner);
      assert.deepEqual(preview.problems, []);
      await preview.close();
    }
  },
};

const narrow: PageTest = {
  name: 'a comparison fits into a side panel',
  run: async (browser) => {
    const preview = await browser.open({ width: 320, height: 800 });
    await raced(preview);
    for (const width of [320, 420, 700, 780, 960, 1400]) {
      await preview.resize(width, 800);
      if (width >= 960)
        for (const peak of await preview.page.locator('.race-peak .value').all()) {
          const box = await peak.boundingBox();
          assert.ok(box !== null && box.height < 24, `${width}: the peak takes several lines`);
        }
      const scroller = preview.page.locator('.race-scroll');
      const over = await scroller.evaluate((node) => node.scrollWidth - node.clientWidth);
      assert.ok(over <= 0, `${width}: ${over} px too wide`);
      for (const canvas of await preview.page.locator('.race-strip canvas:visible').all()) {
        const box = await canvas.boundingBox();
        assert.ok(box !== null && box.width >= 80 && box.x >= 0 && box.x + box.width <= width, `${width}: a strip`);
      }
      assert.deepEqual(await violations(preview.page), []);
    }
    await preview.close();
  },
};

const periods: PageTest = {
  name: 'a comparison says where several periods are drawn, and draws no difference from their end',
  run: async (browser) => {
    const preview = await browser.open({ width: 1400, height: 800 });
    const request = await raced(preview);
    const { plan } = changed([schedule, 'schedule = pipedream']);
    const { options } = base.message;
    await preview.post({ type: 'entry', request, index: 8, name: 'pipedream', plan, options, adoptable: true });
    await row(preview, 'pipedream').locator('.value').first().waitFor();
    await settled(preview.page);
    assert.match(
      await row(preview, 'pipedream').locator('.race-note').innerText(),
      /^(.* · )?\d+ periods drawn · (runs on .+|paper only)$/,
    );
    assert.doesNotMatch(await row(preview, 'gpipe').locator('.race-note').innerText(), /drawn/);
    await preview.close();
  },
};

const keyboard: PageTest = {
  name: 'X opens a comparison, Tab leads through it, Escape goes back to the timeline',
  run: async (browser) => {
    const preview = await browser.open({ width: 1400, height: 800 });
    await preview.post(base.message);
    await preview.drawn();
    await preview.page.locator('.grid [tabindex="0"]').first().focus();
    await preview.page.keyboard.press('x');
    await preview.page.locator('.race').waitFor();
    await preview.page.keyboard.press('Tab');
    const label = () => preview.page.evaluate(() => document.activeElement?.className ?? '');
    assert.match(await label(), /race-name/);
    await preview.page.keyboard.press('Escape');
    assert.ok(await preview.page.locator('.race').isHidden());
    assert.ok(await preview.page.evaluate(() => document.activeElement?.closest('.timeline') !== null));
    await preview.close();
  },
};

const sweep: PageTest = {
  name: 'the chart over a param simulates its values, and a value turns the slider',
  run: async (browser) => {
    const preview = await browser.open({ width: 420, height: 760 });
    await preview.post(base.message);
    await preview.drawn();
    await preview.page.getByRole('button', { name: 'Chart over microbatches' }).click();
    const asked = (await preview.posted()).findLast(({ type }) => type === 'sweep');
    assert.ok(asked?.type === 'sweep');
    assert.ok(asked.values.includes(8) && asked.values.includes(64));
    for (const [index, value] of asked.values.entries()) {
      const analysis = analyseExample(`${file}.pipe`, { microbatches: value });
      const [{ plan }] = analysis.pipelines;
      const entry = { type: 'entry', request: asked.request, index, name: String(value), adoptable: false } as const;
      if (value === 3) await preview.post({ ...entry, problem: 'Too few microbatches.' });
      else await preview.post({ ...entry, plan: JSON.parse(JSON.stringify(plan)), options: base.message.options });
    }
    // (m + p − 1) (F + B) of the closed form, and the latency of transfers.
    const button = (value: number) => preview.page.getByRole('button', { name: new RegExp(`^microbatches ${value}:`) });
    await preview.page.waitForFunction(
      () => !/simulated/.test(document.querySelector('.sweep-note')?.textContent ?? ''),
    );
    assert.match(
      (await button(8).getAttribute('aria-label')) ?? '',
      /iteration 264\.2 ms, throughput 30\.3 samples\/s, bubble 27.3 %, peak 5 GiB/,
    );
    assert.equal(await button(8).getAttribute('aria-pressed'), 'true');
    if (asked.values.includes(3))
      assert.match((await button(3).getAttribute('aria-label')) ?? '', /Too few microbatches/);
    await preview.shot('sweep-420');
    await button(64).click();
    await settled(preview.page);
    assert.deepEqual((await preview.posted()).at(-1), { type: 'try', overrides: { microbatches: 64 } });
    await preview.close();
  },
};

const declares: PageTest = {
  name: 'a comparison says of a schedule with operations that others leave them out',
  run: async (browser) => {
    const preview = await browser.open({ width: 700, height: 600 });
    const rows = 'row(d) = each(j in 0..<microbatches, F[j], loss[j], B[j])';
    const own = `${text.replace(schedule, 'schedule = mine')}
schedule mine { operation loss { after(j) = F[j] }  ${rows} }`;
    const { plan } = analyseExample(`${file}.pipe`, {}, own).resolution;
    await preview.post({ ...base.message, plan: JSON.parse(JSON.stringify(plan)) });
    await preview.drawn();
    await preview.page.getByRole('button', { name: 'Compare', exact: true }).click();
    await preview.page.getByText('mine sets operations or durations, which other schedules leave out.').waitFor();
    await preview.close();
  },
};

const activations: PageTest = {
  name: 'a comparison and a chart of schedules without a pipeline count activations, not bytes',
  run: async (browser) => {
    const preview = await browser.open({ width: 1400, height: 800 });
    const { page } = preview;
    const schedules = `schedule mine { param extra = 0 in 0..2  row(d) = F[0..<microbatches], B[0..<microbatches] }
schedule other { row(d) = each(j in 0..<microbatches, F[j], B[j]) }
`;
    const editor = await openEditor(preview, exampleFile('quickstart.pipe', schedules));
    try {
      await editor.show();
      await preview.drawn();
      await page.getByRole('button', { name: 'Compare', exact: true }).click();
      await page.getByRole('button', { name: 'Pipelines' }).click();
      await row(preview, 'other').getByText('1 of 8 activations').waitFor();
      assert.match(await row(preview, 'other').innerText(), /−7 activations/);
      await row(preview, 'other').hover();
      await page.locator('.race-sentence', { hasText: 'needs 7 activations less' }).waitFor();
      assert.doesNotMatch(await page.locator('.race').innerText(), /\d B\b/);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Chart over microbatches' }).click();
      await editor.answer();
      const peak = page.locator('.sweep-plot').filter({ hasText: 'Peak' });
      assert.match(await peak.innerText(), /1 activation to \d+ activations/);
      assert.deepEqual(preview.problems, []);
    } finally {
      editor.close();
      await preview.close();
    }
  },
};

export const raceTests: readonly PageTest[] = [
  activations,
  declares,
  chosen,
  figures,
  causes,
  axis,
  adopted,
  narrow,
  periods,
  keyboard,
  sweep,
];
