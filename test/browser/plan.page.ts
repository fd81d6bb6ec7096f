/** The search for the fastest plan in the page: what the server finds is drawn, listed, shown and written. */
import assert from 'node:assert/strict';
import { bytes, iterationTime } from '../../engine/basics/quantities.ts';
import type { FoundPoint } from '../../engine/sweep/answer.ts';
import { frontOf } from '../../engine/sweep/front.ts';
import { leftOutLines } from '../../engine/sweep/space/leftOutLines.ts';
import { methods, type FindPlanAnswer, type PlanFound } from '../../webview/protocol/requests.ts';
import { startClient } from '../support/server.ts';
import type { PageTest } from './check.ts';
import { exampleFile, type TextFile } from './editor.ts';
import { axe, colourRules, type Preview, settled, violations } from './harness.ts';
import { themes } from './themeColours.ts';
import { type Scene, visit } from './scenes.ts';

/** The quickstart with a search that has its whole front in sight. */
const searched = (body: string): TextFile => {
  const { text } = exampleFile('quickstart.pipe');
  return exampleFile('quickstart.pipe', `${text}\nsearch train {\n${body}}\n`);
};
const file = searched(`  pipeline in [1, 2, 4]
  schedule in [1f1b, gpipe, zb_h1, interleaved_1f1b]
  chunks in [2]
  recompute in [none, full]
  subject_to = peak_memory < 8GiB
`);
const scene: Scene = { name: 'search', file, size: [1200, 760] };

const answers = new Map<string, ReturnType<typeof askedFor>>();
/** The search as the server answers it: once for each text. */
function answered(wanted: TextFile): ReturnType<typeof askedFor> {
  const known = answers.get(wanted.text) ?? askedFor(wanted);
  answers.set(wanted.text, known);
  return known;
}

async function askedFor({ uri, text }: TextFile) {
  const client = await startClient();
  try {
    client.open(uri, text);
    const answer = await client.request<FindPlanAnswer>(methods.findPlan, { uri, search: 1 });
    const parts = client.notifications.flatMap(({ method, params }) =>
      method === methods.planFound ? [params as PlanFound] : [],
    );
    if (answer === null || !('figures' in answer)) throw new Error(JSON.stringify(answer));
    return { figures: answer.figures, head: parts[0].head, points: parts.flatMap(({ points }) => points) };
  } finally {
    client.stop();
  }
}
type Answered = Awaited<ReturnType<typeof answered>>;

const frontIn = ({ points }: Answered): readonly FoundPoint[] => frontOf(points.filter(({ meets }) => meets));
const card = (preview: Preview) => preview.page.locator('.plan-card');
const button = (preview: Preview, name: string) =>
  preview.page.locator('.plan').getByRole('button', { name, exact: true });
const writing = (preview: Preview) => card(preview).locator('vscode-button', { hasText: 'Write this plan' });
const certificate = (preview: Preview) => preview.page.locator('.plan-certificate').innerText();

/** Opens the view as a code lens does. */
async function opened(preview: Preview): Promise<number> {
  await preview.post({ type: 'plans', pipeline: 'train' });
  await settled(preview.page);
  const asked = (await preview.posted()).findLast(({ type }) => type === 'findPlan');
  assert.ok(asked?.type === 'findPlan');
  assert.equal(asked.pipeline, 'train');
  return asked.request;
}

