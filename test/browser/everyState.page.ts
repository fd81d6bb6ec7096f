/**
 * One walk through every state of the page: axe-core checks each of them at two widths, its colours in four themes where the page is
 * wide, and in two where it is narrow. At three widths a click at the middle of each control meets that control.
 */
import assert from 'node:assert/strict';
import type { PageTest } from './check.ts';
import { covered } from './covered.ts';
import { type Editor, exampleFile } from './editor.ts';
import { type Preview, axe, colourRules, settled } from './harness.ts';
import { themes } from './themeColours.ts';
import { type Scene, press, scenes, visit } from './scenes.ts';

interface State {
  readonly name: string;
  /** From the timeline with nothing selected. */
  enter(preview: Preview): Promise<void>;
  /** What is in sight then: a state that was not reached is not found clean. */
  readonly shows: string;
  /** Back to the timeline with nothing selected. Default: Escape, twice. */
  leave?(preview: Preview): Promise<void>;
}

const widths = [420, 1400] as const;
/** Beside the first theme. What is drawn in a narrow page only is not drawn in other colours: dark and light tell. */
const otherThemes = (width: number) => (width === widths[0] ? themes.slice(1, 2) : themes.slice(1));
const height = 800;
/** Width at which only the reach of controls is checked. */
const between = 700;
const quickstart = exampleFile('quickstart.pipe');
const { uri } = quickstart;
const keys =
  (...pressed: readonly string[]) =>
  (preview: Preview): Promise<void> =>
    press(preview, ...pressed);
const button = (name: string) => (preview: Preview) => preview.page.getByRole('button', { name }).first().click();
const find = (query: string) => async (preview: Preview) => {
  await press(preview, '/');
  await preview.page.locator('.search input').fill(query);
};
const stay = (): Promise<void> => Promise.resolve();

async function tryNext({ page }: Preview): Promise<void> {
  await page.locator('.param input[type=range]').focus();
  await page.keyboard.press('ArrowRight');
}

/** Ends what explains the timeline over a card, and closes the card. */
async function closeCard(preview: Preview): Promise<void> {
  await back(preview);
  await button('Close the details')(preview);
  await press(preview, 'Escape');
}

/** What keys at the timeline lead to. */
const ofTimeline: readonly State[] = [
  { name: 'nothing selected', enter: stay, shows: '.timeline' },
  { name: 'a block', enter: keys('ArrowRight'), shows: '.summary >> text=0F0 on gpu[0]' },
  { name: 'the card of a block', enter: keys('ArrowRight', 'Enter'), shows: '.card', leave: closeCard },
  { name: 'the card of a device', enter: keys('i'), shows: '.card >> text=Memory at the peak', leave: closeCard },
  { name: 'why', enter: keys(']', 'y'), shows: '.side .fix >> nth=0' },
  { name: 'why, over a card', enter: keys(']', 'Enter', 'y'), shows: '.side .fix >> nth=0', leave: closeCard },
  { name: 'the peak', enter: keys('k'), shows: '.side .peak table' },
  { name: 'the sensitivity', enter: keys('v'), shows: '.tornado-rows button >> nth=0' },
  { name: 'a comparison', enter: keys('x'), shows: '.race-row.winner' },
  { name: 'a search', enter: find('mb:5 kind:B'), shows: '.found >> text=of 4' },
  { name: 'a search without a hit', enter: find('mb:99'), shows: '.found >> text=No match' },
];

/** What buttons, menus and the editor lead to. */
const ofPage: readonly State[] = [
  { name: 'a chart', enter: button('Chart over microbatches'), shows: '.sweep-values button >> nth=3' },
  {
    name: 'a value that is tried',
    enter: tryNext,
    shows: '.param vscode-button >> text=Apply',
  },
  {
    name: 'all figures while a value is tried',
    enter: button('All figures'),
    shows: '.popover .worse',
    leave: async (preview) => {
      await back(preview);
      await button('Reset microbatches')(preview);
    },
  },
  { name: 'all figures', enter: button('All figures'), shows: '.popover' },
  { name: 'the legend', enter: keys('l'), shows: '.legend' },
  { name: 'the menu', enter: button('More'), shows: '.menu-item >> nth=0' },
  { name: 'the help', enter: keys('?'), shows: 'dialog[open]' },
  { name: 'the table', enter: keys('t'), shows: '.table', leave: keys('t') },
  { name: 'the play', enter: keys(' '), shows: '.timeline' },
  {
    name: 'an error while typing',
    enter: (preview) => preview.post({ type: 'broken', uri, version: 2, message: 'Unknown name "1f2b".' }),
    shows: 'header .notice >> text=Unknown name',
    leave: stay,
  },
  {
    name: 'a file that is gone',
    enter: (preview) => preview.post({ type: 'gone', uri, title: 'quickstart.pipe', version: 3, renamed: 'mine.pipe' }),
    shows: '.message >> text=renamed or deleted',
    leave: stay,
  },
  {
    name: 'a server that stopped',
    enter: (preview) => preview.post({ type: 'stopped', uri, version: 4, message: 'The language server has stopped.' }),
    shows: '.message >> text=has stopped',
    leave: stay,
  },
];

