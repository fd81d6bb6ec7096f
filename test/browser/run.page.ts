/** A recorded run under its plan: read by the language server, compared by the page. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { besideNames, besideRoom, besideRuler } from '../../webview/view/scene/besideScene.ts';
import { time } from '../../engine/basics/quantities.ts';
import { exampleUri } from '../support/example.ts';
import { sleepingPlan } from '../support/sleepingPlan.ts';
import { call } from '../unit/cli/harness.ts';
import { withMemory } from '../support/memoryEvents.ts';
import { filesOf, folder, textOf } from '../unit/runs/traces.ts';
import type { Browser, PageTest } from './check.ts';
import { type Editor, openEditor } from './editor.ts';
import { axe, type OpenOptions, type Preview, settled, violations } from './harness.ts';
import type { Point } from './pixels.ts';

const tracesOf = (name: string) => filesOf(name).map((file) => path.join(folder, file));
const sleeping = tracesOf('sleep_zbv_p4');
const replicas = [path.join(folder, 'straggler/timeline-ST.json.gz')];
const zbv = sleepingPlan(8, 4, 'zb_v');
const four = `model m { layer l[4] { forward = 200ms  backward = 400ms } }
device d { memory = 80GiB }
cluster c { gpu[4] = d  link = 25GB/s + 10us }
pipeline t { model = m  devices = c  microbatches = 4  stages = split(1, 1, 1, 1)  schedule = 1f1b }`;

async function shown(
  browser: Browser,
  text: string,
  traces: readonly string[],
  work: (preview: Preview, editor: Editor) => Promise<void>,
  options: OpenOptions = {},
): Promise<void> {
  const preview = await browser.open({ width: 1100, height: 760, reducedMotion: true, ...options });
  const editor = await openEditor(preview, { uri: exampleUri('planned.pipe'), text });
  try {
    await editor.show();
    if (traces.length > 0) await editor.run(traces, { pair: 1 });
    await work(preview, editor);
    assert.deepEqual([...preview.problems, ...(await violations(preview.page))], []);
  } finally {
    editor.close();
    await preview.close();
  }
}

const line = ({ page }: Preview, side: 'upper' | 'lower') =>
  page.locator('.beside-line').filter({ has: page.locator(`.beside-key.${side}`) });
const says = (preview: Preview, words: string | RegExp) =>
  preview.page.locator('.beside-sentence').filter({ hasText: words }).waitFor();

interface Json {
  readonly runs: readonly {
    readonly planned: number;
    readonly measured: number;
    readonly shares: Readonly<Record<string, number>>;
    readonly drifts: readonly { readonly kind: string; readonly stage: number }[];
  }[];
  readonly stragglers: { readonly slowdown: number; readonly ranks: readonly number[]; readonly lastStage: number };
}

/** What the command line says of the same run. */
async function onCommandLine(text: string, traces: readonly string[]): Promise<Json> {
  const { out, err } = await call(['compare', 'planned.pipe', '--with', ...traces, '--format', 'json'], {
    disk: true,
    files: { 'planned.pipe': text },
  });
  assert.notEqual(out, '', err);
  return JSON.parse(out) as Json;
}

