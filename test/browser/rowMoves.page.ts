/** Operations moved within a row by keys and by dragging. The real server answers. */
import assert from 'node:assert/strict';
import { main, withClient } from '../support/server.ts';
import type { PageTest } from './check.ts';
import { pictureFor, pointOf } from './scene.ts';
import { axe, settled, violations } from './harness.ts';
import { movingExtension } from './moves.ts';

const rows = `schedule mine {
  row(d) = F[0..<microbatches], B[0..<microbatches]
}
expect mine { over(devices = 2..3, microbatches = 2..4)  valid }
`;
const written = (row: string): string => rows.replace('\n}', `\n  ${row}\n}`);

export const rowMoveTests: readonly PageTest[] = [
  {
    name: 'keys move the selected operation in its row; the page says what it writes, and writes when told',
    run: (browser) =>
      withClient(async (client) => {
        client.open(main, rows);
        const preview = await browser.open({ width: 700, height: 700 });
        const { page } = preview;
        const editor = movingExtension(preview, client, 'mine.pipe', rows);
        await editor.show();
        await preview.drawn();
        const notice = page.locator('.row-notice');
        assert.ok(!(await notice.isVisible()));
        // F of microbatch 0 on the first of three devices.
        await page.mouse.click(...(await pointOf(preview, pictureFor(editor.plan()), 0, 0.5)));
        await page.keyboard.press('Alt+ArrowRight');
        await editor.answer();
        assert.match(
          await notice.innerText(),
          /Writes row\(0\) out for 3 devices and 4 microbatches\. Other shapes then need another row\(0\)\. row\(0\) = F\[1\], F\[0\], F\[2\.\.3\], B\[0\.\.3\]/,
        );
        await page.keyboard.press('Alt+ArrowRight');
        await editor.answer();
        assert.match(await notice.innerText(), /F\[1\.\.2\], F\[0\], F\[3\], B\[0\.\.3\]/);
        await preview.shot('row-700');
        assert.equal(editor.text(), rows);
        assert.deepEqual(await axe(page), []);
        await page.keyboard.press('Escape');
        await editor.answer();
        assert.ok(!(await notice.isVisible()));
        assert.equal(editor.text(), rows);
        await page.keyboard.press('Alt+ArrowRight');
        await editor.answer();
        await notice.getByRole('button', { name: 'Write' }).click();
        await editor.answer();
        assert.equal(editor.text(), written('row(0) = F[1], F[0], F[2..3], B[0..3]'));
        assert.ok(!(await notice.isVisible()));
        // From its place at the start to the end: F[1] would come after its backward.
        await page.keyboard.press('Home');
        for (let press = 0; press < 6; press += 1) await page.keyboard.press('Alt+ArrowRight');
        await editor.answer();
        assert.match(await notice.innerText(), /^Cannot be: /);
        assert.ok(!(await notice.getByRole('button', { name: 'Write' }).isVisible()));
        await preview.shot('row-700-wrong');
        assert.deepEqual(preview.problems, []);
        assert.deepEqual(await violations(page), []);
        await preview.close();
      }),
  },
  {
    name: 'a drag of the selected block moves it in its row, any other drag selects',
    run: (browser) =>
      withClient(async (client) => {
        client.open(main, rows);
        const preview = await browser.open({ width: 1400, height: 700 });
        const { page } = preview;
        const editor = movingExtension(preview, client, 'mine.pipe', rows);
        await editor.show();
        await preview.drawn();
        const at = (second: number) => pointOf(preview, pictureFor(editor.plan()), 0, second);
        await page.mouse.click(...(await at(1.5)));
        await settled(page);
        await page.mouse.move(...(await at(1.5)));
        await page.mouse.down();
        await page.mouse.move(...(await at(2.2)));
        await page.mouse.move(...(await at(2.8)));
        await editor.answer();
        await page.mouse.up();
        await editor.answer();
        assert.match(
          await page.locator('.row-notice').innerText(),
          /row\(0\) = F\[0\], F\[2\], F\[1\], F\[3\], B\[0\.\.3\]/,
        );
        await preview.shot('row-1400');
        assert.equal((await preview.posted()).filter(({ type }) => type === 'moveInRow').length, 1);
        await page.mouse.move(...(await at(0.5)));
        await page.mouse.down();
        await page.mouse.move(...(await at(4)));
        await page.mouse.up();
        await editor.answer();
        assert.equal((await preview.posted()).filter(({ type }) => type === 'moveInRow').length, 1);
        await preview.close();
      }),
  },
];
