/** Arguments of a schedule next to the params of the file. */
import assert from 'node:assert/strict';
import type { ParamPlan } from '../../engine/values/plan.ts';
import type { PageTest } from './check.ts';
import { axe, violations } from './harness.ts';
import { microbatchParam, pipeline, plan, planMessage } from './plans.ts';

const argument = (name: string, more: Partial<ParamPlan>, pipelineName = 'train'): ParamPlan => ({
  ...microbatchParam(3),
  name: `${pipelineName}.${name}`,
  argument: { pipeline: pipelineName, schedule: 'mine', parameter: name },
  ...more,
});

const params = (warm: number, order: number): readonly ParamPlan[] => [
  microbatchParam(8),
  argument('microbatches', { value: warm, default: 3, min: 1, max: 7, step: 2, doc: 'Forwards first.' }),
  argument('order', { value: order, default: 0, min: 0, max: 1, words: ['first', 'second'] }),
  argument('other', {}, 'second'),
];
const file = (warm: number, order: number) =>
  plan(
    [pipeline({ devices: 4, microbatches: 8 }), pipeline({ name: 'second', devices: 2, microbatches: 4 })],
    params(warm, order),
  );

export const argumentTests: readonly PageTest[] = [
  {
    name: 'arguments of the schedule on show are sliders and words, apart from params of the same name',
    run: async (browser) => {
      const preview = await browser.open({ width: 700, height: 640 });
      const { page } = preview;
      await preview.post(planMessage(file(3, 0)));
      await preview.drawn();
      await page.locator('.params-opener').click();
      const rows = page.locator('.param-list .param');
      assert.deepEqual(await rows.locator('.name').allTextContents(), [
        'microbatches',
        'microbatches mine',
        'order mine',
      ]);
      const slider = page.getByRole('slider', { name: 'microbatches of mine', exact: true });
      assert.deepEqual(
        await slider.evaluate((input: HTMLInputElement) => [input.min, input.max, input.step, input.value]),
        ['1', '7', '2', '3'],
      );
      await slider.focus();
      await page.keyboard.press('ArrowRight');
      await page.locator('.param.tried', { hasText: 'mine' }).waitFor();
      await page.waitForTimeout(60);
      assert.deepEqual(
        (await preview.posted()).filter(({ type }) => type === 'try'),
        [{ type: 'try', overrides: { 'train.microbatches': 5 } }],
      );
      await preview.post(planMessage(file(5, 0), 2, { 'train.microbatches': 5 }));
      await page.getByRole('button', { name: 'Apply: write microbatches of mine into the file' }).click();
      assert.deepEqual((await preview.posted()).at(-1), { type: 'apply', name: 'train.microbatches', value: 5 });
      await preview.shot('arguments-700');
      assert.deepEqual(await axe(page), []);
      await page.locator('[data-param="train.order"] vscode-dropdown').click();
      await page.locator('vscode-option', { hasText: 'second' }).last().click();
      await page.waitForTimeout(60);
      assert.deepEqual((await preview.posted()).at(-1), {
        type: 'try',
        overrides: { 'train.microbatches': 5, 'train.order': 1 },
      });
      assert.deepEqual(preview.problems, []);
      assert.deepEqual(await violations(page), []);
      await preview.close();
    },
  },
  {
    name: 'another pipeline has the arguments of its own schedule',
    run: async (browser) => {
      const preview = await browser.open({
        width: 420,
        height: 640,
        state: { uri: 'file:///quickstart.pipe', pipeline: 'second' },
      });
      const { page } = preview;
      await preview.post(planMessage(file(3, 0)));
      await preview.drawn();
      await page.locator('.params-opener').click();
      assert.deepEqual(await page.locator('.param-list .param .name').allTextContents(), [
        'microbatches',
        'other mine',
      ]);
      await preview.shot('arguments-420');
      await preview.close();
    },
  },
];
