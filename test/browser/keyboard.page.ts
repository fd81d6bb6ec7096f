/** Every journey with keys alone: after each key the focus is on something, in sight, and marked. */
import assert from 'node:assert/strict';
import type { PageTest } from './check.ts';
import { type Editor, exampleFile } from './editor.ts';
import { type Preview, settled } from './harness.ts';
import { focusGrid, type Scene, scenes, visit } from './scenes.ts';

interface Keys {
  readonly preview: Preview;
  readonly editor: Editor;
  /** Presses keys, and looks where the focus is after each. */
  press(...keys: readonly string[]): Promise<void>;
  /** Presses Tab until the focus is on what has this name. */
  tabTo(name: RegExp): Promise<void>;
  /** Answers the page, and looks where the focus is then. */
  answer(): Promise<void>;
}

/** Name of what has the focus, and what is wrong with it: lost to the document, out of sight, covered, or without a mark. */
const focused = ({ page }: Preview): Promise<{ readonly name: string; readonly fault?: string }> =>
  page.evaluate(() => {
    const inner = (node: Element): Element => {
      const deeper = node.shadowRoot?.activeElement;
      return deeper === null || deeper === undefined ? node : inner(deeper);
    };
    const host = document.activeElement;
    if (host === null || host === document.body) return { name: '', fault: 'nothing has the focus' };
    const node = inner(host);
    const name = host.getAttribute('aria-label') ?? host.textContent?.trim() ?? '';
    // A cell of the grid is marked by the ring that the canvas paints, on the area that holds both.
    const cell = host.closest('[role=gridcell]') !== null && host.closest('.grid') !== null;
    const seen = cell ? (host.closest('.timeline') ?? host) : host;
    const box = seen.getBoundingClientRect();
    const visible =
      seen.checkVisibility({ visibilityProperty: true }) &&
      box.width > 0 &&
      box.height > 0 &&
      box.right > 0 &&
      box.bottom > 0 &&
      box.left < innerWidth &&
      box.top < innerHeight;
    if (!visible) return { name, fault: 'it is out of sight' };
    const covering = cell ? null : document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (covering !== null && !seen.contains(covering) && !covering.contains(seen))
      return { name, fault: `it is under ${covering.outerHTML.slice(0, 80)}` };
    if (cell) return { name };
    const parts = [node, host, host.parentElement, host.closest('.search')].filter((part) => part !== null);
    const marked = parts.some((part) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(part);
      return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none';
    });
    return marked ? { name } : { name, fault: 'it has no mark of the focus' };
  });

async function look(preview: Preview, after: string): Promise<string> {
  const { name, fault } = await focused(preview);
  assert.equal(fault, undefined, `after ${after}: "${name}"`);
  return name;
}

function keysOf(preview: Preview, editor: Editor): Keys {
  const { page } = preview;
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) {
      await page.keyboard.press(key);
      await settled(page);
      await look(preview, key);
    }
  };
  return {
    preview,
    editor,
    press,
    async tabTo(name) {
      const passed: string[] = [];
      for (let presses = 0; presses < 60; presses += 1) {
        await page.keyboard.press('Tab');
        // The page may hand the focus to its frame at the end of the order, and takes it back with the next Tab.
        if (await page.evaluate(() => document.activeElement === document.body)) continue;
        const found = await look(preview, `Tab to ${name}`);
        if (name.test(found)) return;
        passed.push(found);
      }
      throw new Error(`Tab does not reach ${name}: ${passed.join(' | ')}`);
    },
    async answer() {
      await editor.answer();
      // What was focused may be made anew: it has the focus again once the page has drawn the answer.
      await settled(page);
      await page.waitForFunction(() => document.activeElement !== document.body);
      await settled(page);
      await look(preview, 'an answer');
    },
  };
}

