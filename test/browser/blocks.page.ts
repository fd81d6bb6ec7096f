import assert from 'node:assert/strict';
import { B, F } from '../../engine/values/program.ts';
import { parseColour } from '../../webview/view/scene/colour.ts';
import { type PageTest, sameColour } from './check.ts';
import { violations } from './harness.ts';
import { type ThemeClass, themes } from './themeColours.ts';
import { pipeline, plan, planMessage } from './plans.ts';
import { blockOf, pictureFor, pointOf } from './scene.ts';

/** As the palettes of the page's documentation have them. */
const expected: Readonly<Record<ThemeClass, Readonly<Record<'forward' | 'input' | 'weight' | 'optimizer', string>>>> = {
  'vscode-dark': { forward: '#2f77c8', input: '#eb964e', weight: '#7ccaab', optimizer: '#fff0a2' },
  'vscode-light': { forward: '#396dbe', input: '#c68100', weight: '#15a084', optimizer: '#726228' },
  'vscode-high-contrast': { forward: '#3888ec', input: '#f0995b', weight: '#a0fcd1', optimizer: '#fffe59' },
  'vscode-high-contrast-light': { forward: '#2f5cb1', input: '#c7802b', weight: '#18957b', optimizer: '#525500' },
};

const shape = { devices: 4, microbatches: 6, sync: 4e-3, optimizer: 5e-3 };

const probes = [1, 2].flatMap((scale) =>
  themes.map((theme): PageTest => ({
    name: `blocks have their colours at their place, ${theme}, ${scale} device pixels`,
    run: async (browser) => {
      const shownPipeline = pipeline(shape);
      const picture = pictureFor(shownPipeline);
      const preview = await browser.open({ theme, scale });
      await preview.post(planMessage(plan([shownPipeline])));
      await preview.drawn();
      const { start, end, offsets } = picture.columns;
      const at = (device: number, block: number, share: number) =>
        pointOf(preview, picture, device, start[block] + (end[block] - start[block]) * share, 0.16);
      const colour = (name: keyof (typeof expected)['vscode-dark']) => parseColour(expected[theme][name]) ?? [0, 0, 0];
      for (const device of [0, 2, 3]) {
        const backward = blockOf(picture, device, B, 1);
        const [forward, input, weight, optimizer] = await preview.pixels([
          await at(device, blockOf(picture, device, F, 2), 0.4),
          await at(device, backward, 0.3),
          await at(device, backward, 0.8),
          await at(device, offsets[device + 1] - 1, 0.85),
        ]);
        sameColour(forward, colour('forward'), `F2 on device ${device}`);
        sameColour(input, colour('input'), `input gradient of B1 on device ${device}`);
        sameColour(weight, colour('weight'), `weight gradient of B1 on device ${device}`);
        sameColour(optimizer, colour('optimizer'), `optimizer on device ${device}`);
      }
      if (scale === 2) await preview.shot(`page-${theme}`);
      assert.deepEqual(await violations(preview.page), []);
      assert.deepEqual(preview.problems, []);
      await preview.close();
    },
  })),
);

const contributed: PageTest = {
  name: 'colours of the editor come before the palette, and a change of theme is followed',
  run: async (browser) => {
    const shownPipeline = pipeline(shape);
    const picture = pictureFor(shownPipeline);
    const preview = await browser.open({ colours: { '--vscode-pipelineTimeline-forward': '#ff00ff' } });
    await preview.post(planMessage(plan([shownPipeline])));
    await preview.drawn();
    const block = blockOf(picture, 0, F, 2);
    const probe = async () => {
      const [x, y] = await pointOf(
        preview,
        picture,
        0,
        picture.columns.start[block] * 0.6 + picture.columns.end[block] * 0.4,
        0.16,
      );
      return preview.pixel(x, y);
    };
    sameColour(await probe(), [255, 0, 255], 'contributed colour');
    await preview.page.evaluate(() =>
      document.documentElement.style.setProperty('--vscode-pipelineTimeline-forward', '#00aa00'),
    );
    await preview.page.waitForTimeout(300);
    sameColour(await probe(), [0, 0xaa, 0], 'contributed colour after a change of theme');
    await preview.close();
  },
};

export const blockTests: readonly PageTest[] = [...probes, contributed];
