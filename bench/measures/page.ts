import { defaultOptions } from '../../engine/basics/host.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { launch, type Preview } from '../../test/browser/harness.ts';
import { findChromium } from '../../test/host/browser.ts';
import { pageClock } from '../browser/threads.ts';
import { percentile } from '../measure.ts';
import { ms, type Row, type Table } from '../rows.ts';
import { planOnlyOf } from '../workloads/analysis.ts';
import { pipelineFile } from '../workloads/files.ts';

const edits = 10;
const warmup = 3;

/** From a plan that reaches the page to its blocks on the screen, in Chromium: the page's part of an edit. */
export async function pageTable(): Promise<Table> {
  const rows: Row[] = [];
  const browser = await launch(findChromium());
  try {
    for (const { devices, microbatches } of [
      { devices: 16, microbatches: 128 },
      { devices: 64, microbatches: 512 },
      { devices: 64, microbatches: 7812 },
    ]) {
      const text = pipelineFile({ devices, microbatches, schedule: '1f1b' });
      const plans = [4, 5].map((forward) => planOnlyOf(text.replace('forward = 4ms', `forward = ${forward}ms`)));
      const preview = await browser.open({ width: 1400, height: 800 });
      const { wall, page, worker } = await edit(preview, plans);
      await preview.close();
      const operations = (2 * devices * microbatches).toLocaleString('en-US');
      rows.push({ cells: [operations, ms(percentile(wall, 0.5)), ms(Math.min(...wall)), ms(page), ms(worker)] });
    }
  } finally {
    await browser.close();
  }
  return {
    title: 'Plan in the page → drawn, in Chromium',
    head: ['operations', 'median', 'best', 'CPU of the page', 'CPU of its worker'],
    rows,
  };
}

async function edit(preview: Preview, plans: readonly PipelinePlan[]) {
  const wall: number[] = [];
  let [page, worker] = [0, 0];
  const clock = await pageClock(preview.page);
  for (let at = 0; at < edits + warmup; at += 1) {
    const before = clock?.();
    const took = await preview.page.evaluate(drawnAfter, {
      generation: at + 1,
      message: {
        type: 'plan',
        uri: 'file:///bench.pipe',
        title: 'bench.pipe',
        version: at + 1,
        plan: { file: 'bench', params: [], jobs: [], pipelines: [plans[at % plans.length]] },
        overrides: {},
        options: defaultOptions,
      },
    });
    // Until what the worker prepares after the picture is done.
    await preview.page.waitForTimeout(400);
    if (at < warmup) continue;
    const after = clock?.();
    wall.push(took);
    page += (after?.page ?? NaN) - (before?.page ?? NaN);
    worker += (after?.worker ?? NaN) - (before?.worker ?? NaN);
  }
  return { wall, page: page / edits, worker: worker / edits };
}

/** In the page: milliseconds until the timeline of that number is on show. */
async function drawnAfter({
  generation,
  message,
}: {
  readonly generation: number;
  readonly message: unknown;
}): Promise<number> {
  const before = performance.now();
  const isDrawn = () =>
    Number(document.querySelector<HTMLElement>('.timeline')?.dataset['generation'] ?? 0) >= generation;
  await new Promise<void>((resolve) => {
    const observer = new MutationObserver(() => {
      if (!isDrawn()) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ['data-generation'],
    });
    window.postMessage(message, '*');
  });
  return performance.now() - before;
}
