import { expect, test } from 'vitest';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { draw } from '../../../webview/worker/draw.ts';
import { type ImageOf, keptImage } from '../../../webview/worker/keptImage.ts';
import { columnsOf } from '../../../webview/worker/makeColumns.ts';
import { type Palette, paletteColours } from '../../../webview/worker/palette.ts';
import { pipeline } from '../../browser/plans.ts';

const palette: Palette = {
  background: 0xff000000,
  colours: Uint32Array.from({ length: paletteColours }, (_, index) => 0xff000000 | (index + 1)),
  colourBy: 'operation',
  chunk: new Uint8Array(0),
  border: 0,
};
const plan = pipeline({ devices: 4, microbatches: 6 });
const { run } = evaluate(plan, defaultOptions);
if (run === undefined) throw new Error('no run');
const columns = columnsOf(plan, run.timeline);
const [width, height] = [200, 24];
const view = { t0: 0, t1: columns.makespan, top: 0, rowHeight: 6, bandTop: 0, bandHeight: 5, radius: 0, notch: 0 };
const base: ImageOf = { view, width, height, columns, pyramid: undefined, palette };
const grouped = { ...view, spans: Int32Array.of(0, 2, 4), folded: Uint8Array.of(0, 0) };

function kept() {
  const image = keptImage();
  let drawn = 0;
  return {
    drawn: () => drawn,
    show: (of: ImageOf, buffer?: Uint32Array) =>
      image(of, buffer, () => {
        drawn += 1;
        return draw(of.view, of.width, of.height, of.columns, of.pyramid, of.palette, buffer);
      }),
  };
}

test('an image that has not changed is drawn once, whatever becomes of the images that were handed over', () => {
  const { drawn, show } = kept();
  const expected = draw(view, width, height, columns, undefined, palette);
  const first = show(base);
  expect(first).toEqual(expected);
  first.fill(0);
  const buffer = new Uint32Array(width * height);
  expect(show({ ...base, view: { ...view } }, buffer)).toBe(buffer);
  expect(buffer).toEqual(expected);
  expect(show({ ...base })).toEqual(expected);
  expect(drawn()).toBe(1);
});

const noShares = { by: 'operation', chunk: palette.chunk, used: new Uint8Array(0), slots: new Int8Array(0) } as const;
const groups: ImageOf = { ...base, view: grouped };
test.each<readonly [string, ImageOf, ImageOf]>([
  ['another stretch of time', base, { ...base, view: { ...view, t0: 1e-3 } }],
  ['other rows', base, groups],
  ['other devices in a row', groups, { ...base, view: { ...grouped, spans: Int32Array.of(0, 1, 4) } }],
  ['a folded row', groups, { ...base, view: { ...grouped, folded: Uint8Array.of(1, 0) } }],
  ['another width', base, { ...base, width: width + 1 }],
  ['another height', base, { ...base, height: height + 1 }],
  ['other colours', base, { ...base, palette: { ...palette } }],
  ['other blocks', base, { ...base, columns: { ...columns } }],
  ['shares of time', base, { ...base, pyramid: { span: 0, colouring: noShares, groups: [] } }],
])('is drawn again for %s', (_, before, after) => {
  const { drawn, show } = kept();
  show(before);
  show(after);
  expect(drawn()).toBe(2);
});
