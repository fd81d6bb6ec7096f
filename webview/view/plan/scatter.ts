import type { FoundPoint } from '../../../engine/sweep/answer.ts';
import { bytes } from '../../../engine/basics/quantities.ts';
import { element } from '../../controls/dom.ts';
import type { PlanSearchState } from '../../session/planFound.ts';
import { onMeasureChange } from '../onMeasureChange.ts';
import type { Theme } from '../scene/theme.ts';
import { type Frame, frameOf, isInside, type Plot, scalesOf, type Scales } from './frame.ts';
import { type FrontActions, frontOptions } from './frontOptions.ts';
import type { Looks } from './looks.ts';
import { othersLayer } from './othersLayer.ts';
import { paintLabels } from './plotLabels.ts';
import * as plotPaint from './plotPaint.ts';
import { fileFigures, figureWords, settingWords } from './words.ts';

export interface ScatterState {
  readonly search: PlanSearchState;
  readonly looks: Looks;
  readonly theme: Theme;
  /** Row that the card shows. */
  readonly selected: number | undefined;
}

/** A pointer this near to a mark means it; CSS pixels. */
const reach = 9;

/** Time against memory of all rows: the front, the limit, and this file. */
export function scatter(actions: FrontActions) {
  const canvas = element('canvas', { 'aria-hidden': 'true' });
  const tip = element('div', { class: 'plan-tip', hidden: '' });
  const box = element('div', { class: 'plan-plot', tabindex: '0', 'aria-label': 'Front' }, canvas, tip);
  const options = frontOptions(box, actions);
  const others = othersLayer();
  let state: ScatterState | undefined;
  let drawn: { readonly frame: Frame; readonly scales: Scales } | undefined;
  let hovered: FoundPoint | undefined;

  onMeasureChange(box, () => paint());
  box.addEventListener('pointermove', (event) => hover(at(event)));
  box.addEventListener('pointerleave', () => hover(undefined));
  box.addEventListener('click', (event) => {
    const found = at(event);
    if (found !== undefined) actions.select(found.row);
  });
  box.addEventListener('focus', () => paint());
  box.addEventListener('blur', () => paint());

  /** The mark under the pointer; of several, one of the front. */
  function at({ clientX, clientY }: MouseEvent): FoundPoint | undefined {
    if (state === undefined || drawn === undefined) return undefined;
    const { left, top } = box.getBoundingClientRect();
    const { scales, frame } = drawn;
    const nearest = (points: readonly FoundPoint[]): FoundPoint | undefined => {
      let [best, least]: [FoundPoint | undefined, number] = [undefined, reach];
      for (const each of points) {
        const distance = Math.hypot(scales.x(each.peak) + left - clientX, scales.y(each.iteration) + top - clientY);
        if (distance < least && isInside(frame, each)) [best, least] = [each, distance];
      }
      return best;
    };
    return nearest(state.search.front) ?? nearest(state.search.points);
  }

  function hover(next: FoundPoint | undefined): void {
    if (next === hovered) return;
    hovered = next;
    box.style.cursor = next === undefined ? '' : 'pointer';
    showTip();
    paint();
  }

  function showTip(): void {
    tip.hidden = hovered === undefined || drawn === undefined;
    if (hovered === undefined || drawn === undefined) return;
    tip.replaceChildren(element('strong', {}, figureWords(hovered)), element('span', {}, settingWords(hovered)));
    const [x, y] = [drawn.scales.x(hovered.peak), drawn.scales.y(hovered.iteration)];
    const { offsetWidth: width, offsetHeight: height } = tip;
    tip.style.left = `${Math.max(2, Math.min(box.clientWidth - width - 2, x + 14 + width > box.clientWidth ? x - 14 - width : x + 14))}px`;
    tip.style.top = `${Math.max(2, Math.min(box.clientHeight - height - 2, y - height / 2))}px`;
  }

  function paint(): void {
    if (state === undefined || box.clientWidth === 0 || box.clientHeight === 0) return;
    const ink = cleared(canvas, box);
    drawn = ink === null ? drawn : paintPlot(ink, box, state, others, hovered);
  }

  return {
    element: box,
    update(next: ScatterState): void {
      state = next;
      if (hovered !== undefined && !next.search.points.includes(hovered)) hovered = undefined;
      options.update(next.search.front, next.selected);
      paint();
      showTip();
    },
    describe: (sentence: string): void => box.setAttribute('aria-label', sentence),
    /** Points that the frame leaves out. */
    outside: others.outside,
    focus: () => box.focus(),
  };
}

