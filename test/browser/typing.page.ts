/** The page while somebody types and a planner is slow: with the real server, and what the extension does between them. */
import assert from 'node:assert/strict';
import { createFreshness } from '../../client/preview/freshness.ts';
import { methods, type PlanAnswer, type PlannedAnswer } from '../../webview/protocol/requests.ts';
import { exampleUri } from '../support/example.ts';
import { startClient } from '../support/server.ts';
import type { PageTest } from './check.ts';
import { example } from './example.ts';
import { axe, colourRules, type Preview, settled, violations } from './harness.ts';
import { themes } from './themeColours.ts';

const uri = exampleUri('typing.pipe');
/** A virtual worker of four kinds of devices: its planner takes far longer than a keystroke. */
const textOf = (forward: string): string => `model deep {
  layer block[96] { forward = ${forward}  backward = 2ms  weights = 8MiB  activation = 16MiB  output = 1MiB }
}
device slow { memory = 24GiB }
device fast { memory = 24GiB  speed = 1.5 }
device faster { memory = 24GiB  speed = 2 }
device fastest { memory = 24GiB  speed = 2.5 }
cluster mixed {
  node[1] { gpu[4] = slow  link = 10GB/s }
  node[1] { gpu[4] = fast  link = 10GB/s }
  node[1] { gpu[4] = faster  link = 10GB/s }
  node[1] { gpu[4] = fastest  link = 10GB/s }
  link = 5GB/s
}
pipeline train {
  model        = deep
  devices      = mixed
  microbatches = 16
  stages       = plan(hetpipe)
  schedule     = pipedream(in_flight = 16)
}
`;

const keystrokes = 50;
const between = 30;

const typing: PageTest = {
  name: 'fifty keystrokes while a planner is slow: the page works, says that its picture is older, and ends at the last text',
  run: async (browser) => {
    const preview: Preview = await browser.open();
    const { page } = preview;
    const client = await startClient({ folders: [exampleUri('')] });
    let key: string | undefined;
    let version = 0;
    const refresh = async (): Promise<void> => {
      version += 1;
      const mine = version;
      const answer = await client.request<PlanAnswer>(methods.plan, { uri });
      if (mine !== version) return;
      ({ key } = answer);
      const { plan, options } = answer;
      assert.ok(plan !== undefined);
      await preview.post({ type: 'plan', uri, title: 'typing.pipe', version: mine, plan, overrides: {}, options });
    };
    /** What the page was told of its picture: `true` is older than the text. */
    const told: boolean[] = [];
    const freshness = createFreshness({
      planned: () => client.request<PlannedAnswer>(methods.planned, { uri }),
      shown: () => key,
      refresh,
      tell(late) {
        told.push(late);
        void preview.post({ type: 'late', late });
      },
      // Whatever takes longer than a turn is said.
      later(act) {
        const timer = setTimeout(act, 1);
        return () => clearTimeout(timer);
      },
    });
    try {
      client.open(uri, textOf('1ms'));
      await refresh();
      await preview.drawn();
      const shown = () => page.locator('[data-figure="iteration"]').innerText();
      const before = await shown();
      const isBusy = () => page.locator('header').evaluate((node) => node.classList.contains('busy'));
      let moves = 0;
      for (let stroke = 1; stroke <= keystrokes; stroke += 1) {
        client.change(uri, textOf(`1.${String(stroke).padStart(3, '0')}ms`));
        freshness.edited(client.version(uri));
        await new Promise((resolve) => setTimeout(resolve, between));
        if (stroke % 10 !== 0) continue;
        // The page answers to keys, and an old picture is said to be old.
        await page.locator('[role=gridcell][tabindex="0"]').focus();
        await page.keyboard.press('ArrowRight');
        await settled(page);
        if ((await page.locator('.summary').innerText()) !== '') moves += 1;
        if ((await shown()) === before)
          assert.ok(await isBusy(), `after ${stroke} keystrokes nothing says that it is old`);
      }
      assert.equal(moves, keystrokes / 10);
      assert.ok(told.includes(true), 'the planner was not slow');
      // The planner ends: the picture is that of the last text, and nothing says otherwise.
      while (told.at(-1) !== false) await new Promise((resolve) => setTimeout(resolve, 20));
      await page.waitForFunction(() => !document.querySelector('header')?.classList.contains('busy'));
      assert.equal(await page.locator('header .notice').isVisible(), false);
      assert.equal(await page.locator('.stale').count(), 0);
      // The plan is there; the page simulates it.
      await page.waitForFunction(
        (old) => document.querySelector<HTMLElement>('[data-figure="iteration"]')?.innerText !== old,
        before,
      );
      const after = await shown();
      const plain = await browser.open();
      const { plan, options } = await client.request<PlanAnswer>(methods.plan, { uri });
      assert.ok(plan !== undefined);
      await plain.post({ type: 'plan', uri, title: 'typing.pipe', version: 1, plan, overrides: {}, options });
      await plain.drawn();
      assert.equal(after, await plain.page.locator('[data-figure="iteration"]').innerText());
      await plain.close();
      assert.deepEqual([...preview.problems, ...(await violations(page))], []);
    } finally {
      freshness.forget();
      client.stop();
      await preview.close();
    }
  },
};

const late: PageTest = {
  name: 'a picture that is older than the text pales after a moment with words, and an error has precedence over them',
  run: async (browser) => {
    const preview = await browser.open();
    const { page } = preview;
    const { message } = example('quickstart');
    const notice = page.locator('header .notice');
    const isStale = async (): Promise<boolean> => (await page.locator('.stale').count()) > 0;
    const isBusy = () => page.locator('header').evaluate((node) => node.classList.contains('busy'));
    await preview.post(message);
    await preview.drawn();
    await preview.post({ type: 'late', late: true });
    await settled(page);
    // At first a line; words would flicker.
    assert.deepEqual([await isBusy(), await isStale(), await notice.isVisible()], [true, false, false]);
    await notice.waitFor();
    assert.equal(await notice.innerText(), 'Planning the newest text …');
    assert.ok(await isStale());
    assert.deepEqual(await axe(page), []);
    for (const theme of themes.slice(1)) {
      await preview.setTheme(theme);
      assert.deepEqual(await axe(page, colourRules), [], theme);
    }
    // The plan of a text in between is not the newest one.
    await preview.post({ ...message, version: 2, title: 'between.pipe' });
    await settled(page);
    assert.equal(await notice.isVisible(), false);
    await notice.waitFor();
    assert.ok((await isBusy()) && (await isStale()));
    await preview.post({ type: 'late', late: false });
    await settled(page);
    assert.deepEqual([await isBusy(), await isStale(), await notice.isVisible()], [false, false, false]);
    // The newest text has an error: its words stay.
    await preview.post({ type: 'late', late: true });
    await preview.post({ type: 'broken', uri: message.uri, version: 3, message: 'Unknown name "1f2b".' });
    await preview.post({ type: 'late', late: false });
    await notice.waitFor();
    assert.equal(await notice.innerText(), 'Unknown name "1f2b".');
    assert.deepEqual([await isBusy(), await isStale()], [false, true]);
    assert.deepEqual([...preview.problems, ...(await violations(page))], []);
    await preview.close();
  },
};

export const typingTests: readonly PageTest[] = [typing, late];
