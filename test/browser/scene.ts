import type { PipelinePlan } from '../../engine/values/plan.ts';
import { defaultOptions } from '../../engine/basics/host.ts';
import { evaluate } from '../../engine/flow/evaluate.ts';
import { layoutFor } from '../../webview/view/scene/layout.ts';
import { rowShape } from '../../webview/view/scene/rowShape.ts';
import { initialViewport } from '../../webview/view/scene/viewport.ts';
import { type Picture } from '../../webview/picture/picture.ts';
import { pictureOf } from '../../webview/worker/makePicture.ts';
import type { Preview } from './harness.ts';

/** The same timeline as the page's, made here by the same engine: what the page must show. */
export function pictureFor(plan: PipelinePlan): Picture {
  const evaluation = evaluate(plan, defaultOptions);
  if (evaluation.run === undefined) throw new Error(evaluation.findings.map((finding) => finding.message).join(' '));
  return pictureOf(evaluation, evaluation.run, 1);
}

/** Where a time of a device stands on the page when everything is in sight; `across` from the top (0) to the foot (1) of its blocks. */
export async function pointOf(
  preview: Preview,
  picture: Picture,
  device: number,
  time: number,
  across = 0.5,
): Promise<readonly [number, number]> {
  const box = await preview.page.locator('.timeline').boundingBox();
  if (box === null) throw new Error('no timeline');
  const { rows, makespan } = picture.columns;
  const layout = layoutFor(box.width, box.height, rows, true);
  const view = initialViewport({ makespan, rows, width: layout.plot, height: layout.rows.height });
  const shape = rowShape(view.rowHeight);
  const x = box.x + layout.left + (time / makespan) * layout.plot;
  const y = box.y + layout.rows.y + device * view.rowHeight + shape.bandTop + shape.bandHeight * across;
  return [x, y];
}

/** All figures with their notes, as the popover has them. */
export async function allFigures(preview: Preview): Promise<string> {
  await preview.page.getByRole('button', { name: 'All figures' }).click();
  const text = await preview.page.locator('.popover').innerText();
  await preview.page.keyboard.press('Escape');
  return text;
}

/** Opens the card of what is selected. */
export const openCard = (preview: Preview): Promise<void> =>
  preview.page.getByRole('button', { name: 'Open the details' }).click();

/** A block of a kind with room enough that its middle is clear of edges. */
export function blockOf(picture: Picture, device: number, kind: number, microbatch: number): number {
  const { offsets, word, shift, stages } = picture.columns;
  for (let block = offsets[device]; block < offsets[device + 1]; block += 1) {
    const code = word[block];
    if (code >= 0 && Math.trunc((code >> shift) / stages) === kind && (code & ((1 << shift) - 1)) === microbatch)
      return block;
  }
  throw new Error(`device ${device} has no such block`);
}

/** Clicks the middle of a block. */
export async function clickBlock(preview: Preview, picture: Picture, block: number, device: number): Promise<void> {
  const { start, end } = picture.columns;
  const [x, y] = await pointOf(preview, picture, device, start[block] + (end[block] - start[block]) * 0.3);
  await preview.page.mouse.click(x, y);
}
