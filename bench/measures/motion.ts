import { defaultOptions } from '../../engine/basics/host.ts';
import { launch, type Preview } from '../../test/browser/harness.ts';
import { findChromium } from '../../test/host/browser.ts';
import { pageClock } from '../browser/threads.ts';
import { ms, type Row, type Table } from '../rows.ts';
import { planOnlyOf } from '../workloads/analysis.ts';
import { pipelineFile } from '../workloads/files.ts';

/** Milliseconds of a frame at 60 frames a second. */
const frame = 16.7;
const seconds = 3;

/** A million blocks in Chromium, moved at every frame: CPU of each frame that was drawn. Memory is shown as bands of all devices. */
export async function motionTable(): Promise<Table> {
  const rows: Row[] = [];
  const browser = await launch(findChromium());
  try {
    for (const { name, devices, microbatches } of [
      { name: '64 devices, a row each', devices: 64, microbatches: 7812 },
      { name: '512 devices in groups', devices: 512, microbatches: 976 },
      { name: '1,024 devices in groups', devices: 1024, microbatches: 488 },
    ]) {
      const preview = await browser.open({ width: 1400, height: 800 });
      const plan = planOnlyOf(inNodes(pipelineFile({ devices, microbatches, schedule: '1f1b' }), devices));
      await preview.post({
        type: 'plan',
        uri: 'file:///bench.pipe',
        title: 'bench.pipe',
        version: 1,
        plan: { file: 'bench', params: [], jobs: [], pipelines: [plan] },
        overrides: {},
        options: defaultOptions,
      });
      await preview.drawn();
      // Shares of time at coarser scales are prepared after the first picture.
      await preview.page.waitForTimeout(1500);
      for (const motion of ['pan', 'zoom'] as const) rows.push(await move(preview, name, motion));
      await preview.close();
    }
  } finally {
    await browser.close();
  }
  return {
    title: 'A million blocks in motion, in Chromium, 1400 × 800 pixels',
    head: ['blocks', 'motion', 'frames', 'drawn', 'CPU of the page', 'CPU of its worker'],
    rows,
  };
}

/** Devices of nodes are grouped where they do not fit. */
const inNodes = (text: string, devices: number): string =>
  devices <= 64
    ? text
    : text.replace(`gpu[${devices}] = d`, `node[${devices / 8}] { gpu[8] = d  link = 100GB/s + 5us } `);

async function move(preview: Preview, name: string, motion: 'pan' | 'zoom'): Promise<Row> {
  const { page } = preview;
  const clock = await pageClock(page);
  const before = clock?.();
  const { frames, drawn } = await page.evaluate(turnWheel, { motion, seconds });
  const after = clock?.();
  const each = (part: 'page' | 'worker') => ((after?.[part] ?? NaN) - (before?.[part] ?? NaN)) / Math.max(1, drawn);
  const cells = [name, motion, String(frames), String(drawn), ms(each('page')), ms(each('worker'))];
  const met = each('page') <= frame && each('worker') <= frame;
  return { cells, goal: { text: `each ≤ ${frame} ms`, met } };
}

/** In the page: turns the wheel at every frame, and counts the frames and those with new blocks. */
async function turnWheel({
  motion,
  seconds: lasting,
}: {
  readonly motion: 'pan' | 'zoom';
  readonly seconds: number;
}): Promise<{ readonly frames: number; readonly drawn: number }> {
  const area = document.querySelector<HTMLElement>('.timeline');
  if (area === null) throw new Error('The page has no timeline.');
  const box = area.getBoundingClientRect();
  const [clientX, clientY] = [box.left + box.width / 2, box.top + box.height / 4];
  const wheel = (turn: WheelEventInit) =>
    document
      .elementFromPoint(clientX, clientY)
      ?.dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true, clientX, clientY, ...turn }));
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  // A part of the iteration, so that it can be moved.
  for (let turn = 0; turn < 12; turn += 1) {
    wheel({ deltaY: -60, ctrlKey: true });
    await nextFrame();
  }
  let drawn = 0;
  const observer = new MutationObserver(() => (drawn += 1));
  observer.observe(area, { attributes: true, attributeFilter: ['data-milliseconds'] });
  let frames = 0;
  for (const end = performance.now() + lasting * 1000; performance.now() < end; frames += 1) {
    await nextFrame();
    const forth = frames % 60 < 30 ? 1 : -1;
    wheel(motion === 'pan' ? { deltaX: 24 * forth } : { deltaY: -20 * forth, ctrlKey: true });
  }
  await nextFrame();
  observer.disconnect();
  return { frames, drawn };
}
