import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { pickAt } from '../../../webview/input/pick.ts';
import { layoutFor } from '../../../webview/view/scene/layout.ts';
import { initialViewport } from '../../../webview/view/scene/viewport.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { pipeline } from '../../browser/plans.ts';

/** On the middle device, a forward far thinner than a pixel between two bubbles, then a backward of many pixels. */
function thinForward() {
  const plain = pipeline({ devices: 3, microbatches: 1 });
  const stages = plain.stages.map((stage, index) => (index === 1 ? { ...stage, forward: 1e-6 } : stage));
  const evaluation = evaluate({ ...plain, stages }, defaultOptions);
  if (evaluation.run === undefined) throw new Error('the pipeline does not run');
  const picture = pictureOf(evaluation, evaluation.run, 1);
  const { makespan, rows, offsets, start } = picture.columns;
  const layout = layoutFor(1152, 600, rows, true);
  const view = initialViewport({ makespan, rows, width: layout.plot, height: layout.rows.height });
  const pixel = makespan / layout.plot;
  const [forward, backward] = [offsets[1], offsets[1] + 1];
  /** What is `pixels` right of the start of a block. */
  const near = (block: number, pixels: number) => {
    const x = layout.left + start[block] / pixel + pixels;
    return pickAt(picture, view, layout, x, layout.rows.y + view.rowHeight * 1.2);
  };
  return { picture, layout, view, forward, backward, near };
}

describe('pick', () => {
  it('reaches a block thinner than a pixel from two pixels on either side, and from no farther', () => {
    const { forward, near } = thinForward();
    const block = { kind: 'target', target: { kind: 'block', block: forward } };
    for (const pixels of [-1.9, -1, 0.5, 1, 1.9]) expect(near(forward, pixels), `${pixels} px`).toEqual(block);
    for (const pixels of [-2.2, 2.2])
      expect(near(forward, pixels), `${pixels} px`).toMatchObject({ target: { kind: 'gap', gap: { device: 1 } } });
  });

  it('gives a block that people can hit no reach beyond its edge', () => {
    const { backward, near } = thinForward();
    expect(near(backward, -0.5)).toMatchObject({ target: { kind: 'gap', gap: { before: backward } } });
    expect(near(backward, 0.5)).toEqual({ kind: 'target', target: { kind: 'block', block: backward } });
  });

  it('names the device left of the timeline, and nothing above or below the rows', () => {
    const { picture, layout, view } = thinForward();
    const { y, height } = layout.rows;
    expect(pickAt(picture, view, layout, layout.left - 1, y + view.rowHeight * 2.5)).toEqual({
      kind: 'device',
      device: 2,
    });
    expect(pickAt(picture, view, layout, layout.left + 10, y - 1)).toEqual({ kind: 'nothing' });
    expect(pickAt(picture, view, layout, layout.left + 10, y + height)).toEqual({ kind: 'nothing' });
  });
});
