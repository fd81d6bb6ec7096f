/** Messages that no editor sends: parts of a plan are missing, or are something else. */
import assert from 'node:assert/strict';
import { randomOf } from '../../engine/search/random.ts';
import type { ToPage } from '../../webview/protocol/messages.ts';
import { damage, type Json } from '../support/damage.ts';
import type { PageTest } from './check.ts';
import { example } from './example.ts';
import { settled, violations } from './harness.ts';

type PlanMessage = Extract<ToPage, { readonly type: 'plan' }>;
const examples = ['quickstart', 'custom-schedule', 'data-parallel', 'systems/hetpipe', 'systems/pipefill', 'offload'];
const runs = 40;

export const damagedTests: readonly PageTest[] = examples.map((name, index) => ({
  name: `broken plans of ${name} throw nothing, and the next plan is shown`,
  async run(browser) {
    const { message } = example(name);
    const preview = await browser.open();
    await preview.post(message);
    await preview.drawn();
    const random = randomOf(index + 1);
    const found: string[] = [];
    for (let run = 1; run <= runs; run += 1) {
      const plan = JSON.parse(JSON.stringify(message.plan)) as Json;
      damage(plan, random);
      const before = preview.problems.length;
      await preview.post({ ...message, version: run + 1, plan: plan as unknown as PlanMessage['plan'] });
      await settled(preview.page);
      for (const problem of preview.problems.slice(before)) found.push(`run ${run}: ${problem}`);
      const shown = await preview.page.locator('body').innerText();
      const wrong = /[^\n]*(?:\bNaN\b|undefined|is not a function|is not iterable|\[object)[^\n]*/.exec(shown);
      if (wrong !== null) found.push(`run ${run}: shows ${wrong[0]}`);
    }
    assert.deepEqual(found, []);
    const [first, ...others] = message.plan.pipelines;
    const next = { ...message.plan, pipelines: [{ ...first, name: 'next_plan' }, ...others], jobs: [] };
    await preview.post({ ...message, version: runs + 2, plan: next });
    await preview.page.locator('header', { hasText: 'next_plan' }).waitFor();
    assert.deepEqual(await violations(preview.page), []);
    await preview.close();
  },
}));