const figures: PageTest = {
  name: 'a recorded run under its plan: the figures are those of the command line, and shares add up',
  run: (browser) =>
    shown(browser, zbv, sleeping, async (preview) => {
      await says(preview, 'The run takes');
      const { page } = preview;
      const { runs, stragglers } = await onCommandLine(zbv, sleeping);
      const [{ planned, measured, shares, drifts }] = runs;
      const ms = (seconds: number) => `${(seconds * 1e3).toFixed(1)} ms`;
      assert.match(await line(preview, 'upper').innerText(), new RegExp(ms(planned)));
      assert.match(await line(preview, 'lower').innerText(), new RegExp(ms(measured)));
      assert.match(
        await line(preview, 'lower').innerText(),
        /ranks 0 to 3, mean of \d+ steps, without the optimizer’s step/,
      );
      const words = await page.locator('.beside-sentence').innerText();
      assert.match(words, new RegExp(`^The run takes ${ms(measured)}, `));
      const causes = { times: 'times of operations', host: 'hosts between operations', flights: 'messages' } as const;
      const most = (Object.keys(causes) as (keyof typeof causes)[]).reduce((a, b) => (shares[b] > shares[a] ? b : a));
      assert.ok(words.includes(`Largest cause: ${causes[most]}, +${time(shares[most])}.`), words);
      const rows = await page.getByRole('table', { name: 'Shares of the difference' }).locator('tr').allInnerTexts();
      assert.equal(rows.length, 7);
      const cells = rows.map((row) => row.split('\t'));
      for (const [part, seconds] of Object.entries(shares)) {
        const size = Math.abs(seconds) < 1e-9 ? '0 ms' : `${seconds > 0 ? '+' : '−'}${time(Math.abs(seconds))}`;
        assert.ok(
          cells.some((cell) => cell[1] === size),
          `${part}: ${size} in ${rows.join('; ')}`,
        );
      }
      assert.equal(cells.at(-1)?.[1], `+${time(measured - planned)}`);
      const named = await page.getByRole('table', { name: 'Drifted operations' }).locator('tbody th').allInnerTexts();
      assert.deepEqual(
        named,
        drifts.slice(0, 12).map(({ kind, stage }) => `${kind} of stage ${stage}`),
      );
      assert.match(
        await page.locator('.run-panel dl').innerText(),
        new RegExp(`S\\s+${stragglers.slowdown.toFixed(3)}`),
      );
      // The parts of a rank's time fill its bar.
      const bars = await page
        .locator('.run-bar')
        .evaluateAll((all) =>
          all.map((bar) => [
            bar.clientWidth,
            [...bar.children].reduce((sum, part) => sum + part.getBoundingClientRect().width, 0),
          ]),
        );
      assert.equal(bars.length, 4);
      for (const [width, parts] of bars) assert.ok(Math.abs(width - parts) < 1, `${parts} of ${width} px`);
      assert.deepEqual(await axe(page), []);
    }),
};

const outlines: PageTest = {
  name: 'a recorded run under its plan: only operations that take another time are outlined, and lead to the text',
  run: (browser) =>
    shown(browser, zbv.replace('layer s5 { forward = 8ms', 'layer s5 { forward = 5ms'), sleeping, async (preview) => {
      await says(preview, 'The run takes');
      await settled(preview.page);
      const { page } = preview;
      assert.ok(await page.getByRole('group', { name: 'Differences over' }).isHidden());
      const canvas = await page.locator('.beside-scroll canvas').boundingBox();
      assert.ok(canvas);
      await page.locator('.beside-scroll').focus();
      await page.keyboard.press('n');
      const at = page.locator('.beside-at');
      assert.match(await at.innerText(), /in planned\.pipe: t starts at .* and takes .*\. In traces it/);
      await page.keyboard.press('Enter');
      assert.match(JSON.stringify((await preview.posted()).at(-1)), /"reveal","path":"t\/stage:\d"/);
      const { pitch, plot, band } = besideRoom(canvas.width, canvas.height, 4);
      const longest = Number(/(\d+\.\d) ms/.exec(await line(preview, 'lower').innerText())?.[1]) / 1e3;
      const x = canvas.x + besideNames(canvas.width) + (0.002 / longest) * plot;
      const edge = (lower: boolean): readonly Point[] =>
        [0, 1, 2, 3].map((below): Point => [
          Math.round(x),
          Math.round(canvas.y + besideRuler + 2 + (lower ? band + 1 : 0) + below),
        ]);
      // 0F0 takes what was planned within its interval or not: the table says it, and the drawing the same.
      const drifted = await page.getByRole('table', { name: 'Drifted operations' }).locator('tbody th').allInnerTexts();
      const white = (await preview.pixels(edge(false))).some((colour) => colour.every((part) => part > 200));
      assert.equal(white, drifted.includes('F of stage 0'), drifted.join(', '));
      assert.ok(pitch > 0);
    }),
};

