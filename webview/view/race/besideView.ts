import { element, setText } from '../../controls/dom.ts';
import { type DriftedBlock, sides } from '../../picture/drift.ts';
import type { StripRequest } from '../../worker/messages.ts';
import { onMeasureChange } from '../onMeasureChange.ts';
import { panSight, type Sight, zoomSight } from '../scene/jobScene.ts';
import { besideBar, type BesideBarActions } from './besideBar.ts';
import { besideHead } from './besideHead.ts';
import { type BesideMarks, besidePicture } from './besidePicture.ts';
import { besideSight } from './besideSight.ts';
import type { BesideState } from './besideState.ts';
import { runPanel } from './runPanel.ts';

export interface BesideActions extends BesideBarActions {
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
  const bar = besideBar(actions, step);
  const figures = runPanel();
  const sight = besideSight();
  const picture = besidePicture(actions.draw, sight.now);
  const { element: scroller, canvas } = picture;
  const sentence = element('p', { class: 'beside-sentence', role: 'status', tabindex: '0' });
  const at = element('p', { class: 'beside-at', 'aria-live': 'polite' });
  const legend = besideLegend();
  const box = element(
    'section',
    { class: 'beside', 'aria-label': 'Side by side' },
    bar.element,
    head.element,
    scroller,
    legend,
    at,
    sentence,
    figures.element,
  );
  let state: BesideState | undefined;
  let marks: BesideMarks = {};

  box.addEventListener('keydown', onKey);
  scroller.addEventListener('wheel', onWheel, { passive: false });
  scroller.addEventListener('scroll', picture.redraw);
  scroller.addEventListener('pointermove', ({ offsetX, offsetY, target }) => {
    if (target === canvas) point(offsetX, offsetY);
  });
  scroller.addEventListener('pointerleave', () => point(-1, -1));
  canvas.addEventListener('click', ({ offsetX, offsetY }) => {
    mark({ ...marks, selected: picture.blockAt(offsetX, offsetY) });
    picture.paint();
  });
  canvas.addEventListener('dblclick', ({ offsetX, offsetY }) => {
    const found = picture.blockAt(offsetX, offsetY);
    if (found !== undefined) actions.source(found);
  });
  onMeasureChange(scroller, picture.redraw);

  function onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    // Buttons have their keys, except for those of the drawing.
    if (event.target instanceof HTMLButtonElement && (key === 'enter' || key === ' ')) return;
    const seen = sight.now();
    const about = (seen.t0 + seen.t1) / 2;
    if (key === 'escape') actions.close();
    else if (key === 'n') step(event.shiftKey ? -1 : 1);
    else if (key === 'w' || key === '+') look(zoomSight(seen, about, zoomStep));
    else if (key === 's' || key === '-') look(zoomSight(seen, about, 1 / zoomStep));
    else if (key === 'a' || key === 'arrowleft') look(panSight(seen, -panStep));
    else if (key === 'd' || key === 'arrowright') look(panSight(seen, panStep));
    else if (key === '0') showAll();
    else if (key === 'enter' && marks.selected !== undefined) actions.source(marks.selected);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** As on the timeline: Ctrl zooms at the pointer, Shift pans, the plain wheel scrolls. */
  function onWheel(event: WheelEvent): void {
    const axis = picture.axis();
    if (axis === undefined) return;
    const turned = event.deltaY === 0 ? event.deltaX : event.deltaY;
    if (event.ctrlKey || event.metaKey) {
      const time = timeAt(axis, event.clientX - canvas.getBoundingClientRect().left);
      look(zoomSight(sight.now(), time, 2 ** (-turned / 240)));
    } else if (event.shiftKey || event.deltaX !== 0) look(panSight(sight.now(), turned / axis.plot));
    else return;
    event.preventDefault();
  }

  function look(wanted: Sight): void {
    sight.look(wanted);
    picture.redraw();
  }
  function showAll(): void {
    sight.showAll();
    picture.redraw();
  }

  function point(x: number, y: number): void {
    const axis = picture.axis();
    const cursor = axis === undefined || x < axis.left || y < 0 ? undefined : timeAt(axis, x);
    mark({ ...marks, pointed: picture.blockAt(x, y), cursor });
    picture.paint();
  }

  /** Goes from difference to difference, in the order of their starts. */
  function step(direction: 1 | -1): void {
    const all = state?.drifted ?? [];
    if (all.length === 0 || state?.pair === undefined) return;
    const now = all.findIndex(({ side, block }) => side === marks.selected?.side && block === marks.selected.block);
    const wanted = all[(now < 0 && direction < 0 ? all.length - 1 : now + direction + all.length) % all.length];
    const columns = state.pair.columns[wanted.side];
    const [start, end] = [columns.start[wanted.block], columns.end[wanted.block]];
    const { t0, t1 } = sight.now();
    const length = t1 - t0;
    if (start < t0 || end > t1) sight.look({ t0: start - length / 3, t1: start + (2 * length) / 3 });
    mark({ ...marks, selected: wanted });
    picture.scrollTo(wanted);
    picture.redraw();
  }

  function mark(next: BesideMarks): void {
    marks = next;
    picture.mark(marks);
    const shown = marks.pointed ?? marks.selected;
    setText(at, shown === undefined || state?.pair === undefined ? hint : actions.words(shown));
    at.classList.toggle('dim', shown === undefined);
  }

  return {
    element: box,
    focus: () => scroller.focus(),
    showAll,
    update(next: BesideState): void {
      const other = state === undefined || sides.some((side) => state?.ids[side] !== next.ids[side]);
      // Blocks have other numbers.
      const kept = other || next.pair !== state?.pair ? { cursor: marks.cursor } : marks;
      state = next;
      sight.fit(next.longest);
      head.update(next.of);
      bar.update(next);
      picture.update(next);
      setText(sentence, next.sentence);
      legend.hidden = next.drifted.length === 0 || next.run !== undefined;
      box.classList.toggle('run', next.run !== undefined);
      figures.update(next.run?.panel);
      box.classList.toggle(
        'outdated',
        sides.some((side) => next.of[side].stale),
      );
      mark(kept);
      picture.redraw();
    },
    image: picture.image,
    /** Another text is below: everything is in sight again. */
    forget(): void {
      state = undefined;
      sight.forget();
      picture.forget();
      mark({ cursor: marks.cursor });
    },
  };
}

/** Seconds at a distance from the left of the drawing. */
const timeAt = (
  { left, plot, t0, t1 }: { readonly left: number; readonly plot: number; readonly t0: number; readonly t1: number },
  x: number,
): number => t0 + ((x - left) / plot) * (t1 - t0);

const legendParts = [
  ['start', 'at another time'],
  ['length', 'of another length'],
  ['alone', 'only in one'],
] as const;

const besideLegend = (): HTMLElement =>
  element(
    'p',
    { class: 'beside-legend' },
    ...legendParts.map(([kind, words]) =>
      element('span', {}, element('span', { class: `beside-swatch ${kind}`, 'aria-hidden': 'true' }), words),
    ),
  );