const whole: PageTest = {
  name: 'plans: the figures of the search are shown, arrows go along the front, and Enter writes',
  run: async (browser) => {
    const expected = await answered(file);
    const front = frontIn(expected);
    assert.ok(front.length > 2 && front.length < expected.points.length);
    await visit(browser, scene, { width: 1200, height: 760 }, async (preview, editor) => {
      const before = editor.text();
      await opened(preview);
      await editor.answer();
      assert.equal(await certificate(preview), expected.figures.certificate);
      const title = () => card(preview).locator('h3').innerText();
      const words = ({ iteration, peak }: FoundPoint) => `${iterationTime(iteration)} · ${bytes(peak)}`;
      assert.equal(await title(), words(front[0]));
      assert.match(await card(preview).innerText(), /The fastest that fits/);
      // The plot has the focus: to the left there is less memory.
      for (const each of front.slice(1)) {
        await preview.page.keyboard.press('ArrowLeft');
        assert.equal(await title(), words(each));
      }
      await preview.page.keyboard.press('ArrowLeft');
      assert.equal(await title(), words(front[front.length - 1]));
      await preview.page.keyboard.press('End');
      assert.equal(await title(), words(front[0]));
      const options = preview.page.locator('.plan-plot [role=option]');
      assert.equal(await options.count(), front.length);
      assert.equal(
        await preview.page.locator('.plan-plot [aria-selected=true]').getAttribute('id'),
        `plan-row-${front[0].row}`,
      );
      await preview.page.keyboard.press('Enter');
      await editor.answer();
      assert.notEqual(editor.text(), before);
      const first = editor.text();
      // The results stay, and the row that is the file is marked.
      assert.equal(await certificate(preview), expected.figures.certificate);
      assert.match(await preview.page.locator('.plan-note').innerText(), /^The plan was written into the file/);
      assert.match(await card(preview).innerText(), /this file is this plan/i);
      assert.ok(await writing(preview).evaluate((node) => (node as HTMLButtonElement).disabled));
      // Another row is compared with it, and can be written over it.
      await preview.page.keyboard.press('ArrowLeft');
      assert.match(await card(preview).innerText(), /slower than this file|as fast as this file/);
      await preview.page.keyboard.press('Enter');
      await editor.answer();
      assert.notEqual(editor.text(), first);
      assert.match(await card(preview).innerText(), /this file is this plan/i);
      await button(preview, 'Table').click();
      assert.equal(await preview.page.locator('.plan-table [role=gridcell]', { hasText: 'this file' }).count(), 1);
    });
  },
};

