import assert from 'node:assert/strict';
import { B, F } from '../../engine/values/program.ts';
import { planOf } from '../support/resolve.ts';
import type { PageTest } from './check.ts';
import { exampleFile } from './editor.ts';
import { settled } from './harness.ts';
import { blockOf, pictureFor, pointOf } from './scene.ts';
import { scenes, visit } from './scenes.ts';
import { themes } from './themeColours.ts';
import type { Point } from './pixels.ts';
import { patience } from '../host/patience.ts';

const textWith = (row: string): string => `device d { memory = 32GiB }
cluster box { gpu[4] = d  link = 25GB/s + 5us }
model toy { layer block[4] { forward = 4ms  backward = 8ms  activation = 64MiB } }
schedule mine {
  row(d) = ${row}
}
pipeline train { model = toy  devices = box  microbatches = 4  stages = balance(4)  schedule = mine }
`;
const whole = textWith('F[0..<microbatches], B[0..<microbatches]');
const picture = pictureFor(planOf(whole));
const sceneOf = (row: string, first?: string) =>
  ({
    name: 'missing',
    file: exampleFile('schedules/interleaved.pipe', textWith(row)),
    size: [1320, 860],
    ...(first === undefined ? {} : { first }),
  }) as const;

const ghosts: PageTest = {
  name: 'operations that the rows lack are drawn hatched, counted, and written by a button',
  run: (browser) =>
    visit(browser, sceneOf('F[0..<microbatches]'), { width: 1320, height: 860 }, async (preview, editor) => {
      const notice = preview.page.getByRole('group', { name: 'Missing operations' });
      await notice.waitFor();
      assert.match(await notice.innerText(), /16 missing operations/);
      const { start, end } = picture.columns;
      const middle = (block: number): number => (start[block] + end[block]) / 2;
      const ghost = blockOf(picture, 3, B, 0);
      const [x, y] = await pointOf(preview, picture, 3, start[ghost], 0.5);
      const places = Array.from({ length: 12 }, (_, at): Point => [Math.round(x) + 4 + at, Math.round(y) + 9]);
      const colours = new Set((await preview.pixels(places)).map((colour) => colour.join()));
      await preview.shot('missing-ghosts');
      assert.ok(colours.size >= 2, `hatched: ${[...colours].join(' ')}`);
      await preview.page.mouse.move(...(await pointOf(preview, picture, 3, middle(ghost))));
      await settled(preview.page);
      assert.match(await preview.page.locator('.tooltip').innerText(), /Missing\s+the text lacks it/);
      await preview.page.mouse.move(...(await pointOf(preview, picture, 0, middle(blockOf(picture, 0, F, 0)))));
      await settled(preview.page);
      assert.doesNotMatch(await preview.page.locator('.tooltip').innerText(), /Missing/);
      await preview.page.mouse.move(2, 2);
      await preview.shot('missing');
      await notice.getByRole('button', { name: 'Write them' }).click();
      await editor.answer();
      assert.equal(editor.text(), whole);
      await preview.drawn();
      await settled(preview.page);
      assert.equal(await notice.isVisible(), false);
    }),
};

const stuck: PageTest = {
  name: 'rows that wait for themselves with any order of the missing operations say so, and offer nothing',
  run: (browser) =>
    visit(browser, sceneOf('B[0], F[0..<microbatches]', '.message'), { width: 700, height: 700 }, async (preview) => {
      assert.match(await preview.page.locator('.message').innerText(), /would wait for themselves/);
      assert.equal(await preview.page.getByRole('button', { name: 'Write them' }).isVisible(), false);
    }),
};

const looks: PageTest = {
  name: 'missing operations are seen in every theme and width',
  run: async (browser) => {
    const scene = scenes.find(({ name }) => name === 'missing');
    assert.ok(scene !== undefined);
    // The narrowest in each theme, and the others in one.
    for (const theme of themes)
      for (const width of theme === 'vscode-dark' ? [420, 700, 1400] : [420]) {
        await visit(browser, scene, { theme, width, height: 760 }, async (preview) => {
          await preview.page
            .getByRole('button', { name: 'Write them' })
            .waitFor({ state: 'visible', timeout: patience(5000) });
          const over = await preview.page.evaluate(() => {
            const { scrollWidth, clientWidth } = document.documentElement;
            return scrollWidth - clientWidth;
          });
          assert.ok(over <= 0, `${theme} ${width}`);
          await preview.shot(`missing-${theme}-${width}`);
        });
      }
  },
};

export const missingTests: readonly PageTest[] = [ghosts, stuck, looks];
