import assert from 'node:assert/strict';
import { givenOrder } from '../../engine/policies/searched/given.ts';
import { iterationTime, share, shareAtMost } from '../../engine/basics/quantities.ts';
import { foundOrder } from '../../server/requests/foundOrders.ts';
import type { FromPage, ShownOrder } from '../../webview/protocol/messages.ts';
import { analyseExample } from '../support/analyse.ts';
import { exampleText } from '../support/example.ts';
import type { PageTest } from './check.ts';
import { exampleFile, openEditor } from './editor.ts';
import { pageMessage } from './example.ts';
import { axe, colourRules, type Preview, settled, violations } from './harness.ts';
import { changedExample, orderStates } from './orderStates.ts';

const file = 'search.pipe';
const text = exampleText(file);

type Asked = Extract<FromPage, { type: 'searchOrder' }>;

const newest = async (preview: Preview): Promise<Asked> => {
  const asked = (await preview.posted()).findLast(({ type }) => type === 'searchOrder');
  assert.ok(asked?.type === 'searchOrder');
  return asked;
};

/** Shows a pipeline of a text, and opens the search for it as a reader does. */
async function opened(preview: Preview, of: string, pipeline: string): Promise<Asked> {
  const modes = { docked: false, following: false, outlineAtCursor: true, revealOnClick: true };
  await preview.post({ type: 'modes', ...modes });
  await preview.post({ ...pageMessage(file, of), pipeline });
  await preview.drawn();
  await preview.page.getByRole('button', { name: 'More', exact: true }).click();
  await preview.page.getByRole('button', { name: 'Search for a shorter order' }).click();
  await settled(preview.page);
  assert.equal(await preview.page.locator('.popover').count(), 0);
  return newest(preview);
}

const panel = (preview: Preview) => preview.page.locator('.order');
const sentence = (preview: Preview) => preview.page.locator('.order-sentence').innerText();
const button = (preview: Preview, name: string | RegExp) => panel(preview).getByRole('button', { name });

async function post(preview: Preview, { request }: Asked, order: ShownOrder): Promise<void> {
  await preview.post({ type: 'order', request, ...order });
  await settled(preview.page);
}