const compared: PageTest = {
  name: 'plans: Compare with the file draws both on one axis, with the figures of the search, and Esc leads back to the row',
  run: async (browser) => {
    const expected = await answered(file);
    const front = frontIn(expected);
    const wanted = front[2];
    const { written } = expected.figures;
    assert.ok(written !== undefined && wanted.iteration !== written.iteration && wanted.peak !== written.peak);
    for (const width of [420, 1200])
      await visit(browser, scene, { width, height: 760 }, async (preview, editor) => {
        const { page } = preview;
        const before = editor.text();
        await opened(preview);
        await editor.answer();
        // Not the row that is selected first.
        for (const key of ['ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key);
        const title = await card(preview).locator('h3').innerText();
        await card(preview).locator('vscode-button', { hasText: 'Compare with the file' }).click();
        await editor.answer();
        const rows = page.locator('.race-row:has(.race-name)');
        await page.waitForFunction(() => {
          const found = document.querySelectorAll('.race-row:has(.race-name)');
          return found.length === 2 && !Array.from(found).some((row) => row.textContent?.includes('Simulating'));
        });
        const texts = await rows.allInnerTexts();
        const own = texts.find((text) => text.includes('this file')) ?? '';
        const row = texts.find((text) => text.includes(`row ${wanted.row}`)) ?? '';
        assert.ok(own.includes(iterationTime(written.iteration)), own);
        assert.ok(row.includes(iterationTime(wanted.iteration)) && row.includes(bytes(wanted.peak)), row);
        assert.ok(row.includes(wanted.settings['schedule']), row);
        assert.equal(editor.text(), before, 'nothing is written');
        assert.deepEqual(await axe(page), []);
        await preview.shot(`plan-compared-${width}`);
        await page.keyboard.press('Escape');
        await settled(page);
        assert.equal(await card(preview).locator('h3').innerText(), title);
        assert.ok(
          await page.evaluate(() => document.activeElement?.closest('.plan') !== null),
          'the focus is in the plans',
        );
        // Without a plan, the comparison has no tab for one.
        await page.keyboard.press('Escape');
        await settled(page);
        await page.keyboard.press('x');
        await settled(page);
        assert.equal(await page.locator('.race-bar-top').getByText('Plan', { exact: true }).isVisible(), false);
      });
  },
};

const drawn: PageTest = {
  name: 'plans: marks are where time and memory put them; a click selects, the limit is labelled, the file is marked',
  run: async (browser) => {
    const expected = await answered(file);
    await visit(browser, scene, { width: 1200, height: 760 }, async (preview, editor) => {
      await opened(preview);
      await editor.answer();
      const plot = preview.page.locator('.plan-plot');
      // Looks for each point of the front with the pointer, and checks the order of their places.
      const found = new Map<string, { x: number; y: number }>();
      const front = frontIn(expected);
      const tips = await plot.evaluate((node) => {
        const { left, top, width, height } = node.getBoundingClientRect();
        const seen: [text: string, x: number, y: number][] = [];
        for (let y = top + 4; y < top + height - 28; y += 6)
          for (let x = left + 66; x < left + width - 8; x += 6) {
            node.dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y }));
            const text = node.querySelector('.plan-tip:not([hidden]) strong')?.textContent ?? '';
            if (text !== '') seen.push([text, x, y]);
          }
        return seen;
      });
      for (const [text, x, y] of tips) if (!found.has(text)) found.set(text, { x, y });
      const places = front.map(({ iteration, peak }) => found.get(`${iterationTime(iteration)} · ${bytes(peak)}`));
      for (const [index, place] of places.entries()) {
        assert.ok(place, `front ${index}`);
        const faster = places[index - 1];
        if (faster !== undefined)
          assert.ok(place.x <= faster.x + 14 && place.y <= faster.y + 14, 'less memory, more time');
      }
      const last = places.at(-1);
      assert.ok(last);
      await preview.page.mouse.click(last.x, last.y);
      const { iteration, peak } = front[front.length - 1];
      assert.equal(await card(preview).locator('h3').innerText(), `${iterationTime(iteration)} · ${bytes(peak)}`);
      await preview.shot('plan');
    });
  },
};

const table: PageTest = {
  name: 'plans: the table has every row, sorts by its headers and by keys, and axe finds nothing in it',
  run: async (browser) => {
    const expected = await answered(file);
    await visit(browser, scene, { width: 1200, height: 760 }, async (preview, editor) => {
      await opened(preview);
      await editor.answer();
      await button(preview, 'Table').click();
      await settled(preview.page);
      const grid = preview.page.locator('.plan-table .cells');
      assert.equal(await grid.getAttribute('aria-rowcount'), String(expected.points.length + 1));
      const iterations = () =>
        preview.page
          .locator('.plan-table .lines [role=row]')
          .evaluateAll((rows) => rows.map((row) => row.children[2].textContent));
      // The front first, then what fits, then what misses a limit; the fastest of each first.
      const onFront = new Set(frontIn(expected).map(({ row }) => row));
      const rank = ({ row, meets }: FoundPoint) => (onFront.has(row) ? 0 : meets ? 1 : 2);
      const words = (points: readonly FoundPoint[]) =>
        points.slice(0, shown.length).map(({ iteration }) => iterationTime(iteration));
      const sorted = expected.points.toSorted(
        (a, b) => rank(a) - rank(b) || a.iteration - b.iteration || a.row - b.row,
      );
      const shown = await iterations();
      assert.deepEqual(shown, words(sorted));
      await button(preview, 'peak memory').click();
      const least = expected.points.toSorted((a, b) => a.peak - b.peak || a.iteration - b.iteration || a.row - b.row);
      assert.deepEqual(await iterations(), words(least));
      assert.equal(await preview.page.locator('.plan-table [aria-sort=ascending]').innerText(), 'peak memory ↑');
      await preview.page.locator('.plan-table .lines [tabindex="0"]').focus();
      await preview.page.keyboard.press('ArrowDown');
      await preview.page.keyboard.press('Enter');
      assert((await card(preview).locator('dd').first().innerText()).startsWith(`${least[1].row}:`));
      assert.deepEqual(await axe(preview.page), []);
    });
  },
};