const follows: PageTest = {
  name: 'a recorded run stays under its plan while that is edited, and says what is no run of it',
  run: (browser) =>
    shown(browser, zbv, sleeping, async (preview, editor) => {
      await says(preview, 'The run takes');
      const before = await line(preview, 'lower').innerText();
      await editor.replace(zbv.replace('link = 1GB/s + 300us', 'link = 1GB/s + 20ms'));
      await preview.page.waitForFunction(
        (old) => document.querySelectorAll('.beside-line')[1].textContent !== old,
        before,
      );
      await says(preview, /shorter than planned\. Largest cause: messages/);
      await editor.replace(sleepingPlan(4, 2, 'zb_v'));
      await line(preview, 'lower')
        .getByText('The run does not match pipeline "t": the plan has 2 devices, and 4 ran.')
        .waitFor();
      assert.ok(await preview.page.locator('.run-panel').isHidden());
      await editor.replace(zbv);
      await says(preview, /longer than planned/);
      await preview.page.getByRole('button', { name: 'Calibrate …' }).click();
      assert.deepEqual((await preview.posted()).at(-1), { type: 'calibrate', pipeline: 't', replica: 0 });
    }),
};

const reading: PageTest = {
  name: 'a run that is being read says how far it is, ends with Escape, and its faults have a place',
  run: (browser) =>
    shown(browser, zbv, [], async (preview, editor) => {
      const { page } = preview;
      const of = { type: 'beside', pair: 4, title: 'traces', note: 'recorded run', isRun: true } as const;
      await preview.post({ ...of, reading: { share: 0.43, what: 'rank2.json: 43 %' } });
      await line(preview, 'lower').getByText('Reading rank2.json … 43 %').waitFor();
      assert.match(await line(preview, 'upper').innerText(), /planned\.pipe: t/);
      await page.keyboard.press('Escape');
      assert.deepEqual((await preview.posted()).at(-1), { type: 'endBeside', pair: 4 });
      await preview.post({ ...of, pair: 5, problem: 'rank2.json:7:3: The file ends within an event.' });
      await line(preview, 'lower').getByText('rank2.json:7:3: The file ends within an event.').waitFor();
      assert.deepEqual(await axe(page), []);
      // From the menu, and dropped.
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('button', { name: 'Recorded run…' }).click();
      assert.deepEqual((await preview.posted()).at(-1), { type: 'chooseRun' });
      await page.evaluate(() => {
        const data = new DataTransfer();
        data.setData('text/uri-list', '# two ranks\r\nfile:///tmp/rank0.json\r\nfile:///tmp/rank1.json\r\nhttp://x/y');
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      });
      assert.deepEqual((await preview.posted()).at(-1), {
        type: 'chooseRun',
        uris: ['file:///tmp/rank0.json', 'file:///tmp/rank1.json'],
      });
      // A schedule without a pipeline has no times of a machine, and an empty file has nothing.
      await editor.run(sleeping, { pair: 6 });
      await editor.replace('schedule mine { row(d) = F[0..<microbatches], B[0..<microbatches] }\n');
      await line(preview, 'lower')
        .getByText(/no times of a machine/)
        .waitFor();
      await editor.replace('');
      await line(preview, 'upper').getByText('planned.pipe has no pipeline.').waitFor();
      await preview.shot('run-empty');
    }),
};

const severalPipelines: PageTest = {
  name: 'of a run of several replicas each is shown by itself',
  run: (browser) =>
    shown(browser, four, replicas, async (preview) => {
      const { page } = preview;
      await says(preview, 'The run takes');
      const { runs, stragglers } = await onCommandLine(four, replicas);
      const iteration = async () => /([\d.]+ m?s)\s/.exec(await line(preview, 'lower').innerText())?.[1];
      const first = await iteration();
      assert.equal(runs.length, 2);
      assert.match(await page.locator('.run-panel').innerText(), /by replica: 0 1\.\d+ and 1 1\.\d+/);
      assert.match(
        await page.locator('.run-panel dl').innerText(),
        new RegExp(`S\\s+${stragglers.slowdown.toFixed(3)}`),
      );
      assert.match(
        await page.locator('.run-panel').innerText(),
        /the traces are of 2 pipelines\. Each is compared by itself/,
      );
      await preview.shot('run-replicas');
      const choice = page.getByRole('combobox', { name: 'Pipeline that ran' });
      await choice.click();
      await page.getByRole('option').nth(1).click();
      await page.waitForFunction(
        (old) => !(document.querySelectorAll('.beside-line')[1].textContent ?? '').includes(old ?? ''),
        first,
      );
      assert.match(await line(preview, 'lower').innerText(), /ranks /);
    }),
};

