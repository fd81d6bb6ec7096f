import assert from 'node:assert/strict';
import { eventually } from '../eventually.ts';
import type { Journey } from './journey.ts';

/** From nothing: a model and a cluster are picked, the file is written, and its fastest plan is searched and drawn. */
export const planModel: Journey = {
  name: 'plan a model: from nothing to the fastest plan of Llama 3 70B on 64 H100 in five picks',
  files: {},
  async run(desk) {
    const { page, preview } = desk;
    await desk.ask('Pipewright: Plan a Model on a Cluster…');
    for (const [title, choice] of [
      ['Model', 'llama3_70b'],
      ['Cluster', 'dgx_h100'],
      ['Nodes of the cluster', '8'],
      ['Training engine', 'megatron'],
    ] as const) {
      const list = page.locator('.quick-input-widget', { hasText: title });
      await list.waitFor();
      await list.locator('input').first().fill(choice);
      await desk.shot(`journey-model-${choice}`);
      await list.locator(`.monaco-list-row[aria-label^="${choice}"]`).first().click();
    }
    await preview.locator('.plan').waitFor();
    const lines = page.locator('.view-lines').first();
    await eventually('the file is written', async () =>
      (await lines.innerText()).replaceAll('\u00a0', ' ').includes('from "std:clusters" with { nodes = 8 }'),
    );
    const card = preview.locator('.plan-card');
    await card.locator('vscode-button', { hasText: 'Write this plan' }).waitFor();
    await desk.shot('journey-model-plans');
    assert.match(await card.innerText(), /GiB/);
  },
};
