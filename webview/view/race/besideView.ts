import { iterationTime } from '../../../engine/basics/quantities.ts';
import { element, setText } from '../../controls/dom.ts';
import { iconButton } from '../../controls/iconButton.ts';
import { choice } from '../../controls/toolkit.ts';
import { hit } from '../../picture/columns.ts';
import { type DriftedBlock, otherSide, type PairedColumns, sides, type Side } from '../../picture/drift.ts';
import type { RowPairs } from '../../picture/rowPairs.ts';
import { tolerances } from '../../session/driftWords.ts';
import type { StripImage } from '../../session/racing.ts';
import { onMeasureChange } from '../onMeasureChange.ts';
import { besideAt, besideRoom, besideRows, besideRuler, type BesideScene } from '../scene/besideScene.ts';
import { clampSight, panSight, type Sight, zoomSight } from '../scene/jobScene.ts';
import type { Theme } from '../scene/theme.ts';
import type { StripRequest } from '../../worker/messages.ts';
import { besideHead, type BesideSide } from './besideHead.ts';
import { type BandImage, paintBeside, rowOfBlock } from './besidePaint.ts';

export interface BesideState {
  readonly of: Readonly<Record<Side, BesideSide>>;
  /** Numbers of the timelines that are drawn. */
  readonly ids: Readonly<Partial<Record<Side, number>>>;
  readonly rows: RowPairs;
  /** Seconds of the longer timeline; 0 while there is none. */
  readonly longest: number;
  readonly pair?: PairedColumns;
  /** Differences that are shown, by start. */
  readonly drifted: readonly DriftedBlock[];
  /** Share of the upper iteration, and its seconds. */
  readonly tolerance: number;
  readonly iteration: number;
  /** What the comparison comes to. */
  readonly sentence: string;
  /** Device of the lower timeline that explains the difference; −1 for none. */
  readonly behind: number;
  readonly theme: Theme;
}

export interface BesideActions {
  close(): void;
  /** Chooses another text for below. */
  choose(): void;
  tolerance(share: number): void;
  draw(strips: readonly StripRequest[]): void;
  /** What a block is, in words. */
  words(at: DriftedBlock): string;
  /** Leads to the text that a block comes from. */
  source(at: DriftedBlock): void;
}

const zoomStep = 1.4;
const panStep = 0.1;
const hint = 'N: next difference. W S A D: zoom and pan. 0: show all.';