const MiB = 2 ** 20;
const busy = `model m { layer l[2] { forward = 7ms  backward = 12ms  weights = 8MiB  activation = 3MiB } }
device d { memory = 16GiB }
cluster c { gpu[2] = d  link = 1GB/s + 200us }
pipeline t { model = m  devices = c  microbatches = 8  stages = split(1, 1)  schedule = 1f1b }`;

const memory: PageTest = {
  name: 'a recorded run under its plan: peaks of memory are those of the command line, in every width',
  run: async (browser) => {
    const made = mkdtempSync(path.join(tmpdir(), 'pipewright-memory-'));
    const traces = filesOf('mlp_1f1b_p2').map((name, rank) => {
      const file = path.join(made, `rank${rank}.json`);
      writeFileSync(
        file,
        withMemory(textOf(name), [
          [1 * MiB, 5 * MiB, 0],
          [(15 - 4 * rank) * MiB, (20 - 4 * rank) * MiB, 0],
        ]),
      );
      return file;
    });
    try {
      for (const width of [420, 700, 1400])
        await shown(
          browser,
          busy,
          traces,
          async (preview) => {
            await says(preview, 'The run takes');
            const { page } = preview;
            const section = page.locator('.run-panel section').filter({ hasText: 'Peak memory' });
            const rows = await section.locator('tbody tr').allInnerTexts();
            const cells = rows.map((row) => row.split(/\s*\t\s*/));
            assert.deepEqual(cells, [
              ['gpu[0]', '16 MiB', '14 MiB', '8 MiB'],
              ['gpu[1]', '12 MiB', '11 MiB', '8 MiB'],
            ]);
            assert.match(await section.innerText(), /do not prove the plan right or wrong/);
            await section.scrollIntoViewIfNeeded();
            await settled(page);
            await preview.shot(`run-memory-${width}`);
            const inner = await page.locator('.run-panel').evaluate((box) => box.scrollWidth - box.clientWidth);
            assert.ok(inner <= 0, `${width}: figures are ${inner} px too wide`);
            assert.deepEqual(await axe(page), [], String(width));
          },
          { width, height: 700 },
        );
      await shown(browser, zbv, sleeping, async (preview) => {
        await says(preview, 'The run takes');
        assert.ok(await preview.page.getByRole('heading', { name: 'Peak memory' }).isHidden());
      });
    } finally {
      rmSync(made, { recursive: true });
    }
  },
};

const fits: PageTest = {
  name: 'a recorded run fits into a side panel, and axe finds nothing',
  run: async (browser) => {
    for (const [width, theme] of [
      [320, 'vscode-dark'],
      [420, 'vscode-dark'],
      [420, 'vscode-light'],
      [700, 'vscode-high-contrast'],
      [700, 'vscode-dark'],
      [1400, 'vscode-light'],
      [1400, 'vscode-high-contrast-light'],
      [1400, 'vscode-dark'],
    ] as const)
      await shown(
        browser,
        zbv,
        sleeping,
        async (preview) => {
          const { page } = preview;
          await says(preview, 'The run takes');
          await settled(page);
          await preview.shot(`run-${width}-${theme}`);
          const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(over <= 0, `${width}: ${over} px too wide`);
          const drawing = await page.locator('.beside-scroll').boundingBox();
          assert.ok(drawing !== null && drawing.height >= 0.3 * 700, `${width}: ${drawing?.height} px of drawing`);
          const inner = await page.locator('.run-panel').evaluate((box) => box.scrollWidth - box.clientWidth);
          assert.ok(inner <= 0, `${width}: figures are ${inner} px too wide`);
          assert.deepEqual(await axe(page), [], `${width} ${theme}`);
        },
        { width, height: 700, theme },
      );
  },
};

export const runTests: readonly PageTest[] = [figures, outlines, follows, reading, severalPipelines, memory, fits];