const stopped: PageTest = {
  name: 'plans: progress, Stop and Search longer; a text that changes marks the search as outdated',
  run: async (browser) => {
    const { figures, head, points } = await answered(file);
    await visit(browser, scene, { width: 1200, height: 760 }, async (preview) => {
      const request = await opened(preview);
      assert.equal(await preview.page.locator('.plan-message').innerText(), 'Searching…');
      const half = points.slice(0, 9);
      const rows = figures.rows;
      await preview.post({
        type: 'planFound',
        request,
        ...(head === undefined ? {} : { head }),
        points: half,
        looked: 12,
        total: rows,
      });
      await settled(preview.page);
      assert.match(
        await preview.page.locator('.plan-progress').innerText(),
        new RegExp(`^12 of ${rows} rows decided · 9 simulated`),
      );
      assert.equal(
        await preview.page.locator('.plan-line').getAttribute('aria-valuenow'),
        String(Math.round((12 / rows) * 100)),
      );
      await button(preview, 'Stop').click();
      assert.deepEqual((await preview.posted()).at(-1), { type: 'stopPlan', request });
      const sentence = 'The fastest row found takes 1 s; 3 were not searched to the end.';
      await preview.post({ type: 'planEnd', request, figures: { ...figures, unsearched: 3, certificate: sentence } });
      await settled(preview.page);
      assert.equal(await certificate(preview), sentence);
      assert.ok(await button(preview, 'Stop').isHidden());
      await button(preview, 'Search longer').click();
      const more = (await preview.posted()).at(-1);
      assert.ok(more?.type === 'findPlan' && more.more === true && more.request > request);
      // What an older search still says changes nothing; what was found stays.
      await preview.post({ type: 'planFound', request, points: points.slice(9), looked: 24, total: rows });
      await settled(preview.page);
      assert.match(await preview.page.locator('.plan-progress').innerText(), /9 simulated/);
      await preview.post({ type: 'planEdited', request: more.request, matters: true });
      await settled(preview.page);
      assert.match(await certificate(preview), /^The file has been edited since this search/);
      assert.ok(await writing(preview).evaluate((node) => (node as HTMLButtonElement).disabled));
      await preview.page.keyboard.press('Escape');
      assert.ok(await preview.page.locator('.plan').isHidden());
    });
  },
};

const shown: PageTest = {
  name: 'plans: Show it draws the timeline of a plan that the file does not have; Apply writes it, Back returns',
  run: async (browser) => {
    await visit(browser, scene, { width: 1200, height: 760 }, async (preview, editor) => {
      const before = editor.text();
      await opened(preview);
      await editor.answer();
      // The header describes what is drawn.
      const policy = (name: string) =>
        preview.page.locator('header .policy', { hasText: name }).waitFor({ state: 'attached' });
      await preview.page.keyboard.press('End');
      await preview.page.getByRole('button', { name: 'Show it: the timeline' }).click();
      await editor.answer();
      await preview.page.locator('header .trial:not(.missing)').waitFor();
      assert.match(await preview.page.locator('header .trial:not(.missing)').innerText(), /Trying a plan/);
      await policy('zb_h1');
      assert.equal(editor.text(), before);
      await preview.page.getByRole('button', { name: 'Back to the search' }).click();
      await editor.answer();
      assert.ok(await preview.page.locator('.plan').isVisible());
      await policy('1f1b');
      await preview.page.getByRole('button', { name: 'Show it: the timeline' }).click();
      await editor.answer();
      await preview.page.getByRole('button', { name: 'Apply: write the plan that is shown into the file' }).click();
      await editor.answer();
      assert.match(editor.text(), /schedule += zb_h1/);
      assert.ok(await preview.page.locator('header .trial:not(.missing)').isHidden());
    });
  },
};