/** Two timelines on one axis, device by device, with what differs. It takes the place of the timeline. */
export function besideView(actions: BesideActions) {
  const head = besideHead();
  const limits = choice<string>(
    'Differences over',
    tolerances.map((share) => [String(share), `${share * 100} %`] as const),
    (value) => actions.tolerance(Number(value)),
  );
  const previous = iconButton('up', 'Previous difference', () => step(-1), 'Shift+N');
  const following = iconButton('down', 'Next difference', () => step(1), 'N');
  const another = element('button', { type: 'button', class: 'race-version' }, 'Choose another …');
  another.addEventListener('click', actions.choose);
  const bar = element(
    'div',
    { class: 'beside-bar' },
    element('h2', {}, 'Side by side'),
    iconButton('close', 'Back to the timeline (Esc)', actions.close),
    element(
      'span',
      { class: 'race-label' },
      element('span', { class: 'dim', 'aria-hidden': 'true' }, 'differences over'),
      limits.element,
      previous,
      following,
    ),
    another,
  );
  const canvas = element('canvas', { role: 'img' });
  const tall = element('div', { class: 'beside-tall' }, canvas);
  const scroller = element(
    'div',
    { class: 'beside-scroll', tabindex: '0', role: 'region', 'aria-label': 'Timelines side by side' },
    tall,
  );
  const sentence = element('p', { class: 'beside-sentence', role: 'status', tabindex: '0' });
  const at = element('p', { class: 'beside-at', 'aria-live': 'polite' });
  const legend = element(
    'p',
    { class: 'beside-legend' },
    ...legendParts.map(([kind, words]) =>
      element('span', {}, element('span', { class: `beside-swatch ${kind}`, 'aria-hidden': 'true' }), words),
    ),
  );
  const box = element(
    'section',
    { class: 'beside', 'aria-label': 'Side by side' },
    bar,
    head.element,
    scroller,
    legend,
    at,
    sentence,
  );
  const ink = canvas.getContext('2d');
  const images: Partial<Record<Side, BandImage>> = {};
  let state: BesideState | undefined;
  let sight: Sight = { t0: 0, t1: 0 };
  let isWhole = true;
  let pointed: DriftedBlock | undefined;
  let selected: DriftedBlock | undefined;
  let cursor: number | undefined;
  let scene: BesideScene | undefined;

  box.addEventListener('keydown', onKey);
  scroller.addEventListener('wheel', onWheel, { passive: false });
  scroller.addEventListener('scroll', redraw);
  scroller.addEventListener('pointermove', ({ offsetX, offsetY, target }) => {
    if (target === canvas) point(offsetX, offsetY);
  });
  scroller.addEventListener('pointerleave', () => point(-1, -1));
  canvas.addEventListener('click', ({ offsetX, offsetY }) => {
    select(blockUnder(offsetX, offsetY));
  });
  canvas.addEventListener('dblclick', ({ offsetX, offsetY }) => {
    const found = blockUnder(offsetX, offsetY);
    if (found !== undefined) actions.source(found);
  });
  onMeasureChange(scroller, redraw);

  const about = (): number => (sight.t0 + sight.t1) / 2;

  function onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    // Buttons have their keys, except for those of the drawing.
    if (event.target instanceof HTMLButtonElement && (key === 'enter' || key === ' ')) return;
    if (key === 'escape') actions.close();
    else if (key === 'n') step(event.shiftKey ? -1 : 1);
    else if (key === 'w' || key === '+') look(zoomSight(sight, about(), zoomStep));
    else if (key === 's' || key === '-') look(zoomSight(sight, about(), 1 / zoomStep));
    else if (key === 'a' || key === 'arrowleft') look(panSight(sight, -panStep));
    else if (key === 'd' || key === 'arrowright') look(panSight(sight, panStep));
    else if (key === '0') showAll();
    else if (key === 'enter' && selected !== undefined) actions.source(selected);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** As on the timeline: Ctrl zooms at the pointer, Shift pans, the plain wheel scrolls. */
  function onWheel(event: WheelEvent): void {
    if (scene === undefined) return;
    const turned = event.deltaY === 0 ? event.deltaX : event.deltaY;
    if (event.ctrlKey || event.metaKey) {
      const share = (event.clientX - canvas.getBoundingClientRect().left - scene.left) / scene.plot;
      look(zoomSight(sight, sight.t0 + share * (sight.t1 - sight.t0), 2 ** (-turned / 240)));
    } else if (event.shiftKey || event.deltaX !== 0) look(panSight(sight, turned / scene.plot));
    else return;
    event.preventDefault();
  }

  function look(wanted: Sight): void {
    if (state === undefined || state.longest === 0) return;
    const whole = { until: state.longest };
    sight = clampSight(wanted, whole);
    isWhole = sight.t1 - sight.t0 >= state.longest;
    redraw();
  }
  const showAll = (): void => look({ t0: 0, t1: state?.longest ?? 0 });

  function blockUnder(x: number, y: number): DriftedBlock | undefined {
    if (scene?.pair === undefined) return undefined;
    const place = besideAt(scene, x, y);
    if (place === undefined) return undefined;
    const { side, row, time } = place;
    const columns = scene.pair.columns[side];
    const block = hit(columns, time, scene.rows[row][side]);
    return block < 0 ? undefined : { side, block };
  }

  function point(x: number, y: number): void {
    pointed = blockUnder(x, y);
    cursor =
      scene === undefined || x < scene.left || y < 0
        ? undefined
        : scene.t0 + ((x - scene.left) / scene.plot) * (scene.t1 - scene.t0);
    tell();
    paint();
  }

  function select(found: DriftedBlock | undefined): void {
    selected = found;
    tell();
    paint();
  }

  /** Goes from difference to difference, in the order of their starts. */
  function step(direction: 1 | -1): void {
    const all = state?.drifted ?? [];
    if (all.length === 0 || state?.pair === undefined) return;
    const now = all.findIndex(({ side, block }) => side === selected?.side && block === selected.block);
    const wanted = all[(now < 0 && direction < 0 ? all.length - 1 : now + direction + all.length) % all.length];
    const columns = state.pair.columns[wanted.side];
    const [start, end] = [columns.start[wanted.block], columns.end[wanted.block]];
    const length = sight.t1 - sight.t0;
    if (start < sight.t0 || end > sight.t1)
      sight = clampSight({ t0: start - length / 3, t1: start + (2 * length) / 3 }, { until: state.longest });
    selected = wanted;
    if (scene !== undefined) {
      const row = rowOfBlock(scene, wanted);
      const top = row * scene.pitch;
      const room = scroller.clientHeight - besideRuler - scene.pitch;
      if (top < scroller.scrollTop) scroller.scrollTop = top;
      else if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
    }
    redraw();
    tell();
  }

  function tell(): void {
    const shown = pointed ?? selected;
    setText(at, shown === undefined || state?.pair === undefined ? hint : actions.words(shown));
    at.classList.toggle('dim', shown === undefined);
  }

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
      ...sight,
      ...{ theme, width, height, rows: rows.rows, ends, dpr: devicePixelRatio },
      scroll: scroller.scrollTop,
      tolerance: tolerance * iteration,
      marked: behind < 0 ? -1 : rows.rows.findIndex(({ lower }) => lower === behind),
      ...(pair === undefined ? {} : { pair }),
      ...(pointed === undefined ? {} : { pointed }),
      ...(selected === undefined ? {} : { selected }),
      ...(cursor === undefined ? {} : { cursor }),
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
    actions.draw(strips);
  }

  return {
    element: box,
    focus: () => scroller.focus(),
    showAll,
    update(next: BesideState): void {
      const other = state === undefined || sides.some((side) => state?.ids[side] !== next.ids[side]);
      // Blocks have other numbers.
      if (other || next.pair !== state?.pair) {
        pointed = undefined;
        selected = undefined;
      }
      state = next;
      if (isWhole || sight.t1 === 0) sight = { t0: 0, t1: next.longest };
      else if (next.longest > 0) sight = clampSight(sight, { until: next.longest });
      head.update(next.of);
      limits.setValue(String(next.tolerance));
      for (const button of [previous, following]) button.disabled = next.drifted.length === 0;
      setText(sentence, next.sentence);
      legend.hidden = next.drifted.length === 0;
      box.classList.toggle(
        'outdated',
        sides.some((side) => next.of[side].stale),
      );
      const figures = sides.flatMap((side) => {
        const iteration = next.of[side].standing?.figures?.iteration;
        return iteration === undefined ? [] : [`${next.of[side].name}: ${iterationTime(iteration)}`];
      });
      canvas.setAttribute('aria-label', `Timelines side by side. ${figures.join(', ')}.`);
      for (const side of sides) if (next.ids[side] === undefined) delete images[side];
      tell();
      redraw();
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
    /** Another text is below: everything is in sight again. */
    forget(): void {
      state = undefined;
      isWhole = true;
      sight = { t0: 0, t1: 0 };
      pointed = undefined;
      selected = undefined;
      for (const side of sides) delete images[side];
      scroller.scrollTop = 0;
    },
  };
}

const legendParts = [
  ['start', 'at another time'],
  ['length', 'of another length'],
  ['alone', 'only in one'],
] as const;