const shown: PageTest = {
  name: 'a search is drawn while it runs, and its end says what is shorter and what is proven',
  run: async (browser) => {
    const preview = await browser.open({ width: 1400, height: 800 });
    const asked = await opened(preview, text, 'heuristic');
    assert.deepEqual(asked, { type: 'searchOrder', request: asked.request, pipeline: 'heuristic', times: 1 });
    assert.equal(await sentence(preview), 'Searching …');
    const states = orderStates(file, text, 'heuristic');
    await post(preview, asked, states[8]);
    assert.match(await sentence(preview), /^Searching …/);
    assert.equal(await button(preview, 'Keep this order').isVisible(), false);
    const end = states.at(-1);
    assert.ok(end?.state !== undefined);
    await post(preview, asked, end);
    const [, iteration] = end.state.points.at(-1) ?? [];
    const saved = share(1 - Number(iteration) / end.state.iteration);
    assert.equal(
      await sentence(preview),
      `${saved} shorter than zb_auto. It is proven that no order that fits is shorter: this one is optimal.`,
    );
    const labels = await panel(preview).locator('.order-label').allTextContents();
    assert.deepEqual(labels, ['zb_auto 1.279 s', 'proven: no order under 1.245 s', 'shortest found 1.245 s, optimal']);
    // Nothing can be found that is shorter.
    assert.equal(await button(preview, /Search longer/).isVisible(), false);
    await button(preview, 'Keep this order').click();
    assert.deepEqual((await preview.posted()).at(-1), { type: 'keepOrder', request: asked.request });
    // An answer to an earlier question, and one that is none.
    await post(preview, { ...asked, request: asked.request - 1 }, states[0]);
    await preview.page.evaluate(
      (request) => window.postMessage({ type: 'order', request, state: { points: [[0, 1]] } }, '*'),
      asked.request + 9,
    );
    await settled(preview.page);
    assert.match(await sentence(preview), /optimal/);
    assert.deepEqual(await axe(preview.page), []);
    assert.deepEqual(await violations(preview.page), []);
    await preview.page.keyboard.press('Escape');
    await settled(preview.page);
    assert.deepEqual((await preview.posted()).at(-1), { type: 'endOrder', request: asked.request });
    assert.equal(await panel(preview).count(), 0);
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
};

const gap: PageTest = {
  name: 'with a gap, no search says "optimal", and a longer one may be asked for',
  run: async (browser) => {
    const preview = await browser.open({ width: 900, height: 800 });
    const of = changedExample(file, ['microbatches = 8 in', 'microbatches = 20 in']);
    const asked = await opened(preview, of, 'heuristic');
    const states = orderStates(file, of, 'heuristic');
    const end = states.at(-1);
    assert.ok(end?.state !== undefined);
    await post(preview, asked, end);
    const [, iteration, bound] = end.state.points.at(-1) ?? [0, 0, 0];
    assert.ok(iteration > bound);
    const above = shareAtMost(iteration / bound - 1);
    assert.match(
      await sentence(preview),
      new RegExp(`shorter than zb_auto, at most ${above} above the least possible\\.$`),
    );
    assert.doesNotMatch(await panel(preview).innerText(), /optimal/);
    // A small gap has no room for a label of its own.
    const labels = await panel(preview).locator('.order-label').allTextContents();
    assert.ok(
      labels.some((label) => label.includes(`gap ${above}`)),
      labels.join(),
    );
    await button(preview, 'Search longer (effort 4)').click();
    const longer = await newest(preview);
    assert.deepEqual([longer.times, longer.request > asked.request], [4, true]);
    // The longer search begins anew: what the shorter one found stays until there is more.
    await post(preview, longer, orderStates(file, of, 'heuristic', 4)[1]);
    const described = await panel(preview).locator('svg').getAttribute('aria-label');
    assert.match(described ?? '', /Shortest found 2\.907 s/);
    assert.match(await sentence(preview), /^Searching …/);
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
};

const nothing: PageTest = {
  name: 'it is said that nothing shorter was found, that orders cannot be searched, and that the file has changed',
  run: async (browser) => {
    const preview = await browser.open({ width: 1400, height: 800 });
    const changed = changedExample(
      file,
      ['memory = 10GiB', 'memory = 8GiB'],
      ['microbatches = 8 in', 'microbatches = 12 in'],
    );
    const of = changed.replace(/pipeline searched[^]*/, '');
    const asked = await opened(preview, of, 'heuristic');
    const end = orderStates(file, of, 'heuristic').at(-1);
    assert.ok(end);
    await post(preview, asked, end);
    assert.equal(await sentence(preview), 'zb_auto is optimal: it is proven that no order that fits is shorter.');
    for (const name of ['Keep this order', 'Show in the timeline'])
      assert.equal(await button(preview, name).isVisible(), false);
    await post(preview, asked, {});
    assert.match(await panel(preview).innerText(), /The file has changed/);
    assert.ok(await panel(preview).evaluate((node) => node.classList.contains('outdated')));
    await post(preview, asked, { reason: 'its schedule has no flush' });
    assert.match(await panel(preview).innerText(), /cannot be searched, because its schedule has no flush\./);
    await post(preview, asked, end);
    assert.ok(await panel(preview).evaluate((node) => !node.classList.contains('outdated')));
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
};

const stopped: PageTest = {
  name: 'a search has a Stop, keeps what it has found then, and can be searched again',
  run: async (browser) => {
    const preview = await browser.open({ width: 900, height: 800 });
    const of = changedExample(file, ['microbatches = 8 in', 'microbatches = 12 in']);
    const asked = await opened(preview, of, 'heuristic');
    const last = async () => (await preview.posted()).at(-1);
    // Before anything is known, the search is given up.
    await button(preview, 'Stop').click();
    await settled(preview.page);
    assert.deepEqual(await last(), { type: 'endOrder', request: asked.request });
    assert.match(await panel(preview).innerText(), /^Stopped before an order was found\./);
    assert.equal(await panel(preview).getAttribute('aria-busy'), 'false');
    assert.equal(await button(preview, 'Stop').isVisible(), false);
    // The button that is gone hands the focus on.
    assert.equal(await preview.page.evaluate(() => document.activeElement?.textContent), 'Search again');
    await preview.page.keyboard.press('Enter');
    const second = await newest(preview);
    assert.deepEqual([second.times, second.request > asked.request], [1, true]);
    const states = orderStates(file, of, 'heuristic');
    const middle = states.find(
      ({ state }) => state !== undefined && Number(state.points.at(-1)?.[1]) < state.iteration,
    );
    assert.ok(middle?.state !== undefined);
    await post(preview, second, middle);
    await button(preview, 'Stop').click();
    assert.deepEqual(await last(), { type: 'stopOrder', request: second.request });
    await post(preview, second, { ...middle, end: { status: 'within', fits: true, stopped: true, keeps: true } });
    const [, iteration, bound] = middle.state.points.at(-1) ?? [0, 0, 0];
    assert.equal(
      await sentence(preview),
      `Stopped. ${share(1 - iteration / middle.state.iteration)} shorter than zb_auto, ` +
        `at most ${shareAtMost(iteration / bound - 1)} above the least possible.`,
    );
    for (const [name, visible] of [
      ['Keep this order', true],
      ['Show in the timeline', true],
      ['Search again', true],
      ['Stop', false],
      [/Search longer/, false],
    ] as const)
      assert.equal(await button(preview, name).isVisible(), visible, String(name));
    await button(preview, 'Search again').click();
    const third = await newest(preview);
    assert.ok(third.request > second.request);
    // What the search before has ended with can be written no more.
    assert.equal(await button(preview, 'Keep this order').isVisible(), false);
    assert.equal(await button(preview, 'Stop').isVisible(), true);
    assert.match(await sentence(preview), /^Searching …/);
    const end = states.at(-1);
    assert.ok(end !== undefined);
    await post(preview, third, end);
    assert.equal(await button(preview, 'Stop').isVisible(), false);
    assert.equal(await button(preview, 'Search again').isVisible(), false);
    assert.deepEqual(await axe(preview.page), []);
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
};

const iteration = (preview: Preview) => preview.page.locator('[data-figure="iteration"]').innerText();

const tried: PageTest = {
  name: 'the timeline shows a better order only if that is asked for, with what changed, and the file again',
  run: async (browser) => {
    const preview = await browser.open({ width: 1400, height: 800 });
    const asked = await opened(preview, text, 'heuristic');
    const states = orderStates(file, text, 'heuristic');
    const end = states.at(-1);
    const middle = states.find(({ state }) => state !== undefined && state.points.at(-1)?.[1] !== state.iteration);
    assert.ok(middle?.state !== undefined && end !== undefined);
    const before = await preview.page.locator('.timeline').getAttribute('data-generation');
    await post(preview, asked, middle);
    assert.equal(await preview.page.locator('.timeline').getAttribute('data-generation'), before);
    assert.equal(await iteration(preview), '1.279 s');
    await button(preview, 'Show as it gets better').click();
    await preview.drawn();
    assert.match(await iteration(preview), /^1\.279 > 1\.2\d+ s$/);
    await post(preview, asked, end);
    await settled(preview.page);
    assert.equal(await iteration(preview), '1.279 > 1.245 s');
    const plain = await preview.page.locator('.timeline').screenshot();
    await button(preview, 'Show what changed').click();
    await settled(preview.page);
    assert.equal(await button(preview, 'Show what changed').getAttribute('aria-pressed'), 'true');
    assert.notDeepEqual(await preview.page.locator('.timeline').screenshot(), plain);
    await preview.shot('orders-changed-1400');
    const trial = preview.page.getByRole('group', { name: 'Trying a shorter order' });
    // All of the toolbar is in sight, also in the narrowest panel.
    for (const width of [320, 360, 399, 400, 420, 519, 520, 700, 1400]) {
      await preview.page.setViewportSize({ width, height: 800 });
      await settled(preview.page);
      const over = await preview.page.locator('header').evaluate((node) => node.scrollWidth - node.clientWidth);
      assert.ok(over <= 0, `${width}: ${over} px too wide`);
    }
    await trial.getByRole('button', { name: 'Apply: write this order into the file' }).click();
    assert.deepEqual((await preview.posted()).at(-1), { type: 'keepOrder', request: asked.request });
    await trial.getByRole('button', { name: 'Back to the order of the file' }).click();
    await preview.drawn();
    assert.equal(await iteration(preview), '1.279 s');
    assert.ok(await trial.isHidden());
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
};

const kept: PageTest = {
  name: 'the real server searches, and "Keep this order" writes the order that the strip says',
  run: async (browser) => {
    const preview = await browser.open({ width: 1400, height: 800 });
    const editor = await openEditor(preview, exampleFile(file));
    await editor.show('heuristic');
    await preview.drawn();
    await preview.page.locator('[data-figure="iteration"]').click();
    await preview.page.getByRole('button', { name: 'Search for a shorter order' }).click();
    await editor.answer();
    assert.match(await sentence(preview), /this one is optimal\.$/);
    await button(preview, 'Keep this order').click();
    await editor.answer();
    await preview.drawn();
    const [pipeline] = analyseExample(file, {}, editor.text()).pipelines;
    assert.equal(pipeline.plan.schedule.kind, 'rows');
    assert.equal(await iteration(preview), '1.245 s');
    // The order that the file has now is searched in its turn.
    await editor.answer();
    assert.equal(
      await sentence(preview),
      'heuristic_order is optimal: it is proven that no order that fits is shorter.',
    );
    assert.deepEqual(preview.problems, []);
    editor.close();
    await preview.close();
  },
};

const handed: PageTest = {
  name: 'a searched pipeline is drawn with the order that the server has found, and the figure is the same',
  run: async (browser) => {
    const own = await browser.open();
    const given = await browser.open();
    await own.post({ ...pageMessage(file, text), pipeline: 'searched' });
    await own.drawn();
    const editor = await openEditor(given, exampleFile(file));
    await editor.show('searched');
    await given.drawn();
    assert.equal(await iteration(given), await iteration(own));
    const report = analyseExample(file).pipelines.find(({ plan }) => plan.name === 'searched')?.run?.report;
    assert.equal(await iteration(given), `${report?.iteration.toPrecision(4)} s`);
    assert.deepEqual([...own.problems, ...given.problems], []);
    editor.close();
    await own.close();
    await given.close();
  },
};

const last = (all: readonly ShownOrder[]): ShownOrder | undefined => all.at(-1);
const longer = changedExample(file, ['microbatches = 8 in', 'microbatches = 12 in']);
const looks = [
  ['running', 'heuristic', text, (all: readonly ShownOrder[]) => all[Math.floor(all.length / 2)]],
  ['optimal', 'heuristic', text, last],
  ['gap', 'heuristic', longer, last],
  ['nothing', 'searched', text, last],
  ['none', 'heuristic', text, (): ShownOrder => ({ reason: 'its schedule has no flush' })],
] as const;

const compared: PageTest = {
  name: 'a comparison takes the orders that are known of searched pipelines, and searches the others',
  run: async (browser) => {
    const preview = await browser.open({
      // Which of the timelines to compare have an order.
      before: () => {
        const scope = globalThis as unknown as { entered: boolean[] };
        scope.entered = [];
        Worker.prototype.postMessage = new Proxy(Worker.prototype.postMessage, {
          apply(send, worker, parts: [message: { readonly type: string; readonly order?: object }]) {
            const [{ type, order }] = parts;
            if (type === 'enter') scope.entered.push(order !== undefined);
            Reflect.apply(send, worker, parts);
          },
        });
      },
    });
    const entered = () => preview.page.evaluate(() => (globalThis as unknown as { entered: boolean[] }).entered);
    const { pipelines } = analyseExample(file);
    const [, searched, whole] = pipelines;
    assert.ok(searched.run?.report.search !== undefined);
    const order = givenOrder(searched.plan, searched.run.program, searched.run.report.search);
    assert.ok(order !== undefined);
    const orders = JSON.parse(JSON.stringify({ searched: foundOrder(searched.plan.schedule, order) }));
    await preview.post({ ...pageMessage(file, text), pipeline: 'whole', orders });
    await preview.drawn();
    await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
    await preview.page.keyboard.press('x');
    await preview.page.locator('.race-row', { hasText: 'search' }).first().waitFor();
    // The order of the timeline on show, which the page has searched.
    assert.deepEqual(await entered(), [true]);
    await preview.page.locator('.cover').getByRole('button', { name: 'Pipelines', exact: true }).click();
    for (const { plan, run } of [searched, whole])
      await preview.page
        .locator('.race-row', { hasText: plan.name })
        .getByText(iterationTime(run?.report.iteration ?? NaN))
        .first()
        .waitFor();
    // As the file has them: by a policy, from the server, on show.
    assert.deepEqual((await entered()).slice(1), [false, true, true]);
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
};

const pictures: PageTest = {
  name: 'a strip of a search is never wider than its panel, at three widths in three themes',
  run: async (browser) => {
    const widths = [
      [420, 'vscode-light'],
      [700, 'vscode-high-contrast'],
      [1400, 'vscode-dark'],
    ] as const;
    for (const [name, pipeline, of, pick] of looks) {
      const state = pick(orderStates(file, of, pipeline));
      assert.ok(state);
      const preview = await browser.open();
      const asked = await opened(preview, of, pipeline);
      for (const [width, theme] of widths) {
        await preview.setTheme(theme);
        await preview.resize(width, 800);
        await post(preview, asked, state);
        if (name === 'gap' && width === 700) await post(preview, asked, {});
        const wide = await panel(preview).evaluate((node) => node.scrollWidth - node.clientWidth);
        assert.ok(wide <= 0, `${name} at ${width}: ${wide} px too wide`);
        if (name === 'gap') assert.deepEqual(await axe(preview.page, colourRules), []);
        await preview.shot(`orders-${name}-${width}`);
        assert.deepEqual(preview.problems, []);
      }
      await preview.close();
    }
  },
};

export const orderTests: readonly PageTest[] = [shown, gap, stopped, nothing, tried, kept, handed, compared, pictures];