/** Its ink, with the size of its box in the pixels of the screen. */
function cleared(canvas: HTMLCanvasElement, box: HTMLElement): CanvasRenderingContext2D | null {
  const [width, height] = [box.clientWidth, box.clientHeight].map((size) => Math.round(size * devicePixelRatio));
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const ink = canvas.getContext('2d');
  ink?.setTransform(1, 0, 0, 1, 0, 0);
  ink?.clearRect(0, 0, width, height);
  return ink;
}

const plotIn = (box: HTMLElement): Plot => ({
  left: plotPaint.margin.left,
  top: plotPaint.margin.top,
  width: Math.max(1, box.clientWidth - plotPaint.margin.left - plotPaint.margin.right),
  height: Math.max(1, box.clientHeight - plotPaint.margin.top - plotPaint.margin.bottom),
});

function limitOf({ head }: PlanSearchState): { readonly bytes: number; readonly text: string } | undefined {
  const { capacity, peakLimit } = head ?? {};
  if (peakLimit !== undefined && (capacity === undefined || peakLimit.bytes < capacity))
    return { bytes: peakLimit.bytes, text: peakLimit.text };
  return capacity === undefined ? undefined : { bytes: capacity, text: `limit ${bytes(capacity)}` };
}

/** Paints all of it. Returns the frame that it shows; undefined where there is nothing to show. */
function paintPlot(
  ink: CanvasRenderingContext2D,
  box: HTMLElement,
  state: ScatterState,
  others: ReturnType<typeof othersLayer>,
  hovered: FoundPoint | undefined,
): { readonly frame: Frame; readonly scales: Scales } | undefined {
  const { search, theme, looks, selected } = state;
  const dpr = devicePixelRatio;
  const written = fileFigures(search);
  const limit = limitOf(search);
  const matters = [...search.front, ...(written === undefined ? [] : [written])];
  const frame = frameOf(search.points, matters, limit?.bytes);
  if (frame === undefined) return undefined;
  const area = plotIn(box);
  const scales = scalesOf(frame, area);
  ink.setTransform(dpr, 0, 0, dpr, 0, 0);
  plotPaint.paintAxes(ink, theme, frame, scales, area);
  const limitX = limit === undefined ? undefined : scales.x(limit.bytes);
  const hasLimit = limitX !== undefined && limitX < area.left + area.width;
  if (hasLimit) plotPaint.paintBeyond(ink, theme, limitX, area, dpr);
  others.paint(ink, state, frame, scales, { width: ink.canvas.width, height: ink.canvas.height, dpr });
  if (hasLimit) plotPaint.paintLimit(ink, theme, limitX, area);
  plotPaint.paintFront(ink, theme, search, scales, area, frame);
  const inFrame = search.front.filter((each) => isInside(frame, each));
  for (const each of inFrame) plotPaint.paintMark(ink, theme, looks, each, scales);
  const half = plotPaint.frontSize / 2 + 1;
  const marks = [...inFrame, ...(written === undefined ? [] : [written])].map(({ peak, iteration }) => ({
    left: scales.x(peak) - half,
    top: scales.y(iteration) - half,
    width: 2 * half,
    height: 2 * half,
  }));
  const labels =
    limit !== undefined && hasLimit ? [plotPaint.paintLimitLabel(ink, theme, limit.text, limitX, area, marks)] : [];
  paintLabels(ink, state, inFrame, written, scales, area, [...marks, ...labels]);
  const chosen = search.points.find(({ row }) => row === selected);
  for (const each of [chosen, hovered])
    if (each !== undefined && isInside(frame, each)) plotPaint.paintRing(ink, theme, each, scales, each === chosen);
  return { frame, scales };
}