const quickstart = exampleFile('quickstart.pipe');
const changed = (before: string, after: string): Scene => ({
  name: 'changed',
  size: [700, 760],
  file: exampleFile('quickstart.pipe', quickstart.text.replace(before, after)),
});
const whole = changed('', '');
const scene = (wanted: string): Scene => {
  const found = scenes.find(({ name }) => name === wanted);
  assert.ok(found);
  return found;
};

const journey = (name: string, of: Scene, work: (keys: Keys) => Promise<void>): readonly PageTest[] =>
  [420, 1400].map((width) => ({
    name: `keyboard alone, ${width} px: ${name}`,
    run: (browser) =>
      visit(browser, of, { width, height: 800 }, async (preview, editor) => {
        if (of.first === undefined) await focusGrid(preview);
        await work(keysOf(preview, editor));
      }),
  }));

const iteration = ({ page }: Preview): Promise<string> => page.locator('[data-figure=iteration]').innerText();
const last = async (preview: Preview) => (await preview.posted()).at(-1);

export const keyboardTests: readonly PageTest[] = [
  ...journey('out of memory', changed('memory = 16GiB', 'memory = 4GiB'), async ({ preview, editor, ...keys }) => {
    await keys.press('k');
    await keys.answer();
    await preview.page.locator('.side .fix').first().waitFor();
    await keys.tabTo(/^Apply/);
    await keys.press('Enter');
    await keys.answer();
    await preview.drawn();
    assert.notEqual(editor.text(), quickstart.text.replace('memory = 16GiB', 'memory = 4GiB'));
    assert.equal(await preview.page.locator('.statistics .over').count(), 0);
    await keys.press('Escape', 'Escape', 'ArrowRight');
  }),
  ...journey('bubble', whole, async ({ preview, editor, ...keys }) => {
    const before = parseFloat(await iteration(preview));
    await keys.press(']', 'y');
    await keys.answer();
    await preview.page.locator('.side .fix').first().waitFor();
    await keys.tabTo(/^Show: /);
    await keys.press('Enter');
    await keys.answer();
    await preview.page
      .locator('.side')
      .getByRole('button', { name: /^Stop showing/ })
      .waitFor();
    await keys.tabTo(/^Apply/);
    await keys.press('Enter');
    await keys.answer();
    await preview.drawn();
    assert.notEqual(editor.text(), quickstart.text);
    assert.ok(parseFloat(await iteration(preview)) < before);
    await keys.press('Escape', 'Escape', 'ArrowRight');
  }),
  ...journey('deadlock', scene('deadlock'), async ({ preview, ...keys }) => {
    await preview.page.locator('.stall-fixes .fix').first().waitFor();
    await keys.tabTo(/^Apply/);
    await preview.page.keyboard.press('Enter');
    await keys.answer();
    await preview.drawn();
    assert.ok(await preview.page.locator('.cover').isHidden());
    await keys.press('ArrowRight', 'ArrowDown');
  }),
  ...journey('compare', whole, async ({ preview, editor, ...keys }) => {
    await keys.press('x');
    await keys.answer();
    await preview.page.locator('.race-row.winner').waitFor();
    await keys.tabTo(/^Use in the file/);
    await keys.press('Enter');
    await keys.answer();
    assert.notEqual(editor.text(), quickstart.text);
    await keys.press('Escape', 'ArrowRight');
  }),
  ...journey('new file', scene('empty'), async ({ preview, editor, ...keys }) => {
    await keys.tabTo(/^Quickstart/);
    await preview.page.keyboard.press('Enter');
    await keys.answer();
    await preview.drawn();
    assert.equal(editor.text(), quickstart.text);
    await keys.press('ArrowRight');
  }),
  ...journey('export, from the key and from the menu', whole, async ({ preview, ...keys }) => {
    await keys.press('e');
    assert.equal((await last(preview))?.type, 'export');
    await keys.tabTo(/^More/);
    await keys.press('Enter');
    await keys.tabTo(/^Export/);
    await keys.press('Enter');
    assert.equal((await last(preview))?.type, 'export');
    assert.equal((await preview.posted()).filter(({ type }) => type === 'export').length, 2);
  }),
];
