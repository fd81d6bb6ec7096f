import { iterationTime } from '../../../engine/basics/quantities.ts';
import { element } from '../../controls/dom.ts';
import { hit } from '../../picture/columns.ts';
import { type DriftedBlock, otherSide, sides, type Side } from '../../picture/drift.ts';
import type { StripImage } from '../../session/racing.ts';
import type { StripRequest } from '../../worker/messages.ts';
import { besideAt, besideRoom, besideRows, besideRuler, type BesideScene } from '../scene/besideScene.ts';
import type { Sight } from '../scene/jobScene.ts';
import { type BandImage, paintBeside, rowOfBlock } from './besidePaint.ts';
import type { BesideState } from './besideState.ts';

/** What the reader marks. */
export type BesideMarks = Pick<BesideScene, 'pointed' | 'selected' | 'cursor'>;

/** The drawing of two timelines, in a box that scrolls. */
export function besidePicture(draw: (strips: readonly StripRequest[]) => void, sight: () => Sight) {
  const canvas = element('canvas', { role: 'img' });
  const tall = element('div', { class: 'beside-tall' }, canvas);
  const scroller = element(
    'div',
    { class: 'beside-scroll', tabindex: '0', role: 'region', 'aria-label': 'Timelines side by side' },
    tall,
  );
  const ink = canvas.getContext('2d');
  const images: Partial<Record<Side, BandImage>> = {};
  let state: BesideState | undefined;
  let marks: BesideMarks = {};
  let scene: BesideScene | undefined;

  function makeScene(): BesideScene | undefined {
    const [width, height] = [scroller.clientWidth, scroller.clientHeight];
    if (state === undefined || width === 0 || height === 0 || state.longest === 0) return undefined;
    const { rows, pair, theme, tolerance, iteration, behind, of } = state;
    const { tall: needed, ...room } = besideRoom(width, height, rows.rows.length);
    tall.style.height = `${Math.max(needed, height)}px`;
    const ends = Object.fromEntries(
      sides.flatMap((side) => {
        const end = of[side].standing?.figures?.makespan;
        return end === undefined ? [] : [[side, end]];
      }),
    );
    return {
      ...room,
      ...sight(),
      ...{ theme, width, height, rows: rows.rows, ends, dpr: devicePixelRatio },
      scroll: scroller.scrollTop,
      tolerance: tolerance * iteration,
      marked: behind < 0 ? -1 : rows.rows.findIndex(({ lower }) => lower === behind),
      ...(pair === undefined ? {} : { pair }),
      ...marks,
    };
  }

  function paint(): void {
    scene = makeScene();
    if (ink === null) return;
    canvas.hidden = scene === undefined;
    if (scene === undefined || state === undefined) return;
    const { width, height, dpr } = scene;
    const [across, down] = [Math.round(width * dpr), Math.round(height * dpr)];
    if (canvas.width !== across) canvas.width = across;
    if (canvas.height !== down) canvas.height = down;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const { ids, of } = state;
    const lacking = (side: Side): string =>
      ids[side] === undefined || ids[otherSide(side)] === undefined ? '' : `not in ${of[side].name}`;
    paintBeside(ink, scene, images, { upper: lacking('upper'), lower: lacking('lower') });
  }

  /** Asks for the bands in sight, and paints what there is. */
  function redraw(): void {
    paint();
    if (scene === undefined || state === undefined) return;
    const { plot, band, dpr, rows, t0, t1 } = scene;
    const [first, last] = besideRows(scene);
    const strips = sides.flatMap((side): StripRequest[] => {
      const id = state?.ids[side];
      const devices = rows.slice(first, last + 1).flatMap((row) => (row[side] < 0 ? [] : row[side]));
      if (id === undefined || devices.length === 0) return [];
      const height = Math.max(1, Math.round(band * dpr)) * devices.length;
      return [{ id, width: Math.round(plot * dpr), height, t0, t1, devices }];
    });
    draw(strips);
  }

  return {
    element: scroller,
    canvas,
    redraw,
    /** The room of the time axis, in pixels from the left of the drawing; nothing while there is no timeline. */
    axis: (): Pick<BesideScene, 'left' | 'plot' | 't0' | 't1'> | undefined => scene,
    blockAt(x: number, y: number): DriftedBlock | undefined {
      const place = scene?.pair === undefined ? undefined : besideAt(scene, x, y);
      if (scene?.pair === undefined || place === undefined) return undefined;
      const { side, row, time } = place;
      const block = hit(scene.pair.columns[side], time, scene.rows[row][side]);
      return block < 0 ? undefined : { side, block };
    },
    /** `redraw` follows if more changes than the marks. */
    mark(next: BesideMarks): void {
      marks = next;
    },
    paint,
    scrollTo(at: DriftedBlock): void {
      if (scene === undefined) return;
      const top = rowOfBlock(scene, at) * scene.pitch;
      const room = scroller.clientHeight - besideRuler - scene.pitch;
      if (top < scroller.scrollTop) scroller.scrollTop = top;
      else if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
    },
    update(next: BesideState): void {
      state = next;
      const lengths = sides.flatMap((side) => {
        const iteration = next.of[side].standing?.figures?.iteration;
        return iteration === undefined ? [] : [`${next.of[side].name}: ${iterationTime(iteration)}`];
      });
      canvas.setAttribute('aria-label', `Timelines side by side. ${lengths.join(', ')}.`);
      for (const side of sides) if (next.ids[side] === undefined) delete images[side];
    },
    image({ id, width, height, buffer, t0, t1, devices = [] }: StripImage): void {
      const side = sides.find((each) => state?.ids[each] === id);
      if (side === undefined) return;
      const drawn = document.createElement('canvas');
      drawn.width = width;
      drawn.height = height;
      drawn.getContext('2d')?.putImageData(new ImageData(new Uint8ClampedArray(buffer), width, height), 0, 0);
      images[side] = { canvas: drawn, t0, t1, devices };
      paint();
    },
    forget(): void {
      state = undefined;
      for (const side of sides) delete images[side];
      scroller.scrollTop = 0;
    },
  };
}
