/** CPU time of the page's threads, from the kernel: what a busy machine adds to the clock is no part of it. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** Milliseconds of CPU so far. */
export interface PageTime {
  /** The page's thread: scripts, layout, painting over the blocks. */
  readonly page: number;
  /** The worker that simulates and draws blocks. */
  readonly worker: number;
}

/** A clock of one page; undefined where the system does not tell threads apart. */
export async function pageClock(page: Page): Promise<(() => PageTime) | undefined> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  if (session === undefined || process.platform !== 'linux') return undefined;
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  return () => {
    let page = 0;
    let worker = 0;
    for (const id of renderers) {
      for (const thread of threadsOf(id)) {
        if (thread.name.startsWith('DedicatedWorker')) worker += thread.milliseconds;
        else if (thread.id === id) page += thread.milliseconds;
      }
    }
    return { page, worker };
  };
}

function threadsOf(id: number): { readonly id: number; readonly name: string; readonly milliseconds: number }[] {
  return readdirSync(`/proc/${id}/task`).flatMap((thread) => {
    const folder = `/proc/${id}/task/${thread}`;
    try {
      const name = readFileSync(`${folder}/comm`, 'utf8').trim();
      const [nanoseconds] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ');
      return [{ id: Number(thread), name, milliseconds: Number(nanoseconds) / 1e6 }];
    } catch {
      // The thread has ended.
      return [];
    }
  });
}