const resumed: PageTest = {
  name: 'plans: a page that is shown again has the search of the page before; closing the view stops it and keeps what it has',
  run: async (browser) => {
    const { figures, head, points } = await answered(file);
    await visit(browser, scene, { width: 1200, height: 760 }, async (preview) => {
      const uri = file.uri;
      const found = {
        ...(head === undefined ? {} : { head }),
        points: points.slice(0, 9),
        looked: 12,
        total: figures.rows,
      };
      const kept = {
        type: 'planKept',
        uri,
        request: 7,
        pipeline: 'train',
        found,
        edited: { matters: false },
        note: '',
      } as const;
      await preview.post({ ...kept, open: true });
      await settled(preview.page);
      assert.match(await preview.page.locator('.plan-progress').innerText(), /9 simulated/);
      assert.ok(await button(preview, 'Stop').isVisible());
      await preview.post({
        type: 'planFound',
        request: 7,
        points: points.slice(9),
        looked: figures.rows,
        total: figures.rows,
      });
      await preview.post({ type: 'planEnd', request: 7, figures });
      await settled(preview.page);
      assert.equal(await certificate(preview), figures.certificate);
      await preview.page.locator('.plan-plot').focus();
      await preview.page.keyboard.press('Escape');
      const posted = await preview.posted();
      assert.deepEqual(posted.slice(-2), [
        { type: 'stopPlan', request: 7 },
        { type: 'planView', request: 7, open: false },
      ]);
      // It is there again without a new search.
      await preview.post({ type: 'plans', pipeline: 'train' });
      await settled(preview.page);
      assert.equal(await certificate(preview), figures.certificate);
      assert.deepEqual((await preview.posted()).slice(posted.length), [{ type: 'planView', request: 7, open: true }]);
      // Of another pipeline nothing is known.
      await preview.post({ type: 'plans', pipeline: 'other' });
      await settled(preview.page);
      const asked = (await preview.posted()).at(-1);
      assert.ok(asked?.type === 'findPlan' && asked.pipeline === 'other');
    });
  },
};

const sliders: PageTest = {
  name: 'plans: sliders that the search does not have are named, and one click searches with them and writes them',
  run: async (browser) => {
    await visit(browser, scene, { width: 1200, height: 760 }, async (preview, editor) => {
      await preview.page.getByRole('slider').first().focus();
      await preview.page.keyboard.press('ArrowRight');
      await editor.answer();
      await opened(preview);
      await editor.answer();
      const values = preview.page.locator('.plan-values');
      assert.match(
        await values.innerText(),
        /^This search does not have the values of the sliders: microbatches 9 instead of 8\./,
      );
      await preview.shot('plan-sliders');
      await button(preview, 'Search with the sliders').click();
      const asked = (await preview.posted()).findLast(({ type }) => type === 'findPlan');
      assert.ok(asked?.type === 'findPlan');
      assert.deepEqual(asked.overrides, { microbatches: 9 });
      await editor.answer();
      assert.match(
        await values.innerText(),
        /^This search has the values of the sliders: microbatches 9 instead of 8\.$/,
      );
      await preview.page.locator('.plan-plot').focus();
      await preview.page.keyboard.press('Enter');
      await editor.answer();
      assert.match(editor.text(), /param microbatches = 9 in/);
      assert.match(await card(preview).innerText(), /this file is this plan/i);
    });
  },
};