async function back(preview: Preview): Promise<void> {
  for (const key of ['Escape', 'Escape']) await preview.page.keyboard.press(key);
}

/** Names, roles and structure are the same in every theme; colours are not. */
async function check(preview: Preview, state: string): Promise<void> {
  const { page } = preview;
  assert.deepEqual(await covered(preview), [], state);
  const size = page.viewportSize();
  if (size !== null && size.width === widths[0]) {
    await page.setViewportSize({ ...size, width: between });
    await settled(page);
    assert.deepEqual(await covered(preview), [], `${state}, ${between} px`);
    await page.setViewportSize(size);
    await settled(page);
  }
  assert.deepEqual(await axe(page), [], state);
  for (const theme of otherThemes(size?.width ?? 0)) {
    await preview.setTheme(theme);
    assert.deepEqual(await axe(page, colourRules), [], `${state}, ${theme}`);
  }
  await preview.setTheme(themes[0]);
}

async function walk(states: readonly State[], preview: Preview, editor: Editor): Promise<void> {
  const { page } = preview;
  for (const state of states) {
    await state.enter(preview);
    await editor.answer();
    await page.locator(state.shows).first().waitFor({ state: 'visible' });
    await settled(page);
    await check(preview, state.name);
    await (state.leave ?? back)(preview);
    await editor.answer();
  }
}

const plain: Scene = { name: 'plain', file: quickstart, size: [420, height] };
/** Scenes that no key of that timeline leads to. */
const others = {
  'a deadlock and an empty file': ['deadlock', 'empty'],
  'a library and a broken file': ['library', 'broken'],
  'versions and folded rows': ['versions', 'folded'],
  'operations of other kinds': ['dualpipe', 'operations'],
  'rows of a file': ['missing', 'segment'],
  'lanes of exchanges': ['lanes', 'data-parallel'],
  'workers of a job': ['workers'],
  'a card and random times': ['device', 'jitter'],
  'a million operations': ['big'],
  'a search for a shorter order': ['order'],
  'a search for plans': ['plan'],
  'two files side by side': ['beside'],
  'a recorded run under its plan': ['run'],
  'schedules without a pipeline': ['shapes', 'slots'],
};
/** Scenes whose states the walks reach, one whose panel is that of the peak (`host`), and figures for print. */
const walked = [
  ...['panel', 'docked', 'search', 'typing', 'selection', 'critical-path', 'microbatches', 'why', 'sensitivity'],
  ...['race', 'chart', 'table', 'gone', 'stopped', 'host', 'export'],
];

const clean = widths.flatMap((width): readonly PageTest[] => [
  ...Object.entries({ 'the timeline': ofTimeline, 'the page around it': ofPage }).map(([part, states]): PageTest => ({
    name: `axe-core finds nothing, and nothing lies over a control, in any state of ${part}, ${width} px`,
    run: async (browser) => {
      await visit(browser, plain, { width, height }, (preview, editor) => walk(states, preview, editor));
    },
  })),
  ...Object.entries(others).map(([part, names]): PageTest => ({
    name: `axe-core finds nothing, and nothing lies over a control, in ${part}, ${width} px`,
    run: async (browser) => {
      for (const scene of scenes.filter(({ name }) => names.includes(name)))
        await visit(browser, scene, { width, height }, async (preview) => {
          await check(preview, scene.name);
          if (scene.name !== 'device') return;
          // Several params open from one button.
          await preview.page.locator('.params-opener').click();
          await check(preview, 'params');
        });
    },
  })),
]);

const sees: PageTest = {
  name: 'the check of a state sees a button without a name and a text without contrast',
  run: async (browser) => {
    await visit(browser, plain, { width: 420, height }, async ({ page }) => {
      await page.locator('header .icon[aria-label=Find]').evaluate((node) => {
        for (const name of ['aria-label', 'title']) node.removeAttribute(name);
      });
      assert.match((await axe(page)).join(), /^button-name/);
      await page
        .locator('.summary span')
        .first()
        .evaluate((node) => {
          node.style.color = '#505050';
        });
      assert.match((await axe(page, colourRules)).join(), /^color-contrast/);
    });
  },
};

const all: PageTest = {
  name: 'the states that are checked have every scene once',
  run: () => {
    const checked = [...Object.values(others).flat(), ...walked];
    assert.deepEqual(checked.toSorted(), scenes.map(({ name }) => name).toSorted());
    return Promise.resolve();
  },
};

export const everyStateTests: readonly PageTest[] = [...clean, sees, all];
