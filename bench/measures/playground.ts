import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { buildPlayground } from '../../scripts/playground.ts';
import { startChromium } from '../../test/browser/chromium.ts';
import { tempFolder } from '../../test/host/tempFolder.ts';
import { pageClock } from '../browser/threads.ts';
import { percentile } from '../measure.ts';
import { ms, type Row, type Table } from '../rows.ts';

const goal = 800;
const rounds = 9;

interface Visit {
  readonly findings: number;
  readonly drawn: number;
  /** Of pages and workers, to the first finding. */
  readonly cpu: number;
}

/**
 * From the address of the playground to the first finding of its example, and to its timeline, in Chromium. Threads wait for each
 * other: a machine without other work takes no longer than their CPU time.
 */
export async function playgroundTable(): Promise<Table> {
  const folder = tempFolder('pipewright-playground-');
  await buildPlayground(folder.path);
  const address = pathToFileURL(path.join(folder.path, 'index.html')).href;
  const browser = await startChromium();
  const visits: Visit[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      // A new context has no compiled code.
      const context = await browser.newContext({ viewport: { width: 1400, height: 860 } });
      visits.push(await visit(await context.newPage(), address));
      await context.close();
    }
  } finally {
    await browser.close();
    folder.remove();
  }
  const row = (what: string, times: readonly number[], cell: string): Row => ({
    cells: [what, ms(percentile(times, 0.5)), ms(Math.min(...times)), cell],
  });
  const findings = visits.map((each) => each.findings);
  const cpu = Math.min(...visits.map((each) => each.cpu));
  return {
    title: 'A visit of the playground, from its address, in Chromium',
    head: ['', 'median', 'best', 'CPU of pages and workers'],
    rows: [
      { ...row('first finding', findings, ms(cpu)), goal: { text: `≤ ${goal} ms of CPU`, met: cpu <= goal } },
      row(
        'timeline drawn',
        visits.map((each) => each.drawn),
        '',
      ),
    ],
  };
}

async function visit(page: Page, address: string): Promise<Visit> {
  const clock = await pageClock(page);
  await page.goto(address, { waitUntil: 'commit' });
  // Milliseconds since the navigation began.
  const findings = await page.waitForFunction(
    () => document.querySelector('#findings .finding') !== null && performance.now(),
  );
  const { page: pages, worker: workers } = clock?.() ?? { page: NaN, worker: NaN };
  await page.frameLocator('#preview').locator('.timeline[data-generation]').waitFor();
  const drawn = await page.evaluate(() => performance.now());
  return { findings: Number(await findings.jsonValue()), drawn, cpu: pages + workers };
}