/** The chart and its card, in all themes: axe-core looks at their structure once, and at their colours in each. */
const clean: readonly PageTest[] = [420, 1400].map((width) => ({
  name: `plans: axe-core finds nothing in the chart, ${width} px`,
  run: async (browser) => {
    await visit(browser, scene, { width, height: 760 }, async (preview, editor) => {
      await opened(preview);
      await editor.answer();
      assert.deepEqual(await axe(preview.page), []);
      for (const theme of themes) {
        await preview.setTheme(theme);
        assert.deepEqual(await axe(preview.page, colourRules), [], theme);
      }
      assert.equal(await preview.page.evaluate(() => document.documentElement.scrollWidth), width);
      assert.deepEqual(await violations(preview.page), []);
    });
  },
}));

/** A file without a search, whose few layers are measured. */
const usual = exampleFile(
  'quickstart.pipe',
  `device card { memory = 16GiB  compute = 100TFLOPS  bandwidth = 1TB/s }
cluster box { gpu[4] = card  link = 25GB/s + 5us }
model small {
  layer block[8] { forward = 4ms  backward = 8ms  weights = 1GiB  activation = 512MiB  output = 1MiB }
}
pipeline train {
  model        = small
  devices      = box
  microbatches = 8
  stages       = balance(4)
  schedule     = 1f1b
}
`,
);

const leftOut: readonly PageTest[] = [420, 1200].map((width) => ({
  name: `plans: what a search of usual values leaves out is one line, which opens to the reasons, ${width} px`,
  run: async (browser) => {
    const { figures } = await answered(usual);
    const lines = leftOutLines(figures.left_out ?? []);
    assert.ok(lines.length > 2);
    await visit(browser, { ...scene, file: usual }, { width, height: 760 }, async (preview, editor) => {
      const line = preview.page.locator('.plan-left-out');
      const summary = line.locator('summary');
      await opened(preview);
      assert.equal(await line.isVisible(), false);
      await editor.answer();
      assert.match(await summary.innerText(), /^Left out: .*micro_batch.*, other schedules/u);
      const tall = async () => (await summary.boundingBox())?.height ?? Infinity;
      assert.ok((await tall()) < 30, 'one line');
      assert.deepEqual(await axe(preview.page), []);
      await preview.shot(`plan-left-out-${width}`);
      await summary.focus();
      await preview.page.keyboard.press('Enter');
      assert.deepEqual(await line.locator('li').allInnerTexts(), lines);
      assert.equal(await preview.page.evaluate(() => document.documentElement.scrollWidth), width);
      await preview.shot(`plan-left-out-open-${width}`);
    });
    // Of a search that the file has, nothing is left out.
    await visit(browser, scene, { width, height: 760 }, async (preview, editor) => {
      await opened(preview);
      await editor.answer();
      assert.equal(await preview.page.locator('.plan-left-out').isVisible(), false);
    });
  },
}));

/** A row that is faster than the best one and has no room. */
const tighter: PageTest = {
  name: 'plans: the best row keeps room, and a faster row says how little it leaves',
  run: async (browser) => {
    const [fastest] = frontIn(await answered(file));
    const memory = Math.ceil(fastest.peak / 0.98);
    const cramped = { ...file, text: file.text.replace('memory = 16GiB', `memory = ${memory}B`) };
    const { figures, points } = await answered(cramped);
    assert.ok(figures.tighter !== undefined && figures.tighter.row === fastest.row);
    const best = points.find(({ row }) => row === figures.best);
    assert.ok(best !== undefined);
    await visit(browser, { ...scene, file: cramped }, { width: 1200, height: 760 }, async (preview, editor) => {
      await opened(preview);
      await editor.answer();
      assert.equal(
        await card(preview).locator('h3').innerText(),
        `${iterationTime(best.iteration)} · ${bytes(best.peak)}`,
      );
      assert.match(await card(preview).innerText(), /The fastest that keeps 6 % of each device free/u);
      assert.match(await certificate(preview), /faster with .* left: it may run out of memory\.$/u);
      await preview.shot('plan-tighter');
      await preview.page.keyboard.press('ArrowRight');
      assert.match(await card(preview).innerText(), /leaves .*iB: may run out of memory/iu);
    });
  },
};

/** Bodies of a search, and what the page says of it. */
const none: readonly (readonly [name: string, body: string, says: RegExp])[] = [
  [
    'none fits',
    '  pipeline in [1, 2, 4]\n  subject_to = peak_memory < 1MiB\n',
    /^None of the 3 rows fits and meets the limits\. Row 2 needs least memory/,
  ],
  ['all refused', '  pipeline in [3]\n', /^The only row does not fit\./],
  ['a misspelled value', '  recompute in [none, ful]\n', /^Unknown value "ful"\. Did you mean "full"\?/],
];
const without: readonly PageTest[] = none.map(([name, body, says]) => ({
  name: `plans: a search of which ${name} says what is wrong, without a violation`,
  run: async (browser) => {
    const broken = { ...scene, file: searched(body) };
    await visit(browser, broken, { width: 700, height: 700 }, async (preview, editor) => {
      await opened(preview);
      await editor.answer();
      // What keeps it from beginning is said in place of the drawing, once.
      const place = name === 'a misspelled value' ? '.plan-message p' : '.plan-certificate';
      assert.match(await preview.page.locator(place).innerText(), says);
      // One message may still fade while the other is there. What is read aloud after a long search is not in sight.
      const messages = preview.page
        .getByText(says)
        .and(preview.page.locator(':not([aria-live])'))
        .filter({ visible: true });
      await messages.nth(1).waitFor({ state: 'hidden' });
      assert.equal(await messages.count(), 1);
      assert.deepEqual(await axe(preview.page), []);
      await preview.shot(`plan-${name.replaceAll(' ', '-')}`);
      if (name === 'none fits') assert.match(await card(preview).innerText(), /Needs least memory of all rows/);
      if (name !== 'a misspelled value') return;
      const line = broken.file.text.split('\n').findIndex((each) => each.includes('ful]'));
      await button(preview, `Go to line ${line + 1}`).click();
      const asked = (await preview.posted()).at(-1);
      assert.ok(asked?.type === 'goto' && asked.line === line);
    });
  },
}));

const many: PageTest = {
  name: 'plans: 100,000 points are drawn, and every one is in the table',
  run: async (browser) => {
    const { figures, head, points } = await answered(file);
    await visit(browser, scene, { width: 1200, height: 760 }, async (preview) => {
      const request = await opened(preview);
      // Made in the page: they need not cross a channel.
      await preview.page.evaluate(
        ([number, first, model]) => {
          const made = Array.from({ length: 100_000 }, (_, row) => ({
            ...model,
            row,
            meets: row % 7 > 0,
            iteration: model.iteration * (1 + (row % 977) / 977 + row / 1e6),
            peak: 2 ** 30 * (4 + (row % 641) / 150),
          }));
          window.postMessage(
            { type: 'planFound', request: number, head: first, points: made, looked: 100_000, total: 100_000 },
            '*',
          );
        },
        [request, head, points[0]] as const,
      );
      await preview.post({ type: 'planEnd', request, figures: { ...figures, rows: 100_000, simulated: 100_000 } });
      await preview.page.locator('.plan-certificate:not(:empty)').waitFor();
      await preview.shot('plan-many');
      await button(preview, 'Table').click();
      assert.equal(await preview.page.locator('.plan-table .cells').getAttribute('aria-rowcount'), '100001');
      assert.ok((await preview.page.locator('.plan-table .lines [role=row]').count()) < 60);
    });
  },
};

export const planTests: readonly PageTest[] = [
  whole,
  compared,
  drawn,
  table,
  stopped,
  shown,
  resumed,
  sliders,
  ...clean,
  ...leftOut,
  tighter,
  ...without,
  many,
];
